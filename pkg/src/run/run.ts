// A run's handle.

import { ready } from "../engine/instance.js";
import { ConfigurationError } from "../errors/api.js";
import { guardedWarn } from "../messages/decoder.js";
import type { RunWarning, SDKMessage } from "../messages/types.js";
import { MessageFeed } from "./feed.js";
import { engineOptions, type FollowOptions } from "./follow-options.js";
import { MessageStream } from "./stream.js";
import { type RequestOptions, transportOf } from "./transport.js";

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

/** Options of a run's handle. */
export interface GetRunOptions extends RequestOptions, FollowOptions {
  /** `"cloud"`: the only runtime there is here. */
  runtime: "cloud";
  /** The agent that the run is of. */
  agentId: string;
  /** Aborts the call, and every stream of the handle with it. */
  signal?: AbortSignal | undefined;
  /** Called when something was not as it should be and the stream went on. */
  onWarning?: ((warning: RunWarning) => void) | undefined;
}

/** Options of one stream. */
export interface StreamOptions {
  /** Aborts this stream: reading it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What the engine makes of a run's record; the order of `encode_run` in src/cloud/run.rs. */
type RunRecord = [
  status: RunStatus,
  requestId: string | null,
  createdAt: string | null,
  durationMs: number | null,
  result: string | null,
  git: RunGit | null,
  error: RunError | null,
];

/** One run of an agent. */
export class Run {
  readonly id: string;
  readonly agentId: string;
  /** The run's state when the handle was made. */
  readonly status: RunStatus;
  /** The service's id of the request that began the run. */
  readonly requestId: string | undefined;
  /** When the run began, in milliseconds since 1970. */
  readonly createdAt: number | undefined;
  /** How long the run took in milliseconds; absent while it runs. */
  readonly durationMs: number | undefined;
  /** The run's final text; absent while it runs. */
  readonly result: string | undefined;
  readonly git: RunGit | undefined;
  /** Why the run failed; absent unless `status` is `error`. */
  readonly error: RunError | undefined;
  readonly #options: GetRunOptions;

  /** @internal */
  constructor(id: string, record: RunRecord, options: GetRunOptions) {
    const [status, requestId, createdAt, durationMs, result, git, error] = record;
    const began = createdAt === null ? Number.NaN : Date.parse(createdAt);
    this.id = id;
    this.agentId = options.agentId;
    this.status = status;
    this.requestId = requestId ?? undefined;
    this.createdAt = Number.isNaN(began) ? undefined : began;
    this.durationMs = durationMs ?? undefined;
    this.result = result ?? undefined;
    this.git = git ?? undefined;
    this.error = status === "error" && typeof error?.message === "string" ? error : undefined;
    this.#options = options;
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
    const { onWarning, signal } = this.#options;
    const feed = new MessageFeed({ ...this.#options, runId: this.id, warn: guardedWarn(onWarning) });
    return new MessageStream(feed, either(signal, options.signal));
  }
}

/** A signal that aborts with either; without leaving a listener behind where one is enough. */
function either(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a && b ? AbortSignal.any([a, b]) : (a ?? b);
}

/** Fetches a run's record and makes its handle. */
export async function getRun(id: string, options: GetRunOptions): Promise<Run> {
  const operation = "Agent.getRun";
  if (options?.runtime !== "cloud") {
    throw new ConfigurationError(
      'Only cloud runs can be reached from here: pass { runtime: "cloud", agentId }',
      {
        operation,
      },
    );
  }
  const { agentId, signal } = options;
  signal?.throwIfAborted();
  // What is wrong with the options is said here, not when the stream is read.
  engineOptions(options);
  const engine = await ready();
  const context = { endpoint: `GET /v1/agents/${agentId}/runs/${id}`, operation, maxEventBytes: 0 };
  const transport = transportOf(options, engine, context);
  if (signal) {
    // The caller's abort ends the request too, not only the waiting for it.
    const { fetch } = transport;
    transport.fetch = (path, headers, own) => fetch(path, headers, AbortSignal.any([own, signal]));
  }
  const record = await new Promise<RunRecord>((resolve, reject) => {
    const abort = () => settle(() => reject(signal?.reason));
    const forgetCrash = engine.onCrash((error) => settle(() => reject(error)));
    const settle = (how: () => void) => {
      forgetCrash();
      signal?.removeEventListener("abort", abort);
      how();
    };
    signal?.addEventListener("abort", abort, { once: true });
    engine.getRun(String(agentId), String(id), transport, {
      record: (address: number, length: number, ascii: boolean) => {
        const record = engine.memory.json(address, length, ascii);
        settle(() => resolve(record));
      },
      fail: (error: unknown) => settle(() => reject(error)),
    });
  });
  return new Run(id, record, options);
}
