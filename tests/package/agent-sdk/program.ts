// What people write with the agent SDK, with its own types. Compiled, never run.

import {
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { createSessionHost } from "runwire/host";
import {
  type AgentRun,
  createInputQueue,
  normalizeMessages,
  type QueryFunction,
  type QueryLike,
  runQuery,
  type UserMessageLike,
} from "runwire/kit";

query satisfies QueryFunction;
export const isLike = (own: Query): QueryLike => own;
export const isMessage = (own: SDKUserMessage): UserMessageLike => own;

export const run: AgentRun = runQuery("Fix the failing test", {
  query,
  cwd: "/srv",
  model: "claude-opus-4",
  includePartialMessages: true,
  permissionMode: "plan",
  allowedTools: ["Read"],
  abortController: new AbortController(),
  canUseTool: async (_name, input) => ({ behavior: "allow", updatedInput: input }),
  mcpServers: { db: { command: "db" } },
  signal: new AbortController().signal,
  onWarning: ({ message }) => message satisfies string,
});
const own: Options = { cwd: "/srv" };
export const runs = [runQuery("Bare", { query }), runQuery("Spread", { ...own, query })];

export function refused(): void {
  // @ts-expect-error the SDK has no such option
  runQuery("x", { query, cwdd: "/srv" });
  // @ts-expect-error of another type
  runQuery("x", { query, cwd: 7 });
  // @ts-expect-error no such mode
  runQuery("x", { query, permissionMode: "planning" });
}

export function sessions(messages: AsyncIterable<SDKUserMessage>, message: SDKUserMessage): void {
  runQuery(messages, { query });
  const queue = createInputQueue();
  queue.push(message);
  runQuery(queue.iterable, { query });
  query({ prompt: queue.iterable });
}

export function fromElsewhere(messages: AsyncIterable<SDKMessage>): void {
  normalizeMessages(messages);
  const made = query({ prompt: "x" });
  runQuery("x", { messages: made, interrupt: () => made.interrupt(), close: () => made.close() });
}

export async function read(): Promise<string> {
  let text = "";
  for await (const event of run.events) {
    if (event.type === "text") text += event.text;
    else if (event.type === "turn-end" && event.failed) throw new Error(event.errorText);
  }
  (await run.contextUsage())?.percentage satisfies number | undefined;
  (await run.supportedCommands())[0]?.name satisfies string | undefined;
  return text;
}

createSessionHost({ query, authorize: "public", options: { cwd: "/srv", includePartialMessages: true } });
