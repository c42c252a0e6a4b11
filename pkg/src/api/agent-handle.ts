// An agent's handle: what it is told, and what it has made.

import { ConfigurationError } from "../errors/api.js";
import type { RunCore } from "../run/core.js";
import { checkOptions } from "../run/follow-options.js";
import { type Run, runOf } from "../run/run.js";
import { either, unlessAborted } from "../run/transport.js";
import { agentPath, type CallOptions, type CallSpec, call, callAt, type Launched } from "./call.js";
import { cloudOnly, createBody, followUpBody } from "./create-body.js";
import { present } from "./defaults.js";
import { download } from "./artifact.js";
import { infoOf, usage } from "./info.js";
import { started } from "./launch.js";
import type {
  AgentOptions,
  AgentUsage,
  ModelSelection,
  SDKAgentInfo,
  SDKArtifact,
  SDKUserMessageInput,
  SendOptions,
} from "./types.js";

/** What a call of a handle's may be given, in place of what the handle was. */
export type HandleCallOptions = Pick<CallOptions, "signal" | "timeoutMs" | "connectTimeoutMs" | "retry">;

/** The options of a handle and of one call of it. */
type Given = AgentOptions & { signal: AbortSignal };

/** An agent in the cloud. */
export class SDKAgent {
  readonly #options: AgentOptions;
  #agentId: string;
  /** The agent has been created. */
  #exists: boolean;
  #info: SDKAgentInfo | undefined;
  /** The newest run, while that is known for certain. */
  #latest: string | undefined;
  /** Of the run that was started last. */
  #core: RunCore | undefined;
  /** The body of a request to create it of which it is not known what has become. */
  #doubted: string | undefined;
  /** Settles when nothing is being sent. */
  #sending = Promise.resolve();
  readonly #closed = new AbortController();

  /** @internal */
  constructor(agentId: string, options: AgentOptions, exists: boolean) {
    this.#agentId = agentId;
    this.#options = options;
    this.#exists = exists;
  }

  /** The agent's id. Where it was created with `envVars` the service gives it, with the first run. */
  get agentId(): string {
    return this.#agentId;
  }

  /** The model that it was created with. */
  get model(): ModelSelection | undefined {
    return this.#options.model;
  }

  /** The newest run that this handle knows of. */
  get latestRunId(): string | undefined {
    return this.#latest ?? this.#core?.runId ?? this.#info?.latestRunId;
  }

  /** `ACTIVE`, `IDLE`, `ARCHIVED`, or what the service says; absent until the agent's record has been read. */
  get status(): string | undefined {
    return this.#info?.status;
  }

  /** Where people look at the agent; absent until its record has been read. */
  get url(): string | undefined {
    return this.#info?.url;
  }

  /** What the agent's record said last; absent until it has been read. */
  get info(): SDKAgentInfo | undefined {
    return this.#info;
  }

  /**
   * Tells the agent what to do; the first time that creates it. Never starts two runs: where an answer is lost, the
   * agent is asked whether there is a new run before anything is sent again.
   *
   * @throws AgentBusyError while another run of the agent's goes on
   *
   * @example
   * ```ts
   * const run = await agent.send("Add a README");
   * for await (const message of run.stream()) show(message);
   * ```
   */
  async send(message: SDKUserMessageInput, options: SendOptions = {}): Promise<Run> {
    const operation = "agent.send";
    const begun = Date.now();
    const given = this.#given(options, operation);
    cloudOnly(options, operation);
    // One after the other: what one has started must not pass for what another has.
    const before = this.#sending;
    let end!: () => void;
    this.#sending = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await unlessAborted(before, given.signal);
      if (this.#exists && this.#latest === undefined) {
        // Where the agent's newest run cannot be read, it may still be sent; but once.
        await this.reload(options).catch(() => given.signal.throwIfAborted());
      }
      if (given.timeoutMs !== undefined)
        given.timeoutMs = Math.max(0, given.timeoutMs - (Date.now() - begun));
      return await this.#start(message, options, given);
    } finally {
      void before.then(end);
    }
  }

  /** Starts a run; the first one creates the agent. */
  async #start(message: SDKUserMessageInput, options: SendOptions, given: Given): Promise<Run> {
    const isNew = !this.#exists;
    const made = isNew
      ? createBody(this.#agentId, message, this.#options, options)
      : followUpBody(message, this.#options, options);
    const body = JSON.stringify(made);
    const key = options.idempotencyKey ?? (isNew ? this.#options.idempotencyKey : undefined);
    const operation = "agent.send";
    const known = isNew ? null : this.#latest;
    // With `envVars` the service gives the id: what it has done cannot be looked up.
    const agentId = isNew && !made.agentId ? undefined : this.#agentId;
    const spec: CallSpec = {
      operation,
      method: "POST",
      path: isNew ? "/v1/agents" : `${agentPath(this.#agentId)}/runs`,
      body,
      idempotencyKey: key ?? crypto.randomUUID(),
      agentId,
      has: "run",
      look: (signal) => started({ ...given, signal }, agentId, known, operation),
      afterCancel: this.#core?.cancelled === true,
      // The same again, after it was not known what had become of it.
      doubted: body === this.#doubted,
    };
    // Unless it is known what becomes of this, the agent's newest run is not known any more.
    this.#latest = undefined;
    this.#doubted = undefined;
    try {
      const { run: record, agent } = (await call(given, spec)) as Launched;
      if (isNew) {
        this.#exists = true;
        this.#agentId = record.agentId ?? agent?.id ?? this.#agentId;
      }
      if (agent) this.#info = infoOf(agent);
      const ids = { agentId: this.#agentId, runId: record.id };
      const { run, core } = runOf(record, { ...given, ...ids }, operation);
      this.#latest = record.id;
      this.#core = core;
      return run;
    } catch (error) {
      if (isNew && spec.doubted) this.#doubted = body;
      throw error;
    }
  }

  /** Reads the agent's record again. */
  async reload(options: HandleCallOptions = {}): Promise<SDKAgentInfo> {
    const operation = "agent.reload";
    const info = infoOf(await callAt(this.#agentId, this.#given(options, operation), operation, "", "id"));
    this.#info = info;
    this.#latest = info.latestRunId;
    return info;
  }

  /** What the agent has used; of one run with `runId`. */
  async getUsage(options: HandleCallOptions & { runId?: string | undefined } = {}): Promise<AgentUsage> {
    const operation = "agent.getUsage";
    return usage(this.#agentId, this.#given(options, operation), operation);
  }

  /** The files that the agent has made, at most 100. */
  async listArtifacts(options: HandleCallOptions = {}): Promise<SDKArtifact[]> {
    const operation = "agent.listArtifacts";
    const given = this.#given(options, operation);
    return (await callAt(this.#agentId, given, operation, "/artifacts", "items")).items;
  }

  /** A file that the agent has made. It lies elsewhere: neither key nor headers are sent there. */
  downloadArtifact(path: string, options?: HandleCallOptions & { stream?: false }): Promise<Uint8Array>;
  /** The same as it comes, for files that are not to be held whole. */
  downloadArtifact(
    path: string,
    options: HandleCallOptions & { stream: true },
  ): Promise<ReadableStream<Uint8Array>>;
  async downloadArtifact(
    path: string,
    options: HandleCallOptions & { stream?: boolean } = {},
  ): Promise<Uint8Array | ReadableStream<Uint8Array>> {
    const operation = "agent.downloadArtifact";
    const given = this.#given(options, operation);
    const place = `/artifacts/download?path=${encodeURIComponent(path)}`;
    const { url } = await callAt(this.#agentId, given, operation, place, "url");
    return download(url, given, operation, options.stream === true);
  }

  /** Lets go of the handle: its runs' streams end, and nothing can be sent any more. The agent goes on. */
  close(): void {
    this.#core?.release();
    this.#closed.abort(new ConfigurationError("The agent's handle is closed", { code: "closed" }));
  }

  /** {@link close}, for `await using`. Only where the engine has `Symbol.asyncDispose`. */
  declare [Symbol.asyncDispose]: () => Promise<void>;

  /** The handle's options, those of a call, and a signal that aborts with the handle, too. */
  #given<T extends HandleCallOptions>(options: T, operation: string): Given & T {
    if (this.#closed.signal.aborted) {
      const message = "The agent's handle is closed: resume the agent to go on";
      throw new ConfigurationError(message, { code: "closed", operation });
    }
    checkOptions(options, operation);
    const signal = either(either(this.#closed.signal, this.#options.signal), options.signal)!;
    return { ...this.#options, ...present(options), signal };
  }
}

if (Symbol.asyncDispose) {
  Object.defineProperty(SDKAgent.prototype, Symbol.asyncDispose, {
    configurable: true,
    writable: true,
    async value(this: SDKAgent) {
      this.close();
    },
  });
}
