// The events of an agent session, and what a session is made of.

/** A part of the agent's answer, as it comes. Parts put together are the answer, without repetition. */
export interface TextEvent {
  type: "text";
  text: string;
}

/** The agent uses a tool. */
export interface ActionEvent {
  type: "action";
  toolName: string;
  /** What the tool is given; its shape is the tool's. */
  input: unknown;
  /** Finds its {@link ToolResultEvent}; absent where the agent gave none. */
  toolUseId?: string;
}

/** A subagent uses a tool. What comes of it is the subagent's: no result is reported. */
export interface SubagentActionEvent {
  type: "subagent-action";
  toolName: string;
  input: unknown;
  toolUseId?: string;
  /** The `toolUseId` of the action that launched the subagent. */
  parentToolUseId?: string;
}

/** What a tool has given back. May come out of order, and in a later turn. */
export interface ToolResultEvent {
  type: "tool-result";
  toolUseId: string;
  toolName: string;
  isError: boolean;
  /** The texts of the result, a line break between them; untrusted. Pictures are left out. */
  text: string;
}

/** Tool servers that could not be started; each is told once. */
export interface McpErrorEvent {
  type: "mcp-error";
  failedServers: string[];
}

/** How a message for people is meant; `local-command` is the output of a command such as `/help`. */
export type InfoLevel = "info" | "notice" | "suggestion" | "warning" | "local-command";

/** A message for people, at any moment, also between turns. */
export interface InfoEvent {
  type: "info";
  text: string;
  level: InfoLevel;
}

/** What a session has used since it began: later figures contain earlier ones. */
export interface SessionUsage {
  /** All of the input, what was read from and written to the cache included. */
  inputTokens: number;
  /** How much of {@link inputTokens} was read from the cache. */
  cacheReadTokens?: number;
  outputTokens: number;
  /** An estimate, in US dollars. */
  costUsd: number;
}

/** How a turn ended; an open list, because agents learn new ways. */
export type TurnStatus =
  | "success"
  | "error_during_execution"
  | "error_max_turns"
  | "error_max_budget_usd"
  | "error_max_structured_output_retries"
  | (string & {});

/** A turn is over. There may be more turns than messages were sent, or fewer. */
export interface TurnEndEvent {
  type: "turn-end";
  status: TurnStatus;
  /** What to look at: a turn may fail with the status `success`, as when the model refuses the key. */
  failed: boolean;
  /** The turn's final text; `null` unless the status is `success`. */
  resultText: string | null;
  /** What went wrong; empty when nothing did, and after a mere interruption. */
  errorText: string;
  usage?: SessionUsage;
}

/** What the user might say next; after its turn's end. */
export interface PromptSuggestionEvent {
  type: "prompt-suggestion";
  suggestion: string;
}

/** What happens in an agent session. Plain data: can be cloned, posted and written as JSON. */
export type AgentEvent =
  | TextEvent
  | ActionEvent
  | SubagentActionEvent
  | ToolResultEvent
  | McpErrorEvent
  | InfoEvent
  | TurnEndEvent
  | PromptSuggestionEvent;

/** A command that the session knows, such as `/compact`. */
export interface SlashCommand {
  /** Without the slash. */
  name: string;
  description: string;
  argumentHint: string;
  aliases?: string[];
  builtin?: boolean;
}

/** How full the model's context is. */
export interface ContextUsage {
  /** Rounded; may be more than 100. */
  percentage: number;
  totalTokens: number;
  maxTokens: number;
}

/** A message to the agent, as it is taken: messages of the SDK's own type are such, in any version. */
export interface UserMessageLike {
  type: "user";
  message: { role: string; content: string | readonly unknown[] };
  parent_tool_use_id: string | null;
}

/**
 * A message to the agent, as it is handed on: an SDK takes it for its own. To a host its `uuid`, where it has one, is the
 * client id: pushed again, also from a page that was loaded again, it is no second message.
 */
export interface SDKUserMessage extends UserMessageLike {
  // biome-ignore lint/suspicious/noExplicitAny: content blocks as the SDK has them
  message: { role: "user"; content: string | any[] };
  [member: string]: unknown;
}

/** What is used of what an SDK's `query()` gives: the messages, and ways to control the session. */
export interface QueryLike extends AsyncIterable<unknown> {
  interrupt?(): Promise<unknown>;
  close?(): void;
  supportedCommands?(): Promise<SlashCommand[]>;
  getContextUsage?(options?: { detail?: "summary" | "full" }): Promise<ContextUsage>;
}

/** A function of the shape of the agent SDK's `query`. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's own options and messages
export type QueryFunction = (parameters: { prompt: any; options: any }) => QueryLike;

/** The events of a session: one buffer, from which any number of loops read, one after another. */
export interface AgentEvents extends AsyncIterable<AgentEvent, undefined> {
  /** The next event. Calls that overlap are answered in their order. */
  next(): Promise<IteratorResult<AgentEvent, undefined>>;
  /** Ends the loop: a session goes on and loses nothing, a run of one prompt is closed. */
  return(): Promise<IteratorResult<AgentEvent, undefined>>;
}

/** A turn that has been read to its end. */
export interface AgentTurn {
  /** The turn's events, the last of which is its end. */
  events: AgentEvent[];
  /** The texts of it, put together. */
  text: string;
  /** Absent when the session ended before the turn did. */
  end?: TurnEndEvent;
}

/** A session, or the run of one prompt. */
export interface AgentRun {
  readonly events: AgentEvents;
  /** The events up to the end of a turn, that one included. */
  turn(): AsyncGenerator<AgentEvent, void>;
  /** Pushes a message into the input queue that the session was given, and reads one turn. */
  ask(text: string): Promise<AgentTurn>;
  /** Stops the turn; the session goes on, and the turn's end still comes. */
  interrupt(): Promise<unknown>;
  /** Ends the session: no more events come. Never throws, and is done at once. */
  close(): void;
  supportedCommands(): Promise<SlashCommand[]>;
  /** `null` when the session cannot tell. */
  contextUsage(): Promise<ContextUsage | null>;
  /** The session's id with its host, to join it again from elsewhere; only over `url`. */
  readonly sessionId: Promise<string> | undefined;
  /** Where the reader is, as text: `runQuery(…, { url, session, from })` goes on exactly there; only over `url`. */
  readonly resumeToken: string | undefined;
}
