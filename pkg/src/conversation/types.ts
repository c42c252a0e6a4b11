// What `onDelta`, `onStep` and `conversation()` give, in the shapes of the official SDK.

import type { OtherName, ToolCall } from "./tool-calls.js";

/** A piece of the answer. */
export interface TextDeltaUpdate {
  type: "text-delta";
  text: string;
}

/** A piece of thinking. */
export interface ThinkingDeltaUpdate {
  type: "thinking-delta";
  text: string;
}

/** The agent has thought to the end. */
export interface ThinkingCompletedUpdate {
  type: "thinking-completed";
  thinkingDurationMs: number;
}

/** The user said something: a turn begins. */
export interface UserMessageAppendedUpdate {
  type: "user-message-appended";
  userMessage: {
    text: string;
    /** Absent where the service sends the text alone. */
    type?: "user_message";
    session_id?: string;
    /** `data` is base64. */
    images?: { type: "base64"; data: string }[];
  };
}

/** What the updates of a tool's call have. */
export interface ToolCallUpdateOf<Type extends string> {
  type: Type;
  /** The same in all updates of one call. */
  callId: string;
  toolCall: ToolCall;
  /** Absent where the service does not send it. */
  modelCallId?: string;
}

/** The arguments of a tool's call, as far as they have come. */
export type PartialToolCallUpdate = ToolCallUpdateOf<"partial-tool-call">;

/** A tool begins. */
export type ToolCallStartedUpdate = ToolCallUpdateOf<"tool-call-started">;

/** A tool is done; `toolCall.result` says how. */
export type ToolCallCompletedUpdate = ToolCallUpdateOf<"tool-call-completed">;

/** So many tokens more. */
export interface TokenDeltaUpdate {
  type: "token-delta";
  tokens: number;
}

/** What a shell shows while it runs. */
export interface ShellOutputDeltaUpdate {
  type: "shell-output-delta";
  event: Record<string, unknown>;
}

/** A step of the agent's begins. */
export interface StepStartedUpdate {
  type: "step-started";
  stepId: number;
}

/** A step of the agent's is done. */
export interface StepCompletedUpdate {
  type: "step-completed";
  stepId: number;
  stepDurationMs: number;
}

/** The turn is over. */
export interface TurnEndedUpdate {
  type: "turn-ended";
  /** Absent where the turn reports none. */
  usage?: {
    inputTokens: number;
    outputTokens: number;
    cacheReadTokens: number;
    cacheWriteTokens: number;
    reasoningTokens?: number;
  };
}

/** The model wants so many tools. */
export interface ToolRequestsListedUpdate {
  type: "tool-requests-listed";
  callCount: number;
}

/** What a subagent does, inside the call of the `task` tool. It is no step of this conversation. */
export interface ToolCallDeltaUpdate {
  type: "tool-call-delta";
  callId: string;
  modelCallId?: string;
  taskUpdate:
    | TextDeltaUpdate
    | ThinkingDeltaUpdate
    | ThinkingCompletedUpdate
    | PartialToolCallUpdate
    | ToolCallStartedUpdate
    | ToolCallCompletedUpdate
    | StepStartedUpdate
    | StepCompletedUpdate
    | OtherUpdate;
}

/** The conversation so far is being summed up. */
export interface SummaryStartedUpdate {
  type: "summary-started";
}

/** The sum of the conversation so far. */
export interface SummaryUpdate {
  type: "summary";
  summary: string;
}

/** The conversation so far has been summed up. */
export interface SummaryCompletedUpdate {
  type: "summary-completed";
}

/** An update that this version does not know, as the service sent it. */
export interface OtherUpdate {
  type: OtherName;
  [member: string]: unknown;
}

/**
 * What the agent does, piece by piece, told apart by `type`. Members that are not listed here may be there. What a
 * conversation is made of has been checked; the rest is as the service sent it.
 */
export type InteractionUpdate =
  | TextDeltaUpdate
  | ThinkingDeltaUpdate
  | ThinkingCompletedUpdate
  | UserMessageAppendedUpdate
  | PartialToolCallUpdate
  | ToolCallStartedUpdate
  | ToolCallCompletedUpdate
  | TokenDeltaUpdate
  | ShellOutputDeltaUpdate
  | StepStartedUpdate
  | StepCompletedUpdate
  | TurnEndedUpdate
  | ToolRequestsListedUpdate
  | ToolCallDeltaUpdate
  | SummaryStartedUpdate
  | SummaryUpdate
  | SummaryCompletedUpdate
  | OtherUpdate;

/** Text of the answer, whole. */
export interface AssistantMessageStep {
  type: "assistantMessage";
  message: { text: string };
}

/** Thinking, whole. */
export interface ThinkingMessageStep {
  type: "thinkingMessage";
  /** `thinkingDurationMs` is absent when the service has not said it. */
  message: { text: string; thinkingDurationMs?: number };
}

/** A tool's call that is done. */
export interface ToolCallStep {
  type: "toolCall";
  message: ToolCall;
}

/** One thing that the agent did, told apart by `type`. */
export type ConversationStep = AssistantMessageStep | ThinkingMessageStep | ToolCallStep;

/** What the user said, and what the agent did then. */
export interface AgentConversationTurn {
  type: "agentConversationTurn";
  turn: {
    /** Absent where the agent began by itself, or the service did not send it. */
    userMessage?: { text: string };
    steps: ConversationStep[];
  };
}

/** A command of the user's. The service has it in its types; streams of cloud runs do not bring it. */
export interface ShellConversationTurn {
  type: "shellConversationTurn";
  turn: {
    shellCommand?: { command: string; workingDirectory?: string };
    shellOutput?: { stdout: string; stderr: string; exitCode: number };
  };
}

/** A part of a conversation, told apart by `type`. */
export type ConversationTurn = AgentConversationTurn | ShellConversationTurn;

/** Who hears of a run while it goes on. Each call is awaited before the next. */
export interface RunCallbacks {
  /**
   * Called with every update of the run, in order. What it throws or rejects with is a warning
   * (`callback_threw`).
   */
  onDelta?: ((args: { update: InteractionUpdate }) => unknown) | undefined;
  /**
   * Called once with each step that is complete, before the update that completed it goes to `onDelta`. What it
   * throws or rejects with is a warning (`callback_threw`).
   */
  onStep?: ((args: { step: ConversationStep }) => unknown) | undefined;
}
