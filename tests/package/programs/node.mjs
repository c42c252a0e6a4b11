// Follows the run from an ES module in Node and prints what came.

import { Agent } from "runwire";
import { createSimulator } from "runwire/testing";
import { follow } from "./follow.mjs";

console.log(JSON.stringify(await follow({ Agent, createSimulator })));
