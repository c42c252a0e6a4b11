// A session in each of the ways in which there are sessions: what each runtime and browser is asked to do, and what it
// must have seen. The agent is ../../lib/tool-session.mjs, which a project has in `lib`; the host is
// ../../lib/session-service.mjs.

import { createInputQueue, init, normalizeMessages, runQuery, SessionDecoder } from "runwire/kit";

/**
 * @param {string} url where the host is
 * @param {{ converse: Function, messages: () => object[], query: Function }} agent
 * @returns {Promise<Record<string, unknown>>} what came of each part, as JSON
 */
export async function sessionTour(url, { converse, messages, query }) {
  const given = { url, retry: { minDelayMs: 1, attempts: 20 } };
  const seen = {
    ofQuery: await converse(runQuery, { query }),
    ofLines: await all(normalizeMessages(bodyOf("application/x-ndjson", (json) => `${json}\n`))),
    ofEvents: await all(normalizeMessages(bodyOf("text/event-stream", (json) => `data: ${json}\n\n`))),
    ofHost: await converse(runQuery, given),
    prompt: await all(runQuery("Only this", given).events),
  };

  function bodyOf(type, write) {
    const bytes = new TextEncoder().encode(
      messages()
        .map((message) => write(JSON.stringify(message)))
        .join(""),
    );
    const left = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, n) =>
      bytes.slice(n * 100, n * 100 + 100),
    );
    const body = new ReadableStream({
      pull(controller) {
        if (left.length > 0) controller.enqueue(left.shift());
        else controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": type } });
  }

  await init();
  const decoder = new SessionDecoder({ format: "ndjson" });
  const lines = messages().map((message) => new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  seen.decoded = [...lines.flatMap((line) => decoder.push(line)), ...decoder.end()];

  const queue = createInputQueue();
  const leaving = new AbortController();
  const run = runQuery(queue.iterable, { ...given, signal: leaving.signal });
  seen.asked = (await run.ask("Hello")).text;
  seen.commands = await run.supportedCommands();
  seen.usage = await run.contextUsage();
  queue.push("wait");
  const first = await run.events.next();
  seen.interrupt = await run.interrupt();
  seen.interrupted = [first.value, ...(await all(run.turn()))];
  queue.push("Once more");
  await run.events.next();
  const [session, from] = [await run.sessionId, run.resumeToken];
  leaving.abort();
  // As another page of the same user's would.
  const again = runQuery(createInputQueue().iterable, { ...given, session, from });
  seen.carriedOn = await all(again.turn());
  again.close();
  seen.closed = await again.events.next();

  const missing = "00000000-0000-4000-8000-000000000000";
  seen.missing = await runQuery(createInputQueue().iterable, { ...given, session: missing })
    .events.next()
    .catch(({ name, code, status }) => ({ name, code, status }));
  return JSON.parse(JSON.stringify(seen));
}

async function all(events) {
  const list = [];
  for await (const event of events) list.push(event);
  return list;
}
