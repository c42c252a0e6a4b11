// Our side: the package as its users import it.

import { Agent, init, MessageDecoder } from "runwire";
import { AGENT_ID, RUN_ID } from "../data.mjs";
import { eventStream } from "./consume.mjs";

export const ready = () => init();

/** Decode chunks and hand every message to `take`. */
export function decode(chunks, take) {
  const decoder = new MessageDecoder({ agentId: AGENT_ID, runId: RUN_ID });
  for (const chunk of chunks) {
    for (const message of decoder.push(chunk)) take(message);
  }
  decoder.end();
}

/** A handle on a run whose event stream is `chunks`. */
export function openRun(chunks) {
  const at = new Date(0).toISOString();
  const run = { id: RUN_ID, agentId: AGENT_ID, status: "RUNNING", createdAt: at, updatedAt: at };
  return Agent.getRun(RUN_ID, {
    runtime: "cloud",
    agentId: AGENT_ID,
    apiKey: "key",
    baseUrl: "https://service.example",
    fetch: async (url) => (String(url).endsWith("/stream") ? eventStream(chunks) : Response.json(run)),
  });
}
