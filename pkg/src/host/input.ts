// What the user of a session says, until the agent takes it.

import { createInputQueue } from "../kit/input-queue.js";
import type { SDKUserMessage } from "../kit/types.js";

export class SessionInput {
  readonly #queue = createInputQueue();
  /** Pushed, and not yet read by the agent. */
  #unread = 0;
  /** Read by the agent since a turn last ended. */
  #read = 0;
  #ended = false;
  /** For the agent: one consumer. */
  readonly iterable: AsyncIterable<SDKUserMessage>;

  constructor() {
    const source = this.#queue.iterable[Symbol.asyncIterator]();
    const iterator: AsyncIterator<SDKUserMessage> = {
      next: async () => {
        const result = await source.next();
        if (!result.done) {
          this.#unread--;
          this.#read++;
        }
        return result;
      },
      return: async () => {
        await source.return?.();
        this.end();
        return { done: true, value: undefined };
      },
    };
    this.iterable = { [Symbol.asyncIterator]: () => iterator };
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * How many messages no turn has taken up. Agents read ahead of their turns: of what was read, one is what the turn is
   * about. How many the next turn takes up is the agent's to decide, so with a turn's end all that was read counts.
   */
  get pending(): number {
    return this.#unread + Math.max(0, this.#read - 1);
  }

  push(content: string | unknown[]): void {
    this.#unread++;
    this.#queue.push(
      typeof content === "string"
        ? content
        : { type: "user", message: { role: "user", content }, parent_tool_use_id: null },
    );
  }

  turnEnded(): void {
    this.#read = 0;
  }

  /** No more comes; what was pushed is still read. */
  end(): void {
    this.#ended = true;
    this.#queue.end();
  }
}
