// Starting a run exactly once, though the answer may be lost.

import { type CursorSdkError, NetworkError } from "../errors/api.js";
import type { RunRecord } from "../run/run.js";
import { agentPath, type CallOptions, type CallSpec, call, INVALID } from "./call.js";

/** How often the same POST is sent. */
const ATTEMPTS = 3;

/** How long after a cancel an agent may still be busy, and between two attempts then, in milliseconds. */
const BUSY = { grace: 5_000, delay: 500 };

/** What starts a run. */
export interface Launch {
  operation: string;
  path: string;
  body: object;
  /** The same for each attempt. */
  idempotencyKey: string;
  /** Whose newest run tells whether this was done; `undefined` where that is not known. */
  agentId: string | undefined;
  /** The agent's newest run before. */
  known: { runId: string | undefined };
  /** The agent may still be busy with a run that has been cancelled. */
  afterCancel?: boolean | undefined;
}

/** What the service answers. */
interface Launched {
  run: RunRecord;
  // biome-ignore lint/suspicious/noExplicitAny: the agent's record as sent
  agent?: any;
}

/** Starts a run; one that an attempt has started whose answer was lost is taken for it. */
export async function launch(options: CallOptions, launch: Launch): Promise<Launched> {
  const { operation, path, body, idempotencyKey } = launch;
  const spec: CallSpec = {
    operation,
    method: "POST",
    path,
    body: JSON.stringify(body),
    idempotencyKey,
    agentId: launch.agentId,
    once: true,
  };
  const begun = Date.now();
  /** Why it is not known whether the run was started. */
  let doubt: CursorSdkError | undefined;
  for (let attempt = 1; ; ) {
    try {
      const answer = await call(options, spec);
      if (typeof answer?.run?.id === "string") return answer;
      doubt = new NetworkError("The answer names no run", { code: INVALID, operation });
    } catch (error) {
      const failure = error as CursorSdkError;
      if (failure.code === "agent_busy" && launch.afterCancel && Date.now() - begun < BUSY.grace) {
        await pause(BUSY.delay, options.signal);
        continue;
      }
      // What was refused before is there because an earlier attempt has created it.
      const exists = doubt !== undefined && failure.code === "agent_id_conflict";
      if (!exists && !isAmbiguous(failure)) throw error;
      doubt = failure;
    }
    const found = await startedBy(options, launch, doubt);
    if (found) return found;
    if (attempt++ >= ATTEMPTS) throw doubt;
  }
}

/** Whether the service may have done what it did not answer to. */
function isAmbiguous(failure: CursorSdkError): boolean {
  return failure.code === INVALID || (failure instanceof NetworkError && failure.code !== "redirected");
}

/** The run that an attempt has started; `undefined` when none has. Throws `doubt` when that cannot be told. */
async function startedBy(
  options: CallOptions,
  launch: Launch,
  doubt: CursorSdkError,
): Promise<Launched | undefined> {
  const { agentId, known, operation } = launch;
  if (agentId === undefined) throw uncertain(doubt);
  // biome-ignore lint/suspicious/noExplicitAny: the agent's record as sent
  let agent: any;
  try {
    agent = await call(options, { method: "GET", path: agentPath(agentId), agentId, operation });
  } catch (error) {
    // No agent: nothing has been created.
    if ((error as CursorSdkError).status === 404 && known.runId === undefined) return undefined;
    options.signal?.throwIfAborted();
    throw uncertain(doubt);
  }
  const runId = agent?.latestRunId ?? undefined;
  if (runId === known.runId) return undefined;
  const path = `${agentPath(agentId)}/runs/${encodeURIComponent(runId)}`;
  const run: RunRecord = await call(options, { method: "GET", path, agentId, operation });
  if (run?.agentId !== undefined && run.agentId !== agentId) throw uncertain(doubt);
  return { run, agent };
}

/** The run may have been started: who sends again without looking may start another. */
function uncertain(doubt: CursorSdkError): CursorSdkError {
  doubt.message += " (the run may have been started: look at the agent's runs before sending again)";
  return doubt;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
