// One session: an agent at work, what it has said, and who listens.

import type { AgentRun, ContextUsage, SlashCommand } from "../kit/types.js";
import { EventLog } from "./event-log.js";
import { readLog } from "./event-stream.js";
import type { SessionInput } from "./input.js";
import type { Limits } from "./options.js";
import { after } from "./timers.js";

/** What a session is made of. */
export interface SessionParts {
  id: string;
  /** Whose it is. */
  user: string | undefined;
  run: AgentRun;
  /** Absent in a run of one prompt. */
  input: SessionInput | undefined;
  limits: Limits;
  /** Tells the operator of an error, and gives what readers may know of it. */
  describe: (error: unknown) => string;
}

export class Session {
  readonly id: string;
  readonly user: string | undefined;
  readonly #run: AgentRun;
  readonly #input: SessionInput | undefined;
  readonly #limits: Limits;
  readonly #describe: (error: unknown) => string;
  readonly #log: EventLog;
  readonly #clientIds = new Set<string>();
  /** What was answered to interruptions that may be asked for again. */
  readonly #interruptions = new Map<string, Promise<unknown>>();
  readonly #whenOver = new Set<() => void>();
  readonly #pumped: Promise<void>;
  #readers = 0;
  #isOver = false;
  #stayAwake = () => {};

  constructor({ id, user, run, input, limits, describe }: SessionParts) {
    this.id = id;
    this.user = user;
    this.#run = run;
    this.#input = input;
    this.#limits = limits;
    this.#describe = describe;
    this.#log = new EventLog(limits.maxLogBytes);
    this.touch();
    this.#pumped = this.#pump();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get status(): "RUNNING" | "FINISHED" {
    return this.#isOver ? "FINISHED" : "RUNNING";
  }

  get readers(): number {
    return this.#readers;
  }

  get log(): Pick<EventLog, "last" | "dropped"> {
    return this.#log;
  }

  /** Calls back once when the session is over. */
  onOver(callback: () => void): void {
    this.#whenOver.add(callback);
  }

  /** Something was asked of the session: it is not idle. */
  touch(): void {
    this.#stayAwake();
    if (this.#isOver || this.#readers > 0) return;
    this.#stayAwake = after(this.#limits.idleMs, () => this.close());
  }

  /** A stream of what comes after a frame, or of all that is kept. */
  read(afterId: number | undefined, signal: AbortSignal): ReadableStream<Uint8Array> {
    this.#readers++;
    this.touch();
    return readLog(this.#log, {
      after: afterId,
      heartbeatMs: this.#limits.heartbeatMs,
      signal,
      onGone: () => {
        this.#readers--;
        this.touch();
      },
    });
  }

  /** Gives the agent a message, once for each client id. */
  push(clientId: string, content: string | unknown[]): "accepted" | "over" | "full" {
    if (this.#clientIds.has(clientId)) return "accepted";
    const input = this.#input;
    if (this.#isOver || !input || input.ended) return "over";
    if (input.pending >= this.#limits.maxPending) return "full";
    this.#clientIds.add(clientId);
    this.#forgetOldest(this.#clientIds);
    input.push(content);
    return "accepted";
  }

  /** No more messages; those that were pushed are handled. */
  endInput(): void {
    this.#input?.end();
  }

  /** Stops the turn; gives what the agent says to that. Once for each client id: later, it would be another turn. */
  interrupt(clientId: string | undefined): Promise<unknown> {
    const interrupt = () => this.#whileOn(() => this.#run.interrupt(), undefined);
    if (clientId === undefined) return interrupt();
    const known = this.#interruptions.get(clientId);
    if (known) return known;
    const asked = interrupt();
    this.#interruptions.set(clientId, asked);
    this.#forgetOldest(this.#interruptions);
    // What was refused may be asked for again.
    asked.catch(() => this.#interruptions.delete(clientId));
    return asked;
  }

  #forgetOldest(ids: Set<string> | Map<string, unknown>): void {
    if (ids.size <= this.#limits.maxClientIds) return;
    const [oldest] = ids.keys();
    ids.delete(oldest!);
  }

  commands(): Promise<SlashCommand[]> {
    return this.#whileOn(() => this.#run.supportedCommands(), []);
  }

  contextUsage(): Promise<ContextUsage | null> {
    return this.#whileOn(() => this.#run.contextUsage(), null);
  }

  /** Ends the session at once. Its readers get what it has said, and its end. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stayAwake();
    this.#input?.end();
    this.#run.close();
    this.#log.end();
    for (const callback of this.#whenOver) callback();
    this.#whenOver.clear();
  }

  /** Closes it, and waits until the agent's events have ended. */
  async closed(): Promise<void> {
    this.close();
    await this.#pumped;
  }

  /** Takes the agent's events as they come, whether or not somebody reads. */
  async #pump(): Promise<void> {
    try {
      for await (const event of this.#run.events) {
        if (this.#isOver) break;
        if (event.type === "turn-end") this.#input?.turnEnded();
        this.#log.append(event);
        this.touch();
      }
    } catch (error) {
      const message = this.#describe(error);
      if (!this.#isOver) this.#log.append({ message }, "failed");
    }
    this.close();
  }

  /** What the agent answers, or `otherwise` when the session is over: an agent that is gone need not answer. */
  #whileOn<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
    if (this.#isOver) return Promise.resolve(otherwise);
    return new Promise((resolve, reject) => {
      const over = () => resolve(otherwise);
      this.#whenOver.add(over);
      ask()
        .then(resolve, reject)
        .finally(() => this.#whenOver.delete(over));
    });
  }
}
