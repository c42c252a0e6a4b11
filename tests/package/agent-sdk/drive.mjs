// The agent SDK's own query() with a scripted program behind it: what the kit and a host make of it, printed.

import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createSessionHost } from "runwire/host";
import { createInputQueue, runQuery } from "runwire/kit";

const options = { query, pathToClaudeCodeExecutable: join(import.meta.dirname, "cli.mjs") };
const base = "https://host.example";

async function all(run) {
  const events = [];
  for await (const event of run.events) events.push(event);
  return events;
}

async function session(given) {
  const queue = createInputQueue();
  const run = runQuery(queue.iterable, given);
  const seen = { one: await run.ask("one") };
  seen.commands = await run.supportedCommands();
  seen.usage = await run.contextUsage();
  const events = [];
  queue.push("wait");
  for await (const event of run.turn()) {
    events.push(event);
    if (event.type === "text") seen.interrupt = await run.interrupt();
  }
  seen.interrupted = events;
  seen.two = await run.ask("two");
  queue.end();
  seen.rest = await all(run);
  return seen;
}

const seen = {
  prompt: await all(runQuery("hello", options)),
  failed: await all(runQuery("fail", options)),
  session: await session(options),
};

const closed = runQuery(createInputQueue().iterable, options);
const pending = closed.events.next();
closed.close();
seen.closed = [await pending, await closed.events.next()].map(({ done }) => done);

const without = { query, pathToClaudeCodeExecutable: join(import.meta.dirname, "missing.mjs") };
seen.missing = await runQuery("x", without)
  .events.next()
  .catch(({ message }) => message);

const { query: _, ...own } = options;
const host = createSessionHost({ query, options: own, authorize: "public" });
seen.hosted = await session({ url: base, fetch: (url, init) => host.fetch(new Request(url, init)) });
await host.close();

console.log(JSON.stringify(seen));
