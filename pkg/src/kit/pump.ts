// A prompt's messages, handed on one after another.

import { messageOf } from "./input-queue.js";
import type { SDKUserMessage, UserMessageLike } from "./types.js";

/** Hands on what a prompt gives, until it ends or nobody wants more. */
export class Pump {
  readonly #messages: AsyncIterator<UserMessageLike> | undefined;
  #stopped = false;

  /**
   * @param send takes a message; the next one waits for it
   * @param done is told that no more come, or why one could not be handed on
   */
  constructor(
    prompt: string | AsyncIterable<UserMessageLike>,
    send: (message: SDKUserMessage) => unknown,
    done: (failure?: { error: unknown }) => unknown,
  ) {
    if (typeof prompt !== "string") this.#messages = prompt[Symbol.asyncIterator]();
    const failed = (error: unknown) => {
      if (!this.#stopped) done({ error });
    };
    this.#run(prompt, send, done).catch(failed);
  }

  async #run(
    prompt: string | AsyncIterable<UserMessageLike>,
    send: (message: SDKUserMessage) => unknown,
    done: () => unknown,
  ): Promise<void> {
    if (typeof prompt === "string") await send(messageOf(prompt));
    while (this.#messages) {
      const { done, value } = await this.#messages.next();
      if (done || this.#stopped) break;
      await send(messageOf(value));
    }
    if (!this.#stopped) await done();
  }

  stop(): void {
    this.#stopped = true;
    Promise.resolve(this.#messages?.return?.()).catch(() => {});
  }
}
