// A session of an SDK's `query()`, or of any messages as objects.

import { ready } from "../engine/instance.js";
import { ConfigurationError } from "../errors/api.js";
import type { RunWarning } from "../messages/types.js";
import { type Normalized, Normalizer } from "./normalizer.js";
import { Pump } from "./pump.js";
import type { SessionSource } from "./source.js";
import type { ContextUsage, QueryLike, SDKUserMessage, SlashCommand, UserMessageLike } from "./types.js";

/** The ways to control a session; those that are missing cannot be used, or tell nothing. */
export interface SessionControls {
  interrupt?: (() => Promise<unknown>) | undefined;
  close?: (() => void) | undefined;
  supportedCommands?: (() => Promise<SlashCommand[]>) | undefined;
  contextUsage?: (() => Promise<ContextUsage | null>) | undefined;
}

/** How a source is read. */
export interface ReadOptions {
  maxEventBytes: number;
  warn: (warning: RunWarning) => void;
}

/** What a query can do, under the names of a session's. */
export function controlsOf(query: QueryLike): SessionControls {
  return {
    interrupt: query.interrupt && (() => query.interrupt!()),
    close: query.close && (() => query.close!()),
    supportedCommands: query.supportedCommands && (() => query.supportedCommands!()),
    // The whole answer would be counted by the API; people look at the percentage.
    contextUsage: query.getContextUsage && (() => query.getContextUsage!({ detail: "summary" })),
  };
}

/** A session that is controlled by functions. */
export abstract class ControlledSource implements SessionSource {
  readonly #controls: SessionControls;
  #pump: Pump | undefined;
  /** A message could not be sent. */
  #unsent: { error: unknown } | undefined;
  #tellUnsent: (() => void) | undefined;
  protected isClosed = false;

  constructor(controls: SessionControls) {
    this.#controls = controls;
  }

  /** The next of what is read. */
  protected abstract read(): Promise<Normalized | undefined>;

  next(): Promise<Normalized | undefined> {
    return new Promise((resolve, reject) => {
      this.#tellUnsent = () => {
        if (this.#unsent) reject(this.#unsent.error);
      };
      this.#tellUnsent();
      this.read().then(resolve, reject);
    });
  }

  /** Sends what the prompt gives. */
  send(prompt: string | AsyncIterable<UserMessageLike>, send: (message: SDKUserMessage) => unknown): void {
    this.#pump = new Pump(prompt, send, (failure) => {
      this.#unsent = failure;
      this.#tellUnsent?.();
    });
  }

  /** Lets go of what is read. */
  protected abstract letGo(hasClosed: boolean): void;

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#pump?.stop();
    const { close } = this.#controls;
    try {
      close?.();
    } catch {
      // Whatever it is, the session is over.
    }
    this.letGo(close !== undefined);
  }

  async interrupt(): Promise<unknown> {
    if (this.isClosed) return undefined;
    const { interrupt } = this.#controls;
    if (interrupt) return interrupt();
    throw new ConfigurationError("This session cannot be interrupted: it was given no way to do that", {
      code: "not_supported",
      operation: "run.interrupt",
    });
  }

  async supportedCommands(): Promise<SlashCommand[]> {
    return (this.isClosed ? undefined : await this.#controls.supportedCommands?.()) ?? [];
  }

  async contextUsage(): Promise<ContextUsage | null> {
    try {
      const usage = this.isClosed ? undefined : await this.#controls.contextUsage?.();
      if (!usage) return null;
      const { percentage, totalTokens, maxTokens } = usage;
      return { percentage, totalTokens, maxTokens };
    } catch {
      return null;
    }
  }
}

/** Messages as objects, pulled one by one. */
export class ObjectSource extends ControlledSource {
  readonly #messages: AsyncIterator<unknown>;
  readonly #options: ReadOptions;
  #normalizer: Normalizer | undefined;

  constructor(messages: AsyncIterator<unknown>, controls: SessionControls, options: ReadOptions) {
    super(controls);
    this.#messages = messages;
    this.#options = options;
  }

  protected async read(): Promise<Normalized | undefined> {
    const engine = await ready();
    if (this.isClosed) return undefined;
    const { maxEventBytes, warn } = this.#options;
    this.#normalizer ??= new Normalizer(engine, true, maxEventBytes, warn);
    for (;;) {
      const { done, value } = await this.#messages.next();
      if (done || this.isClosed) {
        this.#normalizer.free();
        return undefined;
      }
      const made = this.#normalizer.object(value);
      if (made.events.length > 0 || made.failure) return made;
    }
  }

  protected letGo(hasClosed: boolean): void {
    // One that closes itself ends what it gives.
    if (!hasClosed) Promise.resolve(this.#messages.return?.()).catch(() => {});
  }
}

/** What gives messages one by one, in engines too whose streams cannot be iterated. */
export function iteratorOf(messages: unknown): AsyncIterator<unknown> | undefined {
  const { [Symbol.asyncIterator]: iterate, getReader } = messages as Partial<
    AsyncIterable<unknown> & ReadableStream<unknown>
  >;
  if (typeof iterate === "function") return iterate.call(messages as AsyncIterable<unknown>);
  if (typeof getReader !== "function") return undefined;
  const reader = (messages as ReadableStream<unknown>).getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}
