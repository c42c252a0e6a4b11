// Agent sessions to TypeScript: events that `type` tells apart, and options that are those of the query. Compiled,
// never run.

import type { RunWarning } from "runwire";
import {
  type ActionEvent,
  type AgentEvent,
  type AgentRun,
  type AgentTurn,
  type ContextUsage,
  createDeferred,
  createInputQueue,
  createModeControl,
  type HostOptions,
  type InfoLevel,
  type MessagesOptions,
  type ModeControl,
  normalizeMessages,
  type QueryFunction,
  type QueryLike,
  runQuery,
  SessionDecoder,
  type SessionUsage,
  type SlashCommand,
  type SubagentActionEvent,
  type UserMessageLike,
} from "runwire/kit";

/** Fails to compile unless the two are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
const same = <A, B>(_: Same<A, B>): void => {};

same<
  AgentEvent["type"],
  | "text"
  | "action"
  | "subagent-action"
  | "tool-result"
  | "mcp-error"
  | "info"
  | "turn-end"
  | "prompt-suggestion"
>(true);
// @ts-expect-error the comparison sees a difference
same<AgentEvent["type"], "text">(true);

/** Every type narrows to its own members; nothing is left over. */
export function eachType(event: AgentEvent): unknown {
  switch (event.type) {
    case "text":
      return event.text satisfies string;
    case "action":
      same<typeof event, ActionEvent>(true);
      same<typeof event.input, unknown>(true);
      same<typeof event.toolUseId, string | undefined>(true);
      // @ts-expect-error only a subagent's action has a parent
      return event.parentToolUseId;
    case "subagent-action":
      same<typeof event, SubagentActionEvent>(true);
      same<typeof event.parentToolUseId, string | undefined>(true);
      return event.toolName satisfies string;
    case "tool-result":
      same<typeof event.toolUseId, string>(true);
      same<typeof event.isError, boolean>(true);
      return event.toolName + event.text;
    case "mcp-error":
      return event.failedServers satisfies string[];
    case "info":
      same<typeof event.level, InfoLevel>(true);
      same<InfoLevel, "info" | "notice" | "suggestion" | "warning" | "local-command">(true);
      return event.text satisfies string;
    case "turn-end":
      same<typeof event.resultText, string | null>(true);
      same<typeof event.errorText, string>(true);
      same<typeof event.usage, SessionUsage | undefined>(true);
      same<typeof event.failed, boolean>(true);
      // An open list: what is not on it is a status, too.
      event.status satisfies string;
      if (event.status === "error_max_turns" || event.status === "error_of_the_future") return 1;
      return event.usage?.cacheReadTokens satisfies number | undefined;
    case "prompt-suggestion":
      return event.suggestion satisfies string;
    default:
      same<typeof event, never>(true);
      return event;
  }
}

/** What is optional is absent where it is not known, and never `undefined`. */
export const made: AgentEvent[] = [
  { type: "action", toolName: "Read", input: {} },
  // @ts-expect-error absent, not undefined
  { type: "action", toolName: "Read", input: {}, toolUseId: undefined },
  // @ts-expect-error there is no such event
  { type: "thinking", text: "hm" },
];

interface Options {
  cwd?: string;
  permissionMode?: "default" | "plan";
  abortController?: AbortController;
}
interface OwnUserMessage {
  type: "user";
  message: { role: "user" | "assistant"; content: string | Array<{ type: "text"; text: string }> };
  parent_tool_use_id: string | null;
  priority?: "now" | "next";
}
declare function query(parameters: {
  prompt: string | AsyncIterable<OwnUserMessage>;
  options?: Options;
}): AsyncGenerator<{ type: "system" } | { type: "result" }, void> & {
  interrupt(): Promise<{ still_queued: string[] } | undefined>;
  close(): void;
  supportedCommands(): Promise<SlashCommand[]>;
  getContextUsage(options?: {
    detail?: "summary" | "full";
  }): Promise<ContextUsage & { categories: unknown[] }>;
};
declare const signal: AbortSignal;
declare const ownMessages: AsyncIterable<OwnUserMessage>;

query satisfies QueryFunction;
query({ prompt: "x" }) satisfies QueryLike;

export const ofQuery: AgentRun[] = [
  runQuery("x", { query }),
  runQuery("x", { query, cwd: "/w", permissionMode: "plan", abortController: new AbortController() }),
  runQuery("x", { query, signal, maxEventBytes: 1, onWarning: (warning) => warning satisfies RunWarning }),
  runQuery("x", { ...({ cwd: "/w" } satisfies Options), query, signal: undefined }),
  runQuery(ownMessages, { query }),
  runQuery(createInputQueue().iterable, { query }),
  // Functions that take fewer parameters, and those of which nothing is known.
  runQuery("x", { query: () => (async function* () {})() }),
  runQuery("x", { query: ({ prompt }: { prompt: string | AsyncIterable<unknown> }) => given(prompt) }),
  // biome-ignore lint/suspicious/noExplicitAny: such are given
  runQuery("x", { query: query as any, cwd: "/w" }),
  runQuery("x", { query: query as QueryFunction, cwd: "/w" }),
  runQuery("x", { query: withDirectory, cwd: "/w" }),
];
declare function given(what: unknown): AsyncIterable<unknown>;
declare function withDirectory(parameters: { prompt: unknown; options: { cwd: string } }): QueryLike;
// A queue is what the SDK's own function takes, too.
query({ prompt: createInputQueue().iterable });

export function refusedOfQuery(): void {
  // @ts-expect-error the query has no such option
  runQuery("x", { query, cwdd: "/w" });
  // @ts-expect-error of another type
  runQuery("x", { query, cwd: 7 });
  // @ts-expect-error not one of them
  runQuery("x", { query, permissionMode: "planning" });
  // @ts-expect-error the query must have its directory
  runQuery("x", { query: withDirectory });
  // @ts-expect-error a function without options has none
  runQuery("x", { query: () => given(0), cwd: "/w" });
  // @ts-expect-error what it gives is no iterable
  runQuery("x", { query: () => 7 });
  // @ts-expect-error messages of another form
  runQuery(given(0) as AsyncIterable<{ text: string }>, { query });
  // @ts-expect-error a list is not asynchronous
  runQuery(["x"], { query });
}

export const ofHost: AgentRun[] = [
  runQuery("x", { url: "/agent" }),
  runQuery(createInputQueue().iterable, {
    url: new URL("https://host.example/agent"),
    session: "id",
    from: "token",
    signal,
    headers: async () => ({ "x-user": "ada" }),
    credentials: "include",
    retry: { minDelayMs: 1 },
    onConnection: ({ state, attempt }) => [state satisfies string, attempt satisfies number],
  }),
];

export function refusedOfHost(): void {
  // @ts-expect-error there is no such option
  runQuery("x", { url: "/agent", sessionId: "id" });
  // @ts-expect-error options of a query go to a query
  runQuery("x", { url: "/agent", cwd: "/w" });
  // @ts-expect-error one of the three
  runQuery("x", { url: "/agent", query });
  // @ts-expect-error one of the three
  runQuery("x", {});
  // @ts-expect-error where the agent is must be said
  runQuery("x");
}

export const ofMessages: AgentRun[] = [
  runQuery("x", { messages: query({ prompt: "x" }) }),
  runQuery("x", { messages: new Response() }),
  runQuery("x", { messages: new ReadableStream<object>() }),
  runQuery(createInputQueue().iterable, {
    messages: ownMessages,
    send: async ({ type, message }) => [type, message.content],
    interrupt: async () => undefined,
    close: () => {},
    supportedCommands: async () => [{ name: "help", description: "", argumentHint: "" }],
    contextUsage: async () => null,
  }),
];

export function refusedOfMessages(): void {
  // @ts-expect-error bytes alone do not say what they are
  runQuery("x", { messages: new Uint8Array() });
  // @ts-expect-error of another type
  runQuery("x", { messages: ownMessages, contextUsage: () => 7 });
  // @ts-expect-error not a control
  runQuery("x", { messages: ownMessages, setModel: async () => {} });
  normalizeMessages(ownMessages, { signal });
  // @ts-expect-error nothing is controlled here
  normalizeMessages(ownMessages, { close: () => {} });
}

/** A given place in a union of options, as a program that has both would hold it. */
export const either = (options: HostOptions | MessagesOptions): AgentRun => runQuery("x", options);

export async function used(run: AgentRun): Promise<void> {
  for await (const event of run.events) event satisfies AgentEvent;
  for await (const event of run.turn()) event.type satisfies string;
  const { done, value } = await run.events.next();
  if (!done) value satisfies AgentEvent;
  else same<typeof value, undefined>(true);
  const turn: AgentTurn = await run.ask("x");
  same<typeof turn.end, Extract<AgentEvent, { type: "turn-end" }> | undefined>(true);
  same<Awaited<ReturnType<AgentRun["contextUsage"]>>, ContextUsage | null>(true);
  (await run.supportedCommands()).map(({ name, aliases }) => [name, ...(aliases ?? [])]);
  same<typeof run.sessionId, Promise<string> | undefined>(true);
  same<typeof run.resumeToken, string | undefined>(true);
  await run.interrupt();
  run.close();
  // @ts-expect-error one buffer, which is not replaced
  run.events = given(0);
}

export function said(ownMessage: OwnUserMessage): void {
  const control: ModeControl = createModeControl("plan");
  const queue = createInputQueue({ modeControl: control });
  queue.push("text");
  queue.push(ownMessage);
  ownMessage satisfies UserMessageLike;
  // @ts-expect-error not a message
  queue.push({ text: "x" });
  // @ts-expect-error no such mode
  control.set("planning");
  // One's own control need not have what ours has beside the three.
  createInputQueue({ modeControl: { mode: "guided", switchable: false, set: () => false } });
  const { promise, resolve } = createDeferred();
  same<typeof promise, Promise<void>>(true);
  resolve();
}

export const decoded: AgentEvent[] = new SessionDecoder({ format: "ndjson" }).push(new Uint8Array());
// @ts-expect-error no such format
export const other = new SessionDecoder({ format: "xml" });
