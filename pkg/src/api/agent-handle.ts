// An agent's handle: what it is told, and what it has made.

import { ConfigurationError } from "../errors/api.js";
import type { RunCore } from "../run/core.js";
import { checkOptions } from "../run/follow-options.js";
import { type Run, type RunRecord, runOf } from "../run/run.js";
import { unlessAborted } from "../run/transport.js";
import { agentPath, type CallSpec, call } from "./call.js";
import { cloudOnly, createBody, followUpBody } from "./create-body.js";
import { present } from "./defaults.js";
import { download } from "./artifact.js";
import { infoOf, usageOf } from "./info.js";
import { type Launch, launch } from "./launch.js";
import type {
  AgentOptions,
  AgentUsage,
  ModelSelection,
  SDKAgentInfo,
  SDKArtifact,
  SDKUserMessageInput,
  SendOptions,
} from "./types.js";

/** What a call of a handle's may be given. */
export interface HandleCallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

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
    this.#requireOpen(operation);
    checkOptions(options, operation);
    cloudOnly(options, operation);
    const begun = Date.now();
    const given = this.#given(options);
    // One after the other: what one has started must not pass for what another has.
    const before = this.#sending;
    let end!: () => void;
    this.#sending = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await unlessAborted(before, given.signal);
      if (this.#exists) await this.#lookBefore(options);
      if (given.timeoutMs !== undefined)
        given.timeoutMs = Math.max(0, given.timeoutMs - (Date.now() - begun));
      return await (this.#exists
        ? this.#followUp(message, options, given)
        : this.#create(message, options, given));
    } finally {
      void before.then(end);
    }
  }

  async #create(message: SDKUserMessageInput, options: SendOptions, given: Given): Promise<Run> {
    const body = createBody(this.#agentId, message, this.#options, options);
    const text = JSON.stringify(body);
    const spec: Launch = {
      operation: "agent.send",
      path: "/v1/agents",
      body: text,
      idempotencyKey: options.idempotencyKey ?? this.#options.idempotencyKey ?? crypto.randomUUID(),
      // With `envVars` the service gives the id: what it has done cannot be looked up.
      agentId: body.agentId,
      known: null,
      afterCancel: false,
      // The same again, after it was not known what had become of it.
      doubted: text === this.#doubted,
    };
    this.#doubted = undefined;
    try {
      const { run, agent } = await launch(given, spec);
      this.#exists = true;
      this.#agentId = run.agentId ?? agent?.id ?? this.#agentId;
      if (agent) this.#info = infoOf(agent);
      return this.#started(run, given);
    } finally {
      if (spec.doubted && !this.#exists) this.#doubted = text;
    }
  }

  async #followUp(message: SDKUserMessageInput, options: SendOptions, given: Given): Promise<Run> {
    const known = this.#latest;
    // Unless it is known what becomes of this, the agent's newest run is not known any more.
    this.#latest = undefined;
    const { run } = await launch(given, {
      operation: "agent.send",
      path: `${agentPath(this.#agentId)}/runs`,
      body: JSON.stringify(followUpBody(message, this.#options, options)),
      idempotencyKey: options.idempotencyKey ?? crypto.randomUUID(),
      agentId: this.#agentId,
      known,
      afterCancel: this.#core?.cancelled ?? false,
      doubted: false,
    });
    return this.#started(run, given);
  }

  /** Sees to it that it is known which run is the newest. Where that cannot be, it may still be sent. */
  async #lookBefore(options: HandleCallOptions): Promise<void> {
    if (this.#latest !== undefined) return;
    await this.reload(options).catch(() => this.#given(options).signal.throwIfAborted());
  }

  #started(record: RunRecord, options: Given): Run {
    this.#latest = record.id;
    const { run, core } = runOf(
      record,
      { ...options, agentId: this.#agentId, runId: record.id },
      "agent.send",
    );
    this.#core = core;
    return run;
  }

  /** Reads the agent's record again. */
  async reload(options: HandleCallOptions = {}): Promise<SDKAgentInfo> {
    const info = infoOf(await this.#call({ method: "GET", path: "", operation: "agent.reload" }, options));
    this.#info = info;
    this.#latest = info.latestRunId;
    return info;
  }

  /** What the agent has used; of one run with `runId`. */
  async getUsage(options: HandleCallOptions & { runId?: string | undefined } = {}): Promise<AgentUsage> {
    const query = options.runId === undefined ? "" : `?runId=${encodeURIComponent(options.runId)}`;
    const spec = { method: "GET", path: `/usage${query}`, operation: "agent.getUsage" };
    return usageOf(await this.#call(spec, options));
  }

  /** The files that the agent has made, at most 100. */
  async listArtifacts(options: HandleCallOptions = {}): Promise<SDKArtifact[]> {
    const spec = { method: "GET", path: "/artifacts", operation: "agent.listArtifacts" };
    return (await this.#call(spec, options))?.items ?? [];
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
    const place = `/artifacts/download?path=${encodeURIComponent(path)}`;
    const { url } = await this.#call({ method: "GET", path: place, operation }, options);
    return download(url, this.#given(options), operation, options.stream === true);
  }

  /** Lets go of the handle: its runs' streams end, and nothing can be sent any more. The agent goes on. */
  close(): void {
    this.#core?.release();
    this.#closed.abort(new ConfigurationError("The agent's handle is closed", { code: "closed" }));
  }

  /** {@link close}, for `await using`. Only where the engine has `Symbol.asyncDispose`. */
  declare [Symbol.asyncDispose]: () => Promise<void>;

  // biome-ignore lint/suspicious/noExplicitAny: what the service sends is looked at by who called
  async #call(spec: CallSpec, options: HandleCallOptions): Promise<any> {
    this.#requireOpen(spec.operation);
    return call(this.#given(options), {
      ...spec,
      path: agentPath(this.#agentId) + spec.path,
      agentId: this.#agentId,
    });
  }

  /** The handle's options, those of a call, and a signal that aborts with the handle, too. */
  #given<T extends HandleCallOptions>(options: T): Given & T {
    const signals = [this.#closed.signal, this.#options.signal, options.signal].filter(
      (one) => one !== undefined,
    );
    return { ...this.#options, ...present(options), signal: AbortSignal.any(signals) };
  }

  #requireOpen(operation: string): void {
    if (!this.#closed.signal.aborted) return;
    throw new ConfigurationError("The agent's handle is closed: resume the agent to go on", {
      code: "closed",
      operation,
    });
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
