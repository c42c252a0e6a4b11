// Follows the run in a page and leaves what came, or why nothing came, where the test looks.

import { Agent } from "runwire";
import { createSimulator } from "runwire/testing";
import { follow } from "./follow.mjs";

follow({ Agent, createSimulator }).then(
  (result) => {
    globalThis.outcome = { result };
  },
  (error) => {
    globalThis.outcome = { error: String(error?.stack ?? error) };
  },
);
