// The page's calls to /control: start a run, make trouble, ask what must have arrived.

async function call(path, body) {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(`/control${path}`, init);
  const answer = await response.json();
  if (!response.ok) throw new Error(String(answer.message));
  return answer;
}

/** @param {string} scenario @param {string} pace @returns {Promise<{ agentId: string, runId: string }>} */
export function startRun(scenario, pace) {
  return call("/runs", { scenario, pace });
}

/** @param {string} runId @returns {Promise<import("runwire/testing").Expected>} */
export function expectedOf(runId) {
  return call(`/runs/${runId}/expected`);
}

/** @param {string} runId @param {string} fault */
export async function injectFault(runId, fault) {
  await call(`/runs/${runId}/faults`, { fault });
}

/** To the connections of the agent's host. @param {string} fault */
export async function injectSessionFault(fault) {
  await call("/agent/faults", { fault });
}
