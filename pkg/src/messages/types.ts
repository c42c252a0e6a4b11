// The messages of `run.stream()`, in the shapes of the official SDK.

/** A run's state as the API names it. The last four are terminal. Other strings may come. */
export type RunState = "CREATING" | "RUNNING" | "FINISHED" | "ERROR" | "CANCELLED" | "EXPIRED";

/** A piece of text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** A tool's use, where the service sends content blocks; never made up of `tool_call` frames. */
export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** What every message has. */
export interface MessageBase {
  /** The agent of the run's handle. */
  agent_id: string;
  /** The run of the handle. */
  run_id: string;
}

/** The run's set-up. */
export interface SDKSystemMessage extends MessageBase {
  type: "system";
  subtype?: "init";
  model?: { id: string; params?: { id: string; value: string }[] };
  tools?: string[];
}

/** What the user said. */
export interface SDKUserMessage extends MessageBase {
  type: "user";
  message: { role: "user"; content: TextBlock[] };
}

/** A piece of the answer: a delta, to be appended to those before. */
export interface SDKAssistantMessage extends MessageBase {
  type: "assistant";
  message: { role: "assistant"; content: (TextBlock | ToolUseBlock)[] };
}

/** A piece of thinking: a delta. */
export interface SDKThinkingMessage extends MessageBase {
  type: "thinking";
  text: string;
  /** How long the thinking took in milliseconds; absent until the service says so. */
  thinking_duration_ms?: number;
}

/** A tool call began or ended; the two have the same `call_id`. */
export interface SDKToolCallMessage extends MessageBase {
  type: "tool_call";
  call_id: string;
  /** The tool's name, `"unknown"` when the service sent none. */
  name: string;
  status: "running" | "completed" | "error";
  /** What the tool was called with; its shape is the tool's. Absent when not sent. */
  args?: unknown;
  /** What the tool gave; its shape is the tool's. Absent while running or when not sent. */
  result?: unknown;
  /** Which of the two the service has cut short. */
  truncated?: { args?: boolean; result?: boolean };
}

/** The run's state, as the service tells it; repeated on a new connection only if it is further along. */
export interface SDKStatusMessage extends MessageBase {
  type: "status";
  status: RunState;
  /** Why, where the service says so. */
  message?: string;
}

/** A request's id. */
export interface SDKRequestMessage extends MessageBase {
  type: "request";
  request_id: string;
}

/** A note about a task. */
export interface SDKTaskMessage extends MessageBase {
  type: "task";
  status?: string;
  text?: string;
}

/** Tokens used. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The sum of the four before. */
  totalTokens: number;
  /** Part of the output; not in the sum. Absent when not reported. */
  reasoningTokens?: number;
}

/** A turn's usage, once a turn. */
export interface SDKUsageMessage extends MessageBase {
  type: "usage";
  usage: TokenUsage;
}

/** A frame of a kind that this version does not know. */
export interface SDKUnknownMessage extends MessageBase {
  type: "unknown";
  /** The frame's name, `"message"` when it had none. */
  event: string;
  /** Its data, parsed where it is JSON, else as text. */
  data: unknown;
}

/** What `run.stream()` gives, told apart by `type`. */
export type SDKMessage =
  | SDKSystemMessage
  | SDKUserMessage
  | SDKAssistantMessage
  | SDKThinkingMessage
  | SDKToolCallMessage
  | SDKStatusMessage
  | SDKRequestMessage
  | SDKTaskMessage
  | SDKUsageMessage
  | SDKUnknownMessage;

/** Something was not as it should be, and the stream went on. */
export type RunWarning = FrameWarning | ResumeWarning | ListenerWarning | CallbacksWarning;

/** A frame could not be understood and was skipped. */
export interface FrameWarning {
  /** `invalid_json`: a frame's data is not JSON. `invalid_shape`: it is, but not as documented. */
  code: "invalid_json" | "invalid_shape";
  /** A sentence for people. */
  message: string;
  /** The frame's name. */
  event: string;
  /** The frame's id, `""` when it had none. */
  id: string;
  /** The start of the frame's data, at most 256 bytes of it. */
  excerpt: string;
}

/** A listener or callback threw; nothing else is affected. */
export interface ListenerWarning {
  /** `listener_threw`: a listener of the handle's. `callback_threw`: `onDelta` or `onStep`. */
  code: "listener_threw" | "callback_threw";
  /** A sentence for people. */
  message: string;
  /** What it threw, or rejected with. */
  error: unknown;
}

/** `onDelta` and `onStep` have not come to the run's end. */
export interface CallbacksWarning {
  /**
   * `callbacks_stalled`: the run is over and they took nothing for 5 s, so `wait()` did not wait for them; they may
   * go on. `callbacks_cut_short`: their stream failed, as `stream()` would have.
   */
  code: "callbacks_stalled" | "callbacks_cut_short";
  /** A sentence for people. */
  message: string;
  /** Why the stream failed. */
  error?: unknown;
}

/** A new connection did not bring what it should have. */
export interface ResumeWarning {
  /**
   * `events_lost`: the service no longer has what follows the last message; messages are missing
   * before the next one. `replay_mismatch`: its replay differs from what was delivered; everything
   * is delivered again from here.
   */
  code: "events_lost" | "replay_mismatch";
  /** A sentence for people. */
  message: string;
  /** The id that was resumed from, `""` when there was none. */
  lastEventId: string;
}
