// runQuery: a session of an agent, or one prompt to it, as events.

import { ConfigurationError } from "../errors/api.js";
import { guardedWarn } from "../messages/decoder.js";
import type { RunWarning } from "../messages/types.js";
import { checkOptions } from "../run/follow-options.js";
import { maxEventBytesOf } from "../sse/decoder.js";
import { BodySource } from "./body-source.js";
import { SessionEvents } from "./events.js";
import { HostSource, type HostOptions } from "./host-source.js";
import { queueOf } from "./input-queue.js";
import {
  type ControlledSource,
  controlsOf,
  iteratorOf,
  ObjectSource,
  type ReadOptions,
  type SessionControls,
} from "./query-source.js";
import type { SessionSource } from "./source.js";
import type {
  AgentRun,
  AgentTurn,
  ContextUsage,
  QueryFunction,
  SDKUserMessage,
  SlashCommand,
  UserMessageLike,
} from "./types.js";

/** What all sessions can be given. */
export interface SessionOptions {
  /** Stops reading: whoever waits for an event gets the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The longest message that is accepted, in bytes. @defaultValue 16 MiB */
  maxEventBytes?: number | undefined;
  /** Called when something was not as it should be and the session went on. */
  onWarning?: ((warning: RunWarning) => void) | undefined;
}

/** A session of an SDK's `query()`, which the options that are not ours go to. */
export type QueryOptions<Q extends QueryFunction = QueryFunction> = SessionOptions & {
  query: Q;
  url?: undefined;
  messages?: undefined;
} & Omit<OptionsOf<Q>, keyof SessionOptions | "query">;

/** What a function takes: perhaps none, nor any parameter; of `any`, any. */
type OptionsOf<Q extends QueryFunction, P = Parameters<Q>[0]> = unknown extends P
  ? Record<string, unknown>
  : P extends { options?: infer O }
    ? NonNullable<O>
    : unknown;

/** A session whose messages come from elsewhere, as objects or as the body of an answer. */
export interface MessagesOptions extends SessionOptions, SessionControls {
  /** The SDK's messages; of an answer the body, as an event stream or as lines of JSON. */
  messages: AsyncIterable<unknown> | ReadableStream<unknown> | Response;
  /** Takes each message of the prompt, one after another. */
  send?: ((message: SDKUserMessage) => unknown) | undefined;
  query?: undefined;
  url?: undefined;
}

// The last one is what compilers complain about: the most usual.
/** Starts a session with a host (`url`), or of messages that come from elsewhere (`messages`). */
export function runQuery(
  prompt: string | AsyncIterable<UserMessageLike>,
  options: HostOptions | MessagesOptions,
): AgentRun;
/**
 * Starts an agent's session, or has it answer one prompt. Nothing is pulled before it is read.
 *
 * @param prompt a string is one turn, and the events end; an async iterable of messages is a session, as from
 * `createInputQueue().iterable`
 * @param options where the agent is: `query`, a function of the shape of an SDK's; `url`, a host's address
 * (`runwire/host`); or `messages`, whatever gives them
 * @throws ConfigurationError when none of the three is given, and what `query` throws
 *
 * @example
 * ```ts
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * const run = runQuery("Fix the failing test", { query, includePartialMessages: true });
 * for await (const event of run.events) if (event.type === "text") process.stdout.write(event.text);
 * ```
 */
export function runQuery<Q extends QueryFunction>(
  prompt: string | AsyncIterable<UserMessageLike>,
  options: QueryOptions<Q>,
): AgentRun;
export function runQuery(
  prompt: string | AsyncIterable<UserMessageLike>,
  options: QueryOptions | HostOptions | MessagesOptions,
): AgentRun {
  const { signal, onWarning, maxEventBytes } = options ?? {};
  checkOptions({ signal, onWarning, maxEventBytes }, "runQuery");
  const read = { maxEventBytes: maxEventBytesOf(maxEventBytes), warn: guardedWarn(onWarning) };
  const source = sourceOf(prompt, options, read);
  // Who joins a session without a word is its guest.
  const isOneShot = typeof prompt === "string" && (options as HostOptions).session === undefined;
  return new Session(prompt, source, isOneShot, signal);
}

const THREE =
  "runQuery needs to know where the agent is: { query } with an SDK's query function, { url } with the address " +
  "of a session host, or { messages } with an async iterable, a ReadableStream or a Response of its messages";

function sourceOf(
  prompt: string | AsyncIterable<UserMessageLike>,
  options: QueryOptions | HostOptions | MessagesOptions,
  read: ReadOptions,
): SessionSource {
  const { signal, onWarning, maxEventBytes, query, url, messages, ...rest } = options ?? {};
  if (typeof prompt !== "string" && typeof prompt?.[Symbol.asyncIterator] !== "function") {
    wrong("The prompt is a string, or an async iterable of messages such as createInputQueue().iterable");
  }
  if (typeof query === "function") {
    const made = query({ prompt, options: rest });
    const iterator =
      iteratorOf(made ?? {}) ?? wrong("query() gave no messages: it must give an async iterable");
    return new ObjectSource(iterator, controlsOf(made), read);
  }
  if (url !== undefined) return new HostSource(prompt, options as HostOptions, read.warn);
  if (typeof messages !== "object" || !messages) return wrong(THREE);
  const { send, ...controls } = options as MessagesOptions;
  let source: ControlledSource;
  if (typeof (messages as Response).headers?.get === "function") {
    source = new BodySource(messages as Response, controls, read);
  } else {
    source = new ObjectSource(iteratorOf(messages) ?? wrong(THREE), controls, read);
  }
  if (send) source.send(prompt, send);
  return source;
}

function wrong(message: string): never {
  throw new ConfigurationError(message, { code: "invalid_option", operation: "runQuery" });
}

class Session implements AgentRun {
  readonly events: SessionEvents;
  readonly #source: SessionSource;
  readonly #prompt: unknown;
  #closed = false;
  /** Turns that are asked for, one after another. */
  #asked: Promise<unknown> = Promise.resolve();

  constructor(prompt: unknown, source: SessionSource, isOneShot: boolean, signal: AbortSignal | undefined) {
    this.#prompt = prompt;
    this.#source = source;
    this.events = new SessionEvents(source, isOneShot, signal);
  }

  get sessionId(): Promise<string> | undefined {
    return this.#source.sessionId;
  }

  get resumeToken(): string | undefined {
    return this.#source.token?.(this.events.read);
  }

  async *turn(): ReturnType<AgentRun["turn"]> {
    for (;;) {
      const { done, value } = await this.events.next();
      if (done) return;
      yield value;
      if (value.type === "turn-end") return;
    }
  }

  ask(text: string): Promise<AgentTurn> {
    const turn = this.#asked.then(async () => {
      const queue = queueOf(this.#prompt);
      if (!queue) wrong("ask() needs a session of createInputQueue().iterable, which it pushes into");
      queue.push(text);
      const turn: AgentTurn = { events: [], text: "" };
      for await (const event of this.turn()) {
        turn.events.push(event);
        if (event.type === "text") turn.text += event.text;
        else if (event.type === "turn-end") turn.end = event;
      }
      return turn;
    });
    this.#asked = turn.catch(() => {});
    return turn;
  }

  interrupt(): Promise<unknown> {
    const done = this.#closed ? Promise.resolve(undefined) : this.#source.interrupt();
    // `void run.interrupt()` in a signal handler must not end the program.
    done.catch(() => {});
    return done;
  }

  close(): void {
    this.#closed = true;
    this.events.close();
  }

  supportedCommands(): Promise<SlashCommand[]> {
    return this.#source.supportedCommands();
  }

  contextUsage(): Promise<ContextUsage | null> {
    return this.#source.contextUsage();
  }
}
