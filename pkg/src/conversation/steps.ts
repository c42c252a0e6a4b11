// Frames of a run → steps as they become complete, and where turns begin.

import { warningOf } from "../messages/build.js";
import type { RunWarning } from "../messages/types.js";
import { usageIn } from "../messages/usage.js";
import type { RunEvent } from "../messages/wire.js";
import type { OtherToolCall } from "./tool-calls.js";
import type {
  AssistantMessageStep,
  ConversationStep,
  InteractionUpdate,
  ThinkingMessageStep,
} from "./types.js";

/** Is told what a conversation is made of, in order. */
export interface StepSink {
  /** A step is complete. */
  step(step: ConversationStep): void;
  /** A turn begins with this. */
  turn(userMessage: { text: string }): void;
  /** Forget all of it: it comes again from here on, in more detail. */
  restart(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: data as the service sent it; what is used of it is checked
type Sent = any;

/** A step that text is added to. */
type Growing = AssistantMessageStep | ThinkingMessageStep;

const ASSISTANT = "assistantMessage";
const THINKING = "thinkingMessage";

/**
 * Makes steps of a run's frames. A service may send what the agent does twice: as updates, and as simplified frames
 * (`assistant`, `thinking`, `tool_call`, `user`). Updates say more, so simplified frames count only until the first
 * update that says what they say.
 */
export class StepMaker {
  readonly #sink: StepSink;
  readonly #warn: (warning: RunWarning) => void;
  /** What goes on growing. */
  #open: Growing | undefined;
  /** Only simplified frames have said anything so far. */
  isSimple = true;

  constructor(sink: StepSink, warn: (warning: RunWarning) => void) {
    this.#sink = sink;
    this.#warn = warn;
  }

  /** Takes a frame; gives the update that it is, if it is one. */
  push(frame: RunEvent): InteractionUpdate | undefined {
    const { type } = frame;
    const data: Sent = frame.data;
    // A payload that is wrapped in something has no type, and is no update.
    if (type === "interaction_update" && typeof data?.type === "string") {
      const fault = this.#update(data);
      if (!fault) return data;
      const excerpt = JSON.stringify(data).slice(0, 256);
      this.#warn(warningOf(["invalid_shape", type, frame.id ?? "", fault, excerpt]));
    } else if (this.isSimple) this.#simple(type, data);
    return undefined;
  }

  /** What has grown so far is a step of its own. */
  flush(): void {
    const step = this.#open;
    this.#open = undefined;
    if (step) this.#sink.step(step);
  }

  /** Takes an update; gives the member that is not as documented, if a step cannot be made for that. */
  #update(update: Sent): string | undefined {
    switch (update.type) {
      case "text-delta":
      case "thinking-delta":
        if (typeof update.text !== "string") return "text";
        this.#detail();
        this.#grow(update.type === "text-delta" ? ASSISTANT : THINKING, update.text);
        break;
      case "thinking-completed":
        if (typeof update.thinkingDurationMs !== "number") return "thinkingDurationMs";
        if (this.#open?.type === THINKING) {
          this.#open.message.thinkingDurationMs = update.thinkingDurationMs;
          this.flush();
        }
        break;
      case "user-message-appended": {
        const text = textOf(update.userMessage) ?? textOf(update);
        if (text === undefined) return "userMessage";
        // One that comes as content blocks is given the form that is documented.
        update.userMessage = { ...update.userMessage, text };
        this.#detail();
        this.#turn(text);
        break;
      }
      case "partial-tool-call":
      case "tool-call-started":
      case "tool-call-completed":
        if (typeof update.toolCall?.type !== "string") return "toolCall";
        this.#detail();
        this.flush();
        if (update.type === "tool-call-completed") {
          this.#sink.step({ type: "toolCall", message: update.toolCall });
        }
        break;
      case "turn-ended":
        if (update.usage && !usageIn(update.usage)) return "usage";
    }
    return undefined;
  }

  /** An update says what a simplified frame says, too. */
  #detail(): void {
    if (!this.isSimple) return;
    this.isSimple = false;
    this.#open = undefined;
    this.#sink.restart();
  }

  #simple(type: RunEvent["type"], data: Sent): void {
    const text = textOf(data);
    if (type === "assistant") this.#grow(ASSISTANT, text ?? "");
    else if (type === "thinking") {
      const { message } = this.#grow(THINKING, text ?? "") as ThinkingMessageStep;
      const duration = data?.thinking_duration_ms ?? data?.thinkingDurationMs;
      if (typeof duration === "number") message.thinkingDurationMs = duration;
    } else if (type === "user") {
      if (text !== undefined) this.#turn(text);
    } else if (type === "tool_call") {
      this.flush();
      const { name, args, result, status } = data ?? {};
      if (status !== "completed" && status !== "error") return;
      const message = { type: name ?? "unknown" } as OtherToolCall;
      if (args !== undefined) message.args = args;
      // As updates have it.
      if (status === "error") {
        message.result = {
          status,
          error: result instanceof Object ? result : { message: `${result ?? ""}` },
        };
      } else if (result !== undefined) message.result = { status: "success", value: result };
      this.#sink.step({ type: "toolCall", message });
    }
  }

  #turn(text: string): void {
    this.flush();
    this.#sink.turn({ text });
  }

  #grow(type: Growing["type"], text: string): Growing {
    let step = this.#open;
    if (!step || step.type !== type) {
      this.flush();
      step = { type, message: { text: "" } } as Growing;
      this.#open = step;
    }
    step.message.text += text;
    return step;
  }
}

/** The text of a message: its own, or that of its content, which is a text or blocks of it. */
function textOf(message: Sent): string | undefined {
  if (typeof message?.text === "string") return message.text;
  const content = message?.message?.content ?? message?.content;
  if (!Array.isArray(content)) return typeof content === "string" ? content : undefined;
  return content.map((block) => textOf(block) ?? "").join("");
}
