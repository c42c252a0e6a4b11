// A session of several turns between a page and a host, over real HTTP: its stream is cut after every byte, and answers
// to what is posted are lost.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createSessionHost } from "runwire/host";
import { requestListener } from "runwire/host/node";
import { runQuery } from "runwire/kit";
import { outcomeInPage } from "../lib/bundled-page.mjs";
import { scriptedQuery, wordsOf } from "../lib/scripted-query.mjs";
import { StreamReader } from "../lib/session-client.mjs";
import { converse, lines, turn } from "../lib/tool-session.mjs";

const page = join(import.meta.dirname, "pages", "session-cuts.mjs");

/** Breaks off what is answered, as the page asks for in a header: only the first time for each. It counts. */
function breaking(listener) {
  const seen = new Set();
  const counts = { cut: 0, lost: 0 };
  const isFirst = (key) => !seen.has(key) && seen.add(key);
  const serve = (request, response) => {
    const { "x-cut": cut, "x-lose": lose } = request.headers;
    if (cut && request.url.endsWith("/stream") && isFirst(cut)) {
      cutAfter(response, Number(cut.split("-")[0]), () => counts.cut++);
    }
    if (lose && request.method === "POST" && isFirst(request.url + lose)) {
      response.writeHead = () => {
        counts.lost++;
        throw new Error("the answer is lost");
      };
    }
    listener(request, response);
  };
  return { serve, counts };
}

/** Ends a body, or resets its connection, after so many bytes. */
function cutAfter(response, bytes, done) {
  const write = response.write.bind(response);
  let left = bytes;
  response.write = (chunk, callback) => {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (left > 0) return write(part, callback);
    const isCut = () => {
      done();
      callback(new Error("the connection was cut"));
    };
    if (bytes % 2 === 0) return response.end(part, isCut);
    return write(part, isCut);
  };
}

test("a session whose connections are cut gives a page each event once, and gets each message once", async () => {
  const scripted = scriptedQuery({ turn });
  const host = createSessionHost({
    query: scripted.query,
    authorize: "public",
    ...{ maxSessions: Number.POSITIVE_INFINITY, keepMs: Number.POSITIVE_INFINITY },
  });
  const expected = await converse(runQuery, {
    url: "http://localhost",
    fetch: (url, init) => host.fetch(new Request(url, init)),
  });
  const [{ id }] = host.sessions;
  const reader = new StreamReader(await host.fetch(new Request(`http://localhost/sessions/${id}/stream`)));
  await reader.rest();
  const bytes = new TextEncoder().encode(reader.raw).length;
  const { serve, counts } = breaking(requestListener(host));
  const answer = (request, response) => {
    if (request.url === "/plan") response.end(JSON.stringify({ id, bytes, expected }));
    else serve(request, response);
  };
  // What is cut shows on the browser's console.
  const { read, talked, wrong } = await outcomeInPage(page, {
    answer,
    expected: ["request failed", "net::ERR"],
  });
  assert.deepEqual(wrong, []);
  assert.equal(read, bytes - 1);
  assert.ok(read > 2_000 && talked > 150, `${read} read, ${talked} talked`);
  assert.equal(host.sessions.length, 1 + talked);
  // Of each conversation: its begin, its first message, its end.
  assert.deepEqual(counts, { cut: read + talked, lost: 3 * talked });
  for (const { received } of scripted.agents) assert.deepEqual(received.map(wordsOf), lines);
  await host.close();
});
