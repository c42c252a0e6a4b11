// What following a run looks like to TypeScript: compiled, never run.

import { Agent, init } from "runwire";
import { createSimulator } from "runwire/testing";

export async function follow(signal: AbortSignal): Promise<string> {
  await init();
  const sim = createSimulator();
  const { agentId, runId } = await sim.startRun({});
  const run = await Agent.getRun(runId, {
    runtime: "cloud",
    agentId,
    apiKey: "key",
    fetch: sim.fetch,
    signal,
  });

  let text = "";
  for await (const message of run.stream()) {
    // Every message says whose it is; the rest depends on its type.
    const ids: [string, string] = [message.agent_id, message.run_id];
    ids.join();
    switch (message.type) {
      case "assistant":
        for (const block of message.message.content) if (block.type === "text") text += block.text;
        break;
      case "thinking":
        text += message.text;
        break;
      case "tool_call": {
        const status: "running" | "completed" | "error" = message.status;
        text += status;
        // @ts-expect-error what a tool was given is anyone's: it has to be looked at first
        message.args.path;
        break;
      }
    }
    // @ts-expect-error only some types have text
    message.text;
  }
  return text;
}

/** Programs for the official client may name the runtime everywhere. */
export async function runtimeIsAccepted(id: string): Promise<void> {
  await Agent.get(id, { runtime: "cloud" });
  await Agent.archive(id, { runtime: "cloud" });
  await Agent.unarchive(id, { runtime: "cloud" });
  await Agent.delete(id, { runtime: "cloud" });
  await Agent.getUsage(id, { runtime: "cloud", runId: "run" });
  // @ts-expect-error there is no other runtime here
  await Agent.get(id, { runtime: "local" });
}

export async function streamIsBoth(run: Awaited<ReturnType<typeof Agent.getRun>>): Promise<void> {
  const stream = run.stream();
  const { value, done } = await stream.next();
  if (!done) value.type satisfies string;
  const readable: ReadableStream = run.stream();
  await readable.cancel();
}

export async function refused(): Promise<void> {
  // @ts-expect-error the agent's id is needed
  await Agent.getRun("run", { runtime: "cloud" });
  // @ts-expect-error there is no such runtime
  await Agent.getRun("run", { runtime: "elsewhere", agentId: "agent" });
}
