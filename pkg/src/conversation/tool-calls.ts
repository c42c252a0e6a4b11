// The tools of an agent, as interaction updates and conversation steps tell of them.

import type { ConversationStep } from "./types.js";

/** @internal Only for {@link OtherName}: an enum's member is the one string type that no literal is part of. */
declare enum Other {
  Name = "a name that this version does not know",
}

/**
 * A name that this version does not know. It is a string like any other; its type is one of its own so that
 * the known names still tell a union's members apart. Compare it as `(type as string) === "…"`.
 */
export type OtherName = Other.Name;

/** What a tool gave. Absent while it runs, and when the service did not send it. */
export type ToolResult<Value, Failure = { message: string }> =
  | { status: "success"; value: Value }
  | { status: "error"; error: Failure };

/** One call of a tool. */
export interface ToolCallOf<Type extends string, Args, Value, Failure = { message: string }> {
  type: Type;
  /** What it was called with; as far as it is known in a `partial-tool-call`. */
  args: Args;
  result?: ToolResult<Value, Failure>;
}

/** Runs a command. `timeout` and `executionTime` are milliseconds. */
export type ShellToolCall = ToolCallOf<
  "shell",
  { command: string; workingDirectory?: string; timeout?: number },
  { exitCode: number; signal: string; stdout: string; stderr: string; executionTime: number }
>;

/** Writes a file. `fileSize` is bytes. */
export type WriteToolCall = ToolCallOf<
  "write",
  { path: string; fileText: string; returnFileContentAfterWrite?: boolean },
  { path: string; linesCreated: number; fileSize: number; fileContentAfterWrite?: string }
>;

/** Deletes a file. */
export type DeleteToolCall = ToolCallOf<"delete", { path: string }, { fileSize: number }>;

/** Finds files by name. */
export type GlobToolCall = ToolCallOf<
  "glob",
  { targetDirectory?: string; globPattern: string },
  { files: string[]; totalFiles: number; clientTruncated: boolean; ripgrepTruncated: boolean }
>;

/** What a search found in one place: the matches, the files, or counts, by `outputMode`. */
export type GrepResult = Record<string, unknown>;

/** Searches in files. */
export type GrepToolCall = ToolCallOf<
  "grep",
  {
    pattern: string;
    path?: string;
    glob?: string;
    outputMode?: string;
    contextBefore?: number;
    contextAfter?: number;
    context?: number;
    caseInsensitive?: boolean;
    type?: string;
    headLimit?: number;
    offset?: number;
    multiline?: boolean;
    sort?: string;
    sortAscending?: boolean;
  },
  { workspaceResults?: Record<string, GrepResult>; activeEditorResult?: GrepResult }
>;

/** Reads a file. `fileSize` is bytes. */
export type ReadToolCall = ToolCallOf<
  "read",
  { path: string },
  { content: string; totalLines: number; fileSize: number }
>;

/** Changes a file. */
export type EditToolCall = ToolCallOf<
  "edit",
  { path: string },
  { linesAdded?: number; linesRemoved?: number; diffString?: string }
>;

/** Lists a folder; `directoryTreeRoot` is a tree whose nodes are as the service sends them. */
export type LsToolCall = ToolCallOf<
  "ls",
  { path: string; ignore?: string[] },
  { directoryTreeRoot: Record<string, unknown> }
>;

/** Asks for a linter's findings; `fileDiagnostics` has an object for each file. */
export type ReadLintsToolCall = ToolCallOf<
  "readLints",
  { paths: string[] },
  { fileDiagnostics: Record<string, unknown>[]; totalFiles: number; totalDiagnostics: number }
>;

/** A piece of what an MCP tool gave; the image's `data` is base64. */
export interface McpContent {
  text?: { text: string };
  image?: { data: string; mimeType?: string };
}

/** Calls a tool of an MCP server, whose arguments are its own. */
export type McpToolCall = ToolCallOf<
  "mcp",
  { args?: Record<string, unknown>; providerIdentifier?: string; toolName?: string },
  { content: McpContent[]; isError: boolean }
>;

/** Searches by meaning. */
export type SemSearchToolCall = ToolCallOf<
  "semSearch",
  { query: string; targetDirectories?: string[]; explanation?: string },
  { results: string }
>;

/** Makes an image; `imageData` is base64. */
export type GenerateImageToolCall = ToolCallOf<
  "generateImage",
  { description: string; filePath?: string },
  { filePath: string; imageData: string },
  { error: string }
>;

/** Proposes a plan. */
export type CreatePlanToolCall = ToolCallOf<"createPlan", { plan: string }, Record<string, never>>;

/** Records the screen. */
export type RecordScreenToolCall = ToolCallOf<
  "recordScreen",
  { mode: "START_RECORDING" | "SAVE_RECORDING" | "DISCARD_RECORDING" },
  { wasPriorRecordingCancelled?: boolean; path?: string; recordingDurationMs?: number }
>;

/** One thing to do. */
export interface Todo {
  content: string;
  status: "pending" | "inProgress" | "completed" | "cancelled";
}

/** Keeps the list of what is to do. */
export type UpdateTodosToolCall = ToolCallOf<
  "updateTodos",
  { todos: Todo[] },
  { todos: Todo[]; totalCount: number }
>;

/** Gives a task to a subagent. */
export type TaskToolCall = ToolCallOf<
  "task",
  {
    description: string;
    prompt: string;
    subagentType?: { kind: string; name?: string };
    model?: string;
    resume?: string;
    agentId?: string;
    attachments?: unknown[];
    mode?: string;
    respondingToMessageIds?: string[];
  },
  {
    conversationSteps?: ConversationStep[];
    agentId?: string;
    isBackground: boolean;
    durationMs?: number;
    resultSuffix?: string;
    backgroundReason: string;
    transcriptPath?: string;
  }
>;

/**
 * A tool that this version does not know. So are all tools of a run whose service sends no interaction
 * updates: `type` is then the name of the `tool_call` frames.
 */
export interface OtherToolCall {
  type: OtherName;
  args?: unknown;
  result?: ToolResult<unknown, unknown>;
}

/** A tool's call, told apart by `type`. Shapes are the service's; they are passed on unchecked. */
export type ToolCall =
  | ShellToolCall
  | WriteToolCall
  | DeleteToolCall
  | GlobToolCall
  | GrepToolCall
  | ReadToolCall
  | EditToolCall
  | LsToolCall
  | ReadLintsToolCall
  | McpToolCall
  | SemSearchToolCall
  | GenerateImageToolCall
  | CreatePlanToolCall
  | RecordScreenToolCall
  | UpdateTodosToolCall
  | TaskToolCall
  | OtherToolCall;
