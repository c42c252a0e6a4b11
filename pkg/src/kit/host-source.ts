// A session with a host (`runwire/host`), over HTTP: docs/session-protocol.md.

import { type Answer, callWith } from "../api/call.js";
import { ConfigurationError, type CursorSdkError, UnknownAgentError } from "../errors/api.js";
import type { RunWarning } from "../messages/types.js";
import type { Consumer } from "../run/consumer.js";
import { RunCore } from "../run/core.js";
import { checkOptions, type FollowOptions } from "../run/follow-options.js";
import type { ConnectionInfo } from "../run/line.js";
import { Listeners } from "../run/listeners.js";
import type { RequestOptions } from "../run/transport.js";
import { buildHostFrames, type HostFrame } from "./host-frames.js";
import type { Normalized } from "./normalizer.js";
import { Pump } from "./pump.js";
import type { SessionOptions } from "./run-query.js";
import type { SessionSource } from "./source.js";
import type { AgentEvent, ContextUsage, SDKUserMessage, SlashCommand, UserMessageLike } from "./types.js";

/** A session with a host. Nothing of `Cursor.configure` applies to it, and no key of the environment is sent. */
export interface HostOptions extends SessionOptions, Omit<RequestOptions, "baseUrl">, FollowOptions {
  /** Where the host is: an address, or a path of the page's own origin. */
  url: string | URL;
  /** A session that there is, to be joined: its `sessionId`; with an empty prompt as a guest. @defaultValue a new one */
  session?: string | undefined;
  /** With `session`: goes on where the reader was whose `resumeToken` this is. @defaultValue at its start */
  from?: string | undefined;
  /** Called when the connection changes. */
  onConnection?: ((connection: ConnectionInfo) => void) | undefined;
  query?: undefined;
  messages?: undefined;
}

/** Tries for as long as the events are waited for. */
const ATTEMPTS = 1_000_000;

const operation = "runQuery";

/** Follows the session's events, and posts what is said to it. */
export class HostSource implements SessionSource {
  readonly #options: HostOptions;
  readonly #prompt: string | AsyncIterable<UserMessageLike>;
  readonly #warn: (warning: RunWarning) => void;
  #id: Promise<string> | undefined;
  #consumer: Consumer<HostFrame | undefined> | undefined;
  #pump: Pump | undefined;
  /** Which frames the events of the last batch were. */
  #frames: number[] = [];
  #failure: { error: unknown } | undefined;
  #closed = false;

  constructor(
    prompt: string | AsyncIterable<UserMessageLike>,
    options: HostOptions,
    warn: (warning: RunWarning) => void,
  ) {
    const { url, ...rest } = options;
    checkOptions({ ...rest, baseUrl: url }, operation);
    if (options.session !== undefined && typeof prompt === "string" && prompt !== "") {
      const message =
        "A session that is joined takes no prompt: pass createInputQueue().iterable, and push into it";
      throw new ConfigurationError(message, { code: "invalid_option", operation });
    }
    this.#prompt = prompt;
    this.#options = options;
    this.#warn = warn;
  }

  get sessionId(): Promise<string> {
    this.#id ??= this.#open();
    this.#id.catch(() => {});
    return this.#id;
  }

  async next(): Promise<Normalized | undefined> {
    await this.sessionId;
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const frames = await this.#consumer?.next();
      if (!frames) return undefined;
      const events: AgentEvent[] = [];
      this.#frames = [];
      for (const [at, frame] of frames.entries()) {
        if (frame?.event) {
          this.#frames.push(at + 1);
          events.push(frame.event);
        } else if (frame?.failed !== undefined) {
          const failure = new UnknownAgentError(frame.failed, { code: "session_failed", operation });
          return { events, failure };
        }
      }
      if (events.length > 0) return { events };
    }
  }

  token(read: number): string {
    if (!this.#consumer) return this.#options.from ?? "";
    return this.#consumer.token(read < this.#frames.length ? (this.#frames[read - 1] ?? 0) : undefined);
  }

  close(): void {
    if (this.#closed) return;
    const isThere = this.#id !== undefined || this.#options.session !== undefined;
    this.leave();
    if (isThere) this.#post("/close").catch(() => {});
  }

  leave(): void {
    this.#closed = true;
    this.#pump?.stop();
    this.#consumer?.close();
  }

  async interrupt(): Promise<unknown> {
    // A session that has not begun has nothing to interrupt.
    if (!this.#id && this.#options.session === undefined) return undefined;
    // Sent again when the turn is over, it must not stop the next one.
    return (await this.#post("/interrupt", { clientId: crypto.randomUUID() }))?.result;
  }

  async supportedCommands(): Promise<SlashCommand[]> {
    return this.#closed ? [] : ((await this.#ask("/commands", "items")).items as SlashCommand[]);
  }

  async contextUsage(): Promise<ContextUsage | null> {
    try {
      return this.#closed ? null : ((await this.#ask("/context")).usage ?? null);
    } catch {
      return null;
    }
  }

  async #open(): Promise<string> {
    const { url, session, from, onConnection, signal, ...rest } = this.#options;
    const options = this.#requestOptions();
    let id = session;
    if (id === undefined) {
      const prompt = typeof this.#prompt === "string" ? this.#prompt : undefined;
      const body = JSON.stringify({ clientId: crypto.randomUUID(), prompt });
      id = String(
        (await callWith(options, { method: "POST", path: "/sessions", body, operation, has: "id" })).id,
      );
    }
    if (this.#closed) return id;
    const listeners = new Listeners<ConnectionInfo>(this.#warn);
    if (onConnection) listeners.add(onConnection);
    const core = new RunCore(
      { ...rest, ...options, agentId: "", runId: "", place: place(id), warn: this.#warn },
      { outcome: () => {}, link: (info) => listeners.tell(info) },
    );
    // There is no handle that could be used again.
    core.abandon();
    this.#consumer = core.consumer({ token: from || undefined, build: buildHostFrames });
    if (typeof this.#prompt !== "string") {
      this.#pump = new Pump(
        this.#prompt,
        (message) => this.#send(message),
        (failure) => (failure ? this.#fail(failure) : this.#post("/end")),
      );
    }
    return id;
  }

  /** Posts a message; sent again, it is known by its id. */
  async #send({ uuid = crypto.randomUUID(), message: { content } }: SDKUserMessage): Promise<void> {
    const said = typeof content === "string" ? { text: content } : { content };
    const { retry } = this.#options;
    const options = { ...this.#requestOptions(), retry: { attempts: ATTEMPTS, ...retry } };
    try {
      await this.#post("/messages", { clientId: uuid, ...said }, options);
    } catch (error) {
      // The end of the session is told by its events.
      if ((error as CursorSdkError).code !== "session_over") throw error;
    }
  }

  #fail(failure: { error: unknown }): void {
    this.#failure = failure;
    this.#consumer?.close(failure);
  }

  /** What goes to the host, and to nobody else. */
  #requestOptions() {
    const {
      url,
      apiKey = "",
      auth,
      headers,
      credentials,
      fetch,
      onRequest,
      retry,
      lastEventIdIn,
    } = this.#options;
    return {
      baseUrl: String(url),
      apiKey,
      auth,
      headers,
      credentials,
      fetch,
      onRequest,
      retry,
      lastEventIdIn,
    };
  }

  async #ask(below: string, has?: string): Promise<Answer> {
    const path = place(await this.sessionId) + below;
    return callWith(this.#requestOptions(), { method: "GET", path, operation, has });
  }

  async #post(below: string, body: object = {}, options = this.#requestOptions()): Promise<Answer> {
    const path = place(await this.sessionId) + below;
    return callWith(options, { method: "POST", path, body: JSON.stringify(body), operation });
  }
}

function place(id: string): string {
  return `/sessions/${encodeURIComponent(id)}`;
}
