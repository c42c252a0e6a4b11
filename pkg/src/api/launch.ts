// Starting a run exactly once, though the answer may be lost: what is looked at to find out. When, the engine says.

import type { CursorSdkError } from "../errors/api.js";
import type { RunRecord } from "../run/run.js";
import { type Answer, agentPath, type CallOptions, call, type Launched } from "./call.js";

/**
 * The run that has been started at an agent; `undefined` when none has. Rejects when that cannot be told.
 *
 * @param agentId `undefined` where that is not known
 * @param known the agent's newest run before; `null` where there was no agent, `undefined` where that is not known
 */
export async function started(
  options: CallOptions,
  agentId: string | undefined,
  known: string | null | undefined,
  operation: string,
): Promise<Launched | undefined> {
  if (agentId === undefined || known === undefined) throw new Error("There is nothing to look at");
  const path = agentPath(agentId);
  let agent: Answer;
  try {
    agent = await call(options, { method: "GET", path, agentId, operation });
  } catch (error) {
    // No agent: nothing has been created.
    if (known === null && (error as CursorSdkError).status === 404) return undefined;
    throw error;
  }
  const runId = agent?.latestRunId;
  if (runId === known) return undefined;
  const run: RunRecord = await call(options, {
    method: "GET",
    path: `${path}/runs/${encodeURIComponent(String(runId))}`,
    agentId,
    runId: String(runId),
    operation,
  });
  if (run?.id !== runId || (run.agentId ?? agentId) !== agentId) throw new Error("It is another run");
  return { run, agent };
}
