// Where the types of Node are there, with those of the DOM or without. Compiled, never run.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { init } from "runwire";
import { createSimulator } from "runwire/testing";
import { listen, requestListener } from "runwire/testing/node";

export async function serve(): Promise<void> {
  await init(readFileSync("engine.wasm"));
  const simulator = createSimulator();
  createServer(requestListener(simulator)).listen(0);
  const { url, close } = await listen(simulator);
  url satisfies string;
  await close();
}
