// createInputQueue: what the user says, for as long as the session lasts.

import { type ModeControl, PlanNotice } from "./mode-control.js";
import type { SDKUserMessage, UserMessageLike } from "./types.js";

/** Messages to a session. */
export interface InputQueue {
  /** The prompt of a session: for one reader. It ends when {@link end} is called, never by itself. */
  readonly iterable: AsyncIterable<SDKUserMessage>;
  /** Adds a message, also before anybody reads; ignored after {@link end}. */
  push(text: string | UserMessageLike): void;
  /** No more will come. What was pushed is still read. */
  end(): void;
}

export interface InputQueueOptions {
  /** Puts a notice before the first message after plan mode has begun or ended. */
  modeControl?: ModeControl | undefined;
}

const queues = new WeakMap<object, InputQueue>();

/** The queue that a prompt is of. */
export function queueOf(prompt: unknown): InputQueue | undefined {
  return typeof prompt === "object" && prompt ? queues.get(prompt) : undefined;
}

/**
 * A source of user messages that stays open.
 *
 * @example
 * ```ts
 * const queue = createInputQueue();
 * const run = runQuery(queue.iterable, { query });
 * queue.push("What does this repository do?");
 * for await (const event of run.turn()) show(event);
 * ```
 */
export function createInputQueue({ modeControl }: InputQueueOptions = {}): InputQueue {
  const plan = new PlanNotice();
  const held: SDKUserMessage[] = [];
  const readers: ((result: IteratorResult<SDKUserMessage, undefined>) => void)[] = [];
  let ended = false;

  /** Asked when a message is pushed: it is told of the mode in which it was said. */
  function takeNotice(): string | undefined {
    if (!modeControl) return undefined;
    return modeControl.takeNotice ? modeControl.takeNotice() : plan.take(modeControl.mode);
  }

  function give(): void {
    while (readers.length > 0 && (held.length > 0 || ended)) {
      const value = held.shift();
      readers.shift()!(value ? { done: false, value } : { done: true, value: undefined });
    }
  }

  function end(): void {
    ended = true;
    give();
  }

  const iterator: AsyncIterableIterator<SDKUserMessage, undefined> = {
    next: () =>
      new Promise((resolve) => {
        readers.push(resolve);
        give();
      }),
    async return() {
      held.length = 0;
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  const queue: InputQueue = {
    iterable: iterator,
    push(message) {
      if (ended) return;
      held.push(withNotice(messageOf(message), takeNotice()));
      give();
    },
    end,
  };
  queues.set(iterator, queue);
  return queue;
}

/** A text as the message that it is. */
export function messageOf(message: string | UserMessageLike): SDKUserMessage {
  if (typeof message !== "string") return message as SDKUserMessage;
  return { type: "user", message: { role: "user", content: message }, parent_tool_use_id: null };
}

function withNotice(whole: SDKUserMessage, notice: string | undefined): SDKUserMessage {
  if (!notice) return whole;
  const { content } = whole.message;
  const told =
    typeof content === "string" ? `${notice}\n\n${content}` : [{ type: "text", text: notice }, ...content];
  return { ...whole, message: { ...whole.message, content: told } };
}
