// Where the types of Node are there, with those of the DOM or without. Compiled, never run.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { init } from "runwire";
import { createSessionHost } from "runwire/host";
import { type Listening, listen as listenForSessions, requestListener as sessions } from "runwire/host/node";
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

export async function host(): Promise<Listening> {
  const host = createSessionHost({ query: () => (async function* () {})(), authorize: () => true });
  createServer(sessions(host, { origin: "https://agent.example", allowedHosts: ["agent.example"] })).listen(
    0,
  );
  // @ts-expect-error it is asked by its options
  sessions(host, { trustProxy: true });
  return listenForSessions(host, { port: 8080, hostname: "::1" });
}
