// A conversation of several turns with tools, which every way to an agent must give in the same way: what the agent
// plays, and who talks to it. Runs in every runtime and in pages.

import { createInputQueue } from "runwire/kit";
import {
  assistant,
  echo,
  info,
  init,
  result,
  scriptedQuery,
  spoken,
  suggestion,
  toolResult,
  toolUse,
  wordsOf,
} from "./scripted-query.mjs";

/** What is said, one after another. */
export const lines = ["Look at größe.txt", "And both of these", "Thank you 👋"];

const scripts = {
  *[lines[0]]() {
    yield init({ mcp_servers: [{ name: "db", status: "failed" }] });
    yield* spoken("m1", "I look. 日本語");
    yield toolUse("t1", "Read", { path: "größe.txt", lines: [1, 2] });
    yield toolResult("t1", "first\nsecond 😀");
    yield* spoken("m2", "It holds two lines.");
    yield result("It holds two lines.");
    yield suggestion("And both of these");
  },
  *[lines[1]]() {
    yield init();
    yield info("Two at once", "notice");
    yield assistant(
      "m3",
      { type: "tool_use", id: "t2", name: "Bash", input: { command: "ls" } },
      { type: "tool_use", id: "t3", name: "Agent", input: {} },
    );
    const own = toolUse("s1", "Grep", { pattern: "x" });
    yield { ...own, parent_tool_use_id: "t3" };
    const [late, early] = [toolResult("t2", "", true), toolResult("t3", [{ type: "text", text: "found" }])];
    yield {
      ...early,
      message: { role: "user", content: [...early.message.content, ...late.message.content] },
    };
    yield* spoken("m4", "ha ha ha");
    yield result("ha ha ha", { total_cost_usd: 0.02 });
  },
};

/** A turn that goes on until it is interrupted. */
async function* waiting() {
  yield info("Waiting");
  await new Promise(() => {});
}

/** The agent's side; beside what is said above it knows "wait". */
export const turn = (message) =>
  wordsOf(message) === "wait" ? waiting() : (scripts[wordsOf(message)]?.() ?? echo(message));

/** The agent, its commands and its context, the conversation's user, and the agent's messages in it. */
export function agent() {
  const commands = [{ name: "help", description: "Helps", argumentHint: "" }];
  const usage = { percentage: 1, totalTokens: 20, maxTokens: 2_000 };
  const scripted = scriptedQuery({ turn, commands, usage });
  const messages = () =>
    lines.flatMap((content) => [...turn({ type: "user", message: { role: "user", content } })]);
  return { query: scripted.query, converse, messages };
}

/** The user's side: says the next line when a turn is over, and reads to the end. */
export async function converse(runQuery, options) {
  const queue = createInputQueue();
  const left = [...lines];
  queue.push(left.shift());
  const events = [];
  for await (const event of runQuery(queue.iterable, options).events) {
    events.push(event);
    if (event.type !== "turn-end") continue;
    if (left.length > 0) queue.push(left.shift());
    else queue.end();
  }
  return events;
}
