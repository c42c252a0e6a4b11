// An agent's handle: what it is told, and what it has made.

import { ConfigurationError } from "../errors/api.js";
import { type GetRunOptions, type Run, runOf } from "../run/run.js";
import { agentPath, type CallSpec, call } from "./call.js";
import { createBody, followUpBody } from "./create-body.js";
import { present } from "./defaults.js";
import { download } from "./artifact.js";
import { infoOf, usageOf } from "./info.js";
import { launch } from "./launch.js";
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

/** An agent in the cloud. */
export class SDKAgent {
  readonly #options: AgentOptions;
  #agentId: string;
  /** The agent has been created. */
  #exists: boolean;
  #info: SDKAgentInfo | undefined;
  /** The newest run that is known; `undefined` while nothing is known. */
  #latest: { runId: string | undefined } | undefined;
  /** The run that was started last. */
  #run: Run | undefined;
  readonly #closed = new AbortController();

  /** @internal */
  constructor(agentId: string, options: AgentOptions, exists: boolean) {
    this.#agentId = agentId;
    this.#options = options;
    this.#exists = exists;
    if (!exists) this.#latest = { runId: undefined };
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
    return this.#latest?.runId ?? this.#info?.latestRunId;
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
    this.#requireOpen("agent.send");
    const operation = "agent.send";
    const idempotencyKey =
      options.idempotencyKey ??
      (this.#exists ? undefined : this.#options.idempotencyKey) ??
      crypto.randomUUID();
    const given = this.#given(options);
    if (!this.#exists) {
      const body = createBody(this.#agentId, message, this.#options, options);
      const answer = await launch(given, {
        operation,
        path: "/v1/agents",
        body,
        idempotencyKey,
        // With `envVars` the service gives the id: what it has done cannot be looked up.
        agentId: body.agentId,
        known: { runId: undefined },
      });
      this.#exists = true;
      this.#agentId = answer.run.agentId ?? this.#agentId;
      if (answer.agent) this.#info = infoOf(answer.agent);
      return this.#started(answer.run, given);
    }
    const known = this.#latest ?? { runId: (await this.reload(options)).latestRunId };
    const answer = await launch(given, {
      operation,
      path: `${agentPath(this.#agentId)}/runs`,
      body: followUpBody(message, this.#options, options),
      idempotencyKey,
      agentId: this.#agentId,
      known,
      afterCancel: this.#run?.status === "cancelled",
    });
    return this.#started(answer.run, given);
  }

  #started(record: { id: string }, options: Omit<GetRunOptions, "runtime" | "agentId">): Run {
    this.#latest = { runId: record.id };
    this.#run = runOf(
      record as Parameters<typeof runOf>[0],
      { ...options, agentId: this.#agentId, runId: record.id },
      "agent.send",
    );
    return this.#run;
  }

  /** Reads the agent's record again. */
  async reload(options: HandleCallOptions = {}): Promise<SDKAgentInfo> {
    const info = infoOf(await this.#call({ method: "GET", path: "", operation: "agent.reload" }, options));
    this.#info = info;
    this.#latest = { runId: info.latestRunId };
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
  #given<T extends HandleCallOptions>(options: T): AgentOptions & T {
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
