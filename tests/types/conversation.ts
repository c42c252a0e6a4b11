// Updates, steps, turns and tool calls to TypeScript: unions that `type` tells apart. Compiled, never run.

import type {
  Agent,
  ConversationStep,
  ConversationTurn,
  InteractionUpdate,
  OtherToolCall,
  OtherUpdate,
  RunResult,
  ShellToolCall,
  Todo,
  TokenUsage,
  ToolCall,
  TurnEndedUpdate,
} from "runwire";

/** Fails to compile unless the two are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
const same = <A, B>(_: Same<A, B>): void => {};

type Run = Awaited<ReturnType<typeof Agent.getRun>>;

/** Every update narrows to its own members; what is left over is the open variant. */
export function eachUpdate(update: InteractionUpdate): unknown {
  switch (update.type) {
    case "text-delta":
    case "thinking-delta":
      return update.text.length;
    case "thinking-completed":
      return update.thinkingDurationMs.toFixed();
    case "user-message-appended":
      same<typeof update.userMessage.session_id, string | undefined>(true);
      return update.userMessage.images?.[0]?.data ?? update.userMessage.text;
    case "partial-tool-call":
    case "tool-call-started":
    case "tool-call-completed":
      same<typeof update.toolCall, ToolCall>(true);
      same<typeof update.modelCallId, string | undefined>(true);
      return update.callId;
    case "token-delta":
      return update.tokens.toFixed();
    case "shell-output-delta":
      return Object.values(update.event)[0] satisfies unknown;
    case "step-started":
      return update.stepId.toFixed();
    case "step-completed":
      return update.stepDurationMs.toFixed();
    case "turn-ended":
      same<typeof update, TurnEndedUpdate>(true);
      return update.usage && update.usage.inputTokens + (update.usage.reasoningTokens ?? 0);
    case "tool-requests-listed":
      return update.callCount.toFixed();
    case "tool-call-delta":
      return update.taskUpdate.type === "text-delta" ? update.taskUpdate.text : update.callId;
    case "summary":
      return update.summary.length;
    case "summary-started":
    case "summary-completed":
      // @ts-expect-error there is nothing more to these
      return update.summary;
    default: {
      same<typeof update, OtherUpdate>(true);
      const type: string = update.type;
      const member: unknown = update[type];
      return member;
    }
  }
}

/** Every tool narrows to its arguments and to what it gives. */
export function eachTool(call: ToolCall): unknown {
  const value = <Value>(result: { status: "success"; value: Value } | { status: "error" } | undefined) =>
    result?.status === "success" ? result.value : undefined;
  switch (call.type) {
    case "shell":
      same<typeof call, ShellToolCall>(true);
      if (call.result?.status === "error") return call.result.error.message;
      return [call.args.command, call.args.timeout, call.result?.value.exitCode];
    case "write":
      return [call.args.fileText, value(call.result)?.linesCreated];
    case "delete":
      return [call.args.path, value(call.result)?.fileSize];
    case "glob":
      return [call.args.globPattern, value(call.result)?.files[0]];
    case "grep":
      return [call.args.pattern, value(call.result)?.workspaceResults?.["/"]];
    case "read":
      return [call.args.path, value(call.result)?.content];
    case "edit":
      return [call.args.path, value(call.result)?.diffString];
    case "ls":
      return [call.args.ignore?.[0], value(call.result)?.directoryTreeRoot];
    case "readLints":
      return [call.args.paths[0], value(call.result)?.totalDiagnostics];
    case "mcp":
      return [call.args.toolName, value(call.result)?.content[0]?.image?.mimeType];
    case "semSearch":
      return [call.args.query, value(call.result)?.results];
    case "generateImage":
      // The one tool whose error is a text.
      if (call.result?.status === "error") return call.result.error.error;
      return [call.args.description, call.result?.value.imageData];
    case "createPlan":
      return call.args.plan;
    case "recordScreen":
      // @ts-expect-error there is no such mode
      if (call.args.mode === "PAUSE_RECORDING") return undefined;
      return value(call.result)?.path;
    case "updateTodos":
      same<typeof call.args.todos, Todo[]>(true);
      return value(call.result)?.totalCount;
    case "task":
      return [call.args.subagentType?.kind, value(call.result)?.conversationSteps?.[0]?.type];
    default: {
      same<typeof call, OtherToolCall>(true);
      const type: string = call.type;
      const args: unknown = call.args;
      // @ts-expect-error what an unknown tool was given has to be looked at first
      call.args.path;
      return [type, args, (call.type as string) === "teleport"];
    }
  }
}

export function eachStep(step: ConversationStep): string {
  switch (step.type) {
    case "assistantMessage":
      return step.message.text;
    case "thinkingMessage":
      return `${step.message.thinkingDurationMs?.toFixed()} ${step.message.text}`;
    case "toolCall":
      return step.message.type;
    default:
      return step satisfies never;
  }
}

export async function show(run: Run, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  const turns: ConversationTurn[] = await run.conversation({ signal });
  for (const { type, turn } of turns) {
    if (type === "agentConversationTurn") {
      lines.push(turn.userMessage?.text ?? "", ...turn.steps.map(eachStep));
    } else lines.push(turn.shellCommand?.command ?? "");
  }
  return lines;
}

export async function follow(agents: typeof Agent): Promise<TokenUsage | undefined> {
  const texts: string[] = [];
  const run = await agents.getRun("run", {
    runtime: "cloud",
    agentId: "bc",
    // What is given back does not matter, unless it is a promise.
    onDelta: ({ update }) => update.type === "text-delta" && texts.push(update.text),
    async onStep({ step }) {
      same<typeof step, ConversationStep>(true);
    },
    onWarning(warning) {
      if (warning.code === "callback_threw") texts.push(String(warning.error));
      if (warning.code === "callbacks_stalled") texts.push(warning.message);
    },
  });
  const bare = (update: InteractionUpdate) => update;
  // @ts-expect-error it takes one object
  await agents.getRun("run", { runtime: "cloud", agentId: "bc", onDelta: bare });
  const answer: "revert_to_followup" = await run.steer("to the left");
  run.supports("steer") satisfies boolean;
  texts.push(answer);
  const result: RunResult = await run.wait();
  same<typeof result.usage, typeof run.usage>(true);
  return result.usage;
}
