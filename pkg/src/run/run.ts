// A run's handle.

import { agentPath, call } from "../api/call.js";
import { present, withDefaults } from "../api/defaults.js";
import type { ModelSelection } from "../api/types.js";
import { deliver } from "../conversation/deliver.js";
import { readConversation } from "../conversation/read.js";
import type { ConversationTurn, RunCallbacks } from "../conversation/types.js";
import { ConfigurationError, UnknownAgentError } from "../errors/api.js";
import { guardedWarn } from "../messages/decoder.js";
import type { RunWarning, SDKMessage, TokenUsage } from "../messages/types.js";
import { RunCore } from "./core.js";
import { checkOptions, type FollowOptions } from "./follow-options.js";
import type { ConnectionInfo } from "./line.js";
import { Listeners } from "./listeners.js";
import { MessageStream } from "./stream.js";
import { either, type RequestOptions, unlessAborted } from "./transport.js";

/** A run's state: `running` until it is over. */
export type RunStatus = "running" | "finished" | "error" | "cancelled";

/** Which branches and pull requests the agent has. */
export interface RunGit {
  branches: { repoUrl: string; branch?: string; prUrl?: string }[];
}

/** Why a run failed. */
export interface RunError {
  message: string;
  code?: string;
}

/** How a run ended. */
export interface RunResult {
  id: string;
  /** The service's id of the request that began the run. */
  requestId?: string;
  status: RunStatus;
  /** The final text. */
  result?: string;
  /** How long the run took in milliseconds. */
  durationMs?: number;
  git?: RunGit;
  /** Why the run failed; only with status `error`. */
  error?: RunError;
  /** What the run used, as {@link Run.usage} has it. */
  usage?: TokenUsage;
  /** The model that the run was sent with, where this handle sent it. */
  model?: ModelSelection;
}

/** What one can do with a run's handle. */
export type RunOperation = "stream" | "wait" | "cancel" | "conversation" | "steer";

/** Options of a run's handle. With `onDelta` or `onStep` the run is read at once. */
export interface GetRunOptions extends RequestOptions, FollowOptions, RunCallbacks {
  /** `"cloud"`: the only runtime there is here. */
  runtime: "cloud";
  /** The agent that the run is of. */
  agentId: string;
  /** Aborts the call, and every stream of the handle with it. */
  signal?: AbortSignal | undefined;
  /** Called when something was not as it should be and the stream went on. */
  onWarning?: ((warning: RunWarning) => void) | undefined;
}

/** Options of what waits. */
export interface WaitOptions {
  /** Aborts the waiting, which rejects with the signal's reason; what was asked for goes on. */
  signal?: AbortSignal | undefined;
}

/** Options of one stream. */
export interface StreamOptions {
  /** Aborts this stream: reading it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Goes on where the stream was whose `resumeToken` this is, also in another page. */
  from?: string | undefined;
}

/** A run's record, as the API has it. */
export interface RunRecord {
  id: string;
  agentId: string;
  status: string;
  requestId?: string;
  createdAt?: string;
}

/** How it ended; the order of `Outcome::encode` in src/cloud/outcome.rs. */
type Outcome = [
  status: RunStatus,
  result: string | null,
  durationMs: number | null,
  git: RunGit | null,
  errorMessage: string | null,
  errorCode: string | null,
];

/** What is known of a run: what its handle shows, kept where the handle can be let go of. */
class RunState {
  status: RunStatus = "running";
  durationMs: number | undefined;
  result: string | undefined;
  git: RunGit | undefined;
  error: RunError | undefined;
  requestId: string | undefined;
  model: ModelSelection | undefined;
  readonly statusListeners: Listeners<RunStatus>;
  readonly connectionListeners: Listeners<ConnectionInfo>;

  constructor(warn: (warning: RunWarning) => void) {
    this.statusListeners = new Listeners(warn);
    this.connectionListeners = new Listeners(warn);
  }

  outcome(outcome: unknown[]): void {
    const [status, result, durationMs, git, message, code] = outcome as Outcome;
    this.durationMs = durationMs ?? this.durationMs;
    this.result = result ?? this.result;
    this.git = git ?? this.git;
    if (message !== null) this.error = code === null ? { message } : { message, code };
    if (status === this.status) return;
    this.status = status;
    this.statusListeners.tell(status);
  }

  link(info: ConnectionInfo): void {
    this.connectionListeners.tell(info);
  }
}

/** Lets go of what runs hold whose handles nobody has any more. */
const handles = new FinalizationRegistry<RunCore>((core) => core.abandon());

/** One run of an agent. */
export class Run {
  readonly id: string;
  readonly agentId: string;
  /** When the run began, in milliseconds since 1970. */
  readonly createdAt: number | undefined;
  readonly #core: RunCore;
  readonly #state: RunState;
  readonly #signal: AbortSignal | undefined;

  /** @internal */
  constructor(core: RunCore, state: RunState, createdAt: string | null, signal: AbortSignal | undefined) {
    const began = createdAt === null ? Number.NaN : Date.parse(createdAt);
    this.id = core.runId;
    this.agentId = core.agentId;
    this.createdAt = Number.isNaN(began) ? undefined : began;
    this.#core = core;
    this.#state = state;
    this.#signal = signal;
    handles.register(this, core);
  }

  /** The run's state, as far as this handle has seen. */
  get status(): RunStatus {
    return this.#state.status;
  }

  /** The service's id of the request that began the run. */
  get requestId(): string | undefined {
    return this.#state.requestId;
  }

  /** The model that the run was sent with, where this handle sent it. */
  get model(): ModelSelection | undefined {
    return this.#state.model;
  }

  /** How long the run took in milliseconds; absent while it runs. */
  get durationMs(): number | undefined {
    return this.#state.durationMs;
  }

  /** The run's final text; absent while it runs. */
  get result(): string | undefined {
    return this.#state.result;
  }

  get git(): RunGit | undefined {
    return this.#state.git;
  }

  /** Why the run failed; absent unless `status` is `error`. */
  get error(): RunError | undefined {
    return this.#state.error;
  }

  /**
   * What the run's turns have used, added up, as far as this handle has read the run from its start; also while
   * it goes on. Absent until a turn reports. What is billed is the service's to say.
   */
  get usage(): TokenUsage | undefined {
    const { usage } = this.#core.tally;
    return usage && { ...usage };
  }

  /**
   * The run's messages from its start, as they come. Each call is a stream of its own. Nothing is
   * requested before the first read, and the connection is read only as far as the stream is.
   *
   * @example
   * ```ts
   * for await (const message of run.stream()) {
   *   if (message.type === "assistant") show(message.message.content);
   * }
   * ```
   */
  stream(options: StreamOptions = {}): MessageStream<SDKMessage> {
    checkOptions(options, "run.stream");
    const consumer = this.#core.consumer({ token: options.from || undefined });
    return new MessageStream<SDKMessage>(consumer, either(this.#signal, options.signal));
  }

  /**
   * The conversation: what the user said and what the agent did, when the run is over. Each call reads the run
   * again from its start.
   *
   * @throws as reading {@link stream} does; a `StreamExpiredError` when the service no longer keeps the run's stream
   *
   * @example
   * ```ts
   * for (const { type, turn } of await run.conversation()) {
   *   if (type === "agentConversationTurn") for (const step of turn.steps) show(step);
   * }
   * ```
   */
  async conversation(options: WaitOptions = {}): Promise<ConversationTurn[]> {
    checkOptions(options, "run.conversation");
    return readConversation(this.#core, either(this.#signal, options.signal));
  }

  /**
   * How the run ended, when it has. A run that failed resolves too, with status `error`. Where there are `onDelta`
   * and `onStep`, they have seen the end then, unless they took nothing for 5 s.
   *
   * @throws the error of the API, or a `NetworkError`, when the run cannot be observed
   */
  async wait(options: WaitOptions = {}): Promise<RunResult> {
    checkOptions(options, "run.wait");
    const signal = either(this.#signal, options.signal);
    await this.#core.settled(signal);
    await this.#core.callbacks?.ended(signal);
    const { status, requestId, result, durationMs, git, error, model } = this.#state;
    const { id, usage } = this;
    return present({ id, requestId, status, result, error, model, durationMs, git, usage }) as RunResult;
  }

  /**
   * Cancels the run and resolves when it is over; at once when it was. Calls at the same time are
   * one. A run that had ended otherwise meanwhile keeps that state.
   *
   * @throws ConfigurationError with code `run_not_cancellable` when the service refuses and the run goes on
   */
  async cancel(options: WaitOptions = {}): Promise<void> {
    checkOptions(options, "run.cancel");
    const signal = either(this.#signal, options.signal);
    signal?.throwIfAborted();
    if (this.status === "running") await unlessAborted(this.#core.cancel(), signal);
  }

  /** Cloud runs cannot be steered: nothing is asked, and what is to be said is to be sent as a follow-up. */
  async steer(_text: string): Promise<"revert_to_followup"> {
    return "revert_to_followup";
  }

  /** Whether an operation can work, in the state that the run is in. */
  supports(operation: RunOperation): boolean {
    return this.unsupportedReason(operation) === undefined;
  }

  /** Why an operation cannot work now; `undefined` when it can. */
  unsupportedReason(operation: RunOperation): string | undefined {
    switch (operation) {
      case "wait":
        return undefined;
      case "stream":
      case "conversation":
        return this.#core.expired && "The service no longer keeps this run's stream";
      case "cancel":
        return this.status === "running" ? undefined : `The run is over: it is ${this.status}`;
      case "steer":
        return "A cloud run cannot be steered: send a follow-up instead";
      default:
        return `A cloud run has no operation ${JSON.stringify(operation)}`;
    }
  }

  /**
   * Calls `listener` with each new state, until the function that is given back is called. Works
   * alone: while anybody listens the run is observed.
   */
  onDidChangeStatus(listener: (status: RunStatus) => void): () => void {
    const forget = this.#state.statusListeners.add(listener);
    const core = this.#core;
    core.observe();
    return () => {
      if (forget()) core.unobserve();
    };
  }

  /**
   * Calls `listener` when the connection of the handle's streams changes, until the function that
   * is given back is called. Opens none.
   */
  onDidChangeConnection(listener: (connection: ConnectionInfo) => void): () => void {
    const forget = this.#state.connectionListeners.add(listener);
    return () => {
      forget();
    };
  }

  /** How the connection is now. */
  get connection(): ConnectionInfo {
    return this.#core.info;
  }
}

/** Fetches a run's record and makes its handle. */
export async function getRun(id: string, options: GetRunOptions, operation = "Agent.getRun"): Promise<Run> {
  requireCloud(options, operation);
  const [agentId, runId] = [String(options.agentId), String(id)];
  const path = `${agentPath(agentId)}/runs/${encodeURIComponent(runId)}`;
  const record = await call(options, { method: "GET", path, operation, agentId, runId });
  return runOf(record, { ...options, agentId, runId }, operation).run;
}

/** The handle of a run whose record has come, and what is behind it. The engine is loaded. */
export function runOf(
  record: RunRecord,
  options: Omit<GetRunOptions, "runtime"> & { runId: string; model?: ModelSelection | undefined },
  operation: string,
): { run: Run; core: RunCore } {
  const { agentId, runId } = options;
  if (![record?.status, agentId, runId].every((text) => typeof text === "string" && !/^\.*$/.test(text))) {
    const body = JSON.stringify(record)?.slice(0, 65_536);
    throw new UnknownAgentError("The answer is no run: it has no status, or no id", {
      code: "invalid_answer",
      operation,
      body,
    });
  }
  const warn = guardedWarn(options.onWarning);
  const state = new RunState(warn);
  const core = new RunCore({ ...withDefaults(options), warn, known: true }, state);
  core.tellRecord(JSON.stringify(record));
  state.requestId = record.requestId ?? undefined;
  state.model = options.model;
  deliver(core, options, options.signal);
  return { run: new Run(core, state, record.createdAt ?? null, options.signal), core };
}

/** Only what runs in the cloud can be reached from here. */
export function requireCloud(options: { runtime?: string } | undefined, operation: string): void {
  if (options?.runtime !== "cloud") {
    const message = 'Only cloud runs can be reached from here: pass { runtime: "cloud", agentId }';
    throw new ConfigurationError(message, { operation, code: "cloud_only" });
  }
}
