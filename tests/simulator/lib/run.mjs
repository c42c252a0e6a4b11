// Starting runs and reading their streams, without the client.

import { createSimulator } from "runwire/testing";

export const origin = "https://api.invalid";
export const key = { authorization: "Bearer key_test" };

/** A simulator with one run. */
export async function start(options = {}, runOptions = {}) {
  const simulator = createSimulator(options);
  const run = await simulator.startRun(runOptions);
  const path = `/v1/agents/${run.agentId}/runs/${run.runId}`;
  return {
    simulator,
    ...run,
    path,
    record: async () => (await simulator.fetch(origin + path, { headers: key })).json(),
    stream: (init = {}, base = origin) =>
      simulator.fetch(`${base}${path}/stream`, { ...init, headers: { ...key, ...init.headers } }),
  };
}

/** The blocks of event-stream text that have an event. */
export function blocks(text) {
  return text
    .split("\n\n")
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)?.[1],
      id: /^id: (.*)$/m.exec(block)?.[1],
      data: /^data: (.*)$/m.exec(block)?.[1],
    }))
    .filter(({ event }) => event);
}

/** The concatenated text of all blocks of an event. */
export function textOf(text, event) {
  return blocks(text)
    .filter((block) => block.event === event)
    .map(({ data }) => JSON.parse(data).text)
    .join("");
}
