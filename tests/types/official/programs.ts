// Programs as people write them for the official client: only the import is another. They are compiled in strict mode,
// and run against the simulator by tests/node/official-programs.test.mjs.

import {
  Agent,
  AgentBusyError,
  AgentNotFoundError,
  AuthenticationError,
  ConfigurationError,
  Cursor,
  CursorAgentError,
  CursorSdkError,
  NetworkError,
  RateLimitError,
  type AgentOptions,
  type ConversationStep,
  type Run,
  type RunResult,
  type SDKMessage,
} from "runwire";

type Print = (line: string) => void;
/** What the tests add to reach the simulator; the official client has it in its environment. */
type Env = Pick<AgentOptions, "apiKey" | "fetch">;

const cloud = { repos: [{ url: "https://github.com/acme/shop", startingRef: "main" }], autoCreatePR: true };

/** The canonical switch over events. */
export async function eventSwitch(env: Env, print: Print): Promise<void> {
  await using agent = await Agent.create({ ...env, model: { id: "composer-2" }, cloud });
  const run = await agent.send("Fix the flaky test");
  for await (const event of run.stream()) {
    switch (event.type) {
      case "assistant":
        for (const block of event.message.content) if (block.type === "text") print(block.text);
        break;
      case "thinking":
        print(`(${event.text.length})`);
        break;
      case "tool_call":
        print(`${event.name}: ${event.status}`);
        break;
      case "status":
        print(event.status);
        break;
    }
  }
}

/** `next()` by hand. */
export async function handDriven(env: Env, print: Print): Promise<void> {
  const agent = await Agent.create({ ...env, cloud });
  const run = await agent.send("Say hello");
  const events: AsyncGenerator<SDKMessage, void> = run.stream();
  for (let next = await events.next(); !next.done; next = await events.next()) print(next.value.type);
  agent.close();
}

/** Cancel after a time, where that is supported. */
export async function cancelLater(env: Env, print: Print): Promise<void> {
  const agent = await Agent.create({ ...env, cloud });
  const run = await agent.send("Count to a million");
  const timer = setTimeout(async () => {
    if (run.supports("cancel")) await run.cancel();
    else print(run.unsupportedReason("cancel") ?? "");
  }, 10);
  const result = await run.wait();
  clearTimeout(timer);
  print(result.status);
}

/** A status listener, and no stream. */
export async function statusOnly(env: Env, print: Print): Promise<void> {
  const agent = await Agent.create({ ...env, cloud });
  const run = await agent.send("Deploy");
  const changed = new Promise<void>((resolve) => {
    const stop = run.onDidChangeStatus((status) => {
      print(status);
      stop();
      resolve();
    });
  });
  await changed;
}

/** A run that somebody else launched. */
export async function observe(env: Env, print: Print, agentId: string, runId: string): Promise<void> {
  const run: Run = await Agent.getRun(runId, { runtime: "cloud", agentId, ...env });
  for await (const event of run.stream()) if (event.type === "assistant") print(event.type);
  const { status, result, durationMs } = await run.wait();
  print(`${status} ${result?.length} ${typeof durationMs}`);
}

/** Callbacks, with backpressure. */
export async function callbacks(env: Env, print: Print): Promise<void> {
  const agent = await Agent.create({ ...env, cloud });
  const steps: ConversationStep[] = [];
  const run = await agent.send("Refactor", {
    onDelta: async ({ update }) => {
      if (update.type === "text-delta") print(update.text);
    },
    onStep: ({ step }) => {
      steps.push(step);
    },
  });
  await run.wait();
  print(`${steps.length} steps`);
}

/** Pages. */
export async function paging(env: Env, print: Print, agentId: string): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await Agent.listRuns(agentId, { runtime: "cloud", limit: 2, cursor, ...env });
    for (const run of page.items) print(run.id);
    cursor = page.nextCursor;
  } while (cursor);
  const { items } = await Agent.list({ runtime: "cloud", ...env });
  print(items.map(({ agentId, archived }) => `${agentId} ${archived}`).join());
}

/** Errors by class. */
export async function errors(env: Env, print: Print): Promise<void> {
  try {
    await Cursor.me({ ...env, apiKey: "wrong" });
  } catch (error) {
    if (error instanceof AuthenticationError) print(`auth ${error.status} ${error.isRetryable}`);
    else if (error instanceof RateLimitError || error instanceof NetworkError) print("later");
    else if (error instanceof ConfigurationError || error instanceof AgentNotFoundError) print("mine");
    else if (error instanceof CursorAgentError || error instanceof CursorSdkError) print(error.name);
    else throw error;
  }
  const agent = await Agent.create({ ...env, cloud });
  const run = await agent.send("Work");
  try {
    await agent.send("More");
  } catch (error) {
    if (!(error instanceof AgentBusyError)) throw error;
    print(`busy ${error.code} ${error.operation}`);
  }
  await run.cancel();
}

/** The conversation, rendered. */
export async function conversation(env: Env, print: Print): Promise<void> {
  const agent = await Agent.create({ ...env, cloud });
  const run = await agent.send("Explain");
  await run.wait();
  for (const turn of await run.conversation()) {
    if (turn.type !== "agentConversationTurn") continue;
    print(`> ${turn.turn.userMessage?.text ?? ""}`);
    for (const step of turn.turn.steps) {
      switch (step.type) {
        case "assistantMessage":
          print(step.message.text);
          break;
        case "thinkingMessage":
          print(`(${step.message.text})`);
          break;
        case "toolCall":
          print(`${step.message.type} ${step.message.result?.status}`);
          break;
      }
    }
  }
}

/** One prompt, one answer. */
export async function prompt(env: Env, print: Print): Promise<void> {
  const result: RunResult = await Agent.prompt("What is this repository?", { ...env, cloud });
  print(`${result.status} ${result.usage?.totalTokens !== undefined}`);
}
