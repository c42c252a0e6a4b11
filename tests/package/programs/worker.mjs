// Follows the run inside a request to a worker and answers with what came.

import { Agent } from "runwire";
import { createSimulator } from "runwire/testing";
import { follow } from "./follow.mjs";

export default {
  async fetch() {
    try {
      return Response.json(await follow({ Agent, createSimulator }));
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
