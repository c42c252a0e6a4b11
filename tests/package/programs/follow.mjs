// What every runtime is asked to do with the installed package: follow one simulated run to its end.

export const seed = 7;
export const runOptions = { scenario: "coding", pace: "instant" };
export const apiKey = "key-of-the-test";
export const baseUrl = "https://simulated.invalid";

/** @param {{ Agent: any, createSimulator: any }} api */
export async function follow({ Agent, createSimulator }) {
  const sim = createSimulator({ seed });
  const { agentId, runId } = await sim.startRun(runOptions);
  const run = await Agent.getRun(runId, { runtime: "cloud", agentId, apiKey, baseUrl, fetch: sim.fetch });
  const messages = [];
  for await (const message of run.stream()) messages.push(message);
  return { agentId, runId, messages };
}
