// Starting a run exactly once, though the answer may be lost: what is looked at to find out. When, the engine says.

import type { CursorSdkError } from "../errors/api.js";
import type { RunRecord } from "../run/run.js";
import { agentPath, type CallOptions, type CallSpec, call, type Launched } from "./call.js";

/** What starts a run. */
export interface Launch extends Pick<CallSpec, "operation" | "path" | "body" | "idempotencyKey"> {
  /** Whose newest run tells whether this was done; `undefined` where that is not known. */
  agentId: string | undefined;
  /** The agent's newest run before; `null` where there was no agent, `undefined` where that is not known. */
  known: string | null | undefined;
  /** The agent may still be busy with a run that has been cancelled. */
  afterCancel: boolean;
  /** An earlier call may have done it. Set where this one may have. */
  doubted: boolean;
}

/** Starts a run; one that an attempt has started whose answer was lost is taken for it. */
export function launch(options: CallOptions, launch: Launch): Promise<Launched> {
  const { operation, path, body, idempotencyKey, agentId } = launch;
  return call(options, {
    operation,
    method: "POST",
    path,
    body,
    idempotencyKey,
    agentId,
    launch: Object.assign(launch, { look: (signal: AbortSignal) => started({ ...options, signal }, launch) }),
  });
}

/** The run that has been started since; `undefined` when none has. Rejects when that cannot be told. */
async function started(options: CallOptions, launch: Launch): Promise<Launched | undefined> {
  const { agentId, known, operation } = launch;
  if (agentId === undefined || known === undefined) throw new Error("There is nothing to look at");
  const path = agentPath(agentId);
  // biome-ignore lint/suspicious/noExplicitAny: the agent's record as sent
  let agent: any;
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
