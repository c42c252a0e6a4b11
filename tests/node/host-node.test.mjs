// A session host on a server of Node's: over real connections.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { init as loadEngine } from "runwire";
import { listen, requestListener } from "runwire/host/node";
import { gate, info, wordsOf } from "../lib/scripted-query.mjs";
import { hostWith, settled, StreamReader } from "../lib/session-client.mjs";

await loadEngine();

/** A host that listens while `use` runs. */
async function served(options, use) {
  const { listenOptions, ...hostOptions } = options;
  const world = hostWith(hostOptions);
  const server = await listen(world.host, listenOptions);
  const post = (path, json, headers = {}) =>
    fetch(server.url + path, {
      method: "POST",
      body: JSON.stringify(json),
      headers: { "content-type": "application/json", ...headers },
    });
  const begin = async (json = {}) => {
    const { id } = await (await post("/sessions", { clientId: crypto.randomUUID(), ...json })).json();
    return `/sessions/${id}`;
  };
  try {
    await use({ ...world, server, post, begin });
  } finally {
    await server.close();
    await world.host.close();
  }
}

async function until(condition) {
  for (let tries = 0; tries < 500; tries++) {
    if (await condition()) return;
    await delay(10);
  }
  assert.fail("it did not come to that");
}

/** A request with headers that `fetch` does not let one set. */
async function raw(port, path, { method = "GET", headers = {}, body } = {}) {
  const asked = httpRequest({ host: "127.0.0.1", port, path, method, headers });
  asked.end(body);
  const [response] = await once(asked, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, body: text && JSON.parse(text) };
}

/** What comes back for bytes as they are, until the server is done with the connection or `enough`. */
async function wire(port, bytes, enough = () => false) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  let text = "";
  socket.setEncoding("latin1");
  socket.write(bytes);
  for await (const chunk of socket) {
    text += chunk;
    if (enough(text)) break;
  }
  socket.destroy();
  return text;
}

test("a session is served over HTTP, on the loopback interface", () =>
  served({}, async ({ server, post, begin }) => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(server.url, `http://127.0.0.1:${server.port}`);
    const path = await begin();
    const reader = new StreamReader(await fetch(`${server.url}${path}/stream`));
    const accepted = await post(`${path}/messages`, { clientId: "m", text: "größer 😀" });
    assert.deepEqual([accepted.status, await accepted.json()], [202, { accepted: true }]);
    const frames = await reader.turn();
    assert.equal(frames.at(-1).data.resultText, "You said: größer 😀");
    await post(`${path}/close`, {});
    assert.deepEqual(await reader.rest(), [{ event: "done", data: {} }]);
    const resumed = await fetch(`${server.url}${path}/stream`, { headers: { "last-event-id": "1" } });
    assert.deepEqual((await new StreamReader(resumed).rest()).slice(0, frames.length - 1), frames.slice(1));
  }));

test("an event is sent when it comes", () =>
  served({}, async ({ server, post, begin }) => {
    const path = await begin();
    const reader = new StreamReader(await fetch(`${server.url}${path}/stream`));
    for (const text of ["a", "b", "c"]) {
      await post(`${path}/messages`, { clientId: text, text });
      assert.equal((await reader.turn()).at(-1).data.resultText, `You said: ${text}`);
    }
    await reader.cancel();
  }));

test("a client that goes away is no reader any more", () =>
  served({ heartbeatMs: 3_600_000 }, async ({ server, begin, host }) => {
    const path = await begin();
    for (const leave of [
      async () => {
        const controller = new AbortController();
        await fetch(`${server.url}${path}/stream`, { signal: controller.signal });
        return () => controller.abort();
      },
      async () => {
        const socket = connect(server.port, "127.0.0.1");
        socket.write(`GET ${path}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        await once(socket, "data");
        return () => socket.resetAndDestroy();
      },
    ]) {
      const go = await leave();
      await until(() => host.sessions[0].readers === 1);
      go();
      await until(() => host.sessions[0].readers === 0);
    }
  }));

test("a client that goes away aborts its request", async () => {
  const signals = [];
  const server = await listen({
    fetch: async ({ signal }) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => {}) : new Response("done");
    },
  });
  const controller = new AbortController();
  const waiting = fetch(server.url, { signal: controller.signal });
  await until(() => signals.length === 1);
  controller.abort();
  await assert.rejects(waiting);
  await until(() => signals[0].aborted);
  assert.equal(await (await fetch(server.url)).text(), "done");
  await delay(20);
  assert.equal(signals[1].aborted, false, "one that was answered is not aborted");
  await server.close();
});

test("a client that does not read holds back its own stream, and is ended when the log has gone on", () => {
  const pad = "x".repeat(10_000);
  function* turn() {
    for (let n = 0; n < 100; n++) yield info(`${n} ${pad}`);
  }
  return served({ script: { turn }, maxLogBytes: 200_000 }, async ({ server, begin, post, host }) => {
    const path = await begin();
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`GET ${path}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await until(() => host.sessions[0].readers === 1);
    socket.pause();
    // Far more than the buffers of both ends hold.
    for (let n = 0; host.sessions[0].readers === 1 && n < 60; n++) {
      await post(`${path}/messages`, { clientId: `${n}`, text: "more" });
      await settled();
    }
    assert.equal(host.sessions[0].readers, 0);
    let received = "";
    socket.setEncoding("latin1");
    for await (const chunk of socket) {
      received += chunk;
      if (received.endsWith("\r\n0\r\n\r\n")) break;
    }
    assert.ok(
      received.includes("id: 1\n") && !received.includes("event: done"),
      "the body ends before the session",
    );
    socket.destroy();
  });
});

test("a body comes in as it is read, and one that is too long is not held", () =>
  served({ maxBodyBytes: 100_000 }, async ({ server, begin }) => {
    const path = await begin();
    const asked = httpRequest({
      port: server.port,
      path: `${path}/messages`,
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    const chunk = Buffer.alloc(64 * 1024, " ");
    let response;
    asked.on("response", (answer) => {
      response = answer;
    });
    asked.on("error", () => {});
    for (let sent = 0; !response && sent < 200; sent++) {
      asked.write(chunk);
      await delay(1);
    }
    assert.equal(response?.statusCode, 413);
    let text = "";
    for await (const piece of response) text += piece;
    assert.equal(JSON.parse(text).error.code, "body_too_large");
    asked.destroy();
  }));

test("a body that a handler does not take stays with the client", async () => {
  const held = gate();
  const server = await listen({
    fetch: async ({ body }) => {
      await body.getReader().read();
      await held.opened;
      return new Response("enough");
    },
  });
  const size = 32 * 2 ** 20;
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`);
  const piece = Buffer.alloc(size / 128);
  let sent = 0;
  const more = () =>
    socket.write(piece, (error) => {
      if (error) return;
      sent += piece.length;
      if (sent < size) more();
    });
  more();
  let before = -1;
  for (let still = 0; still < 5; before = sent) {
    await delay(10);
    still = sent > 0 && sent === before ? still + 1 : 0;
  }
  assert.ok(sent < size / 2, `${sent} bytes were taken`);
  held.open();
  const [answer] = await once(socket, "data");
  assert.match(`${answer}`, /^HTTP\/1\.1 200/);
  await until(() => sent === size);
  socket.destroy();
  await server.close();
});

test("a body that a handler has read in part, or given up, is thrown away", async () => {
  const handlers = [
    async ({ body }) => {
      await body.getReader().read();
      return new Response();
    },
    async ({ body }) => {
      const reader = body.getReader();
      await reader.read();
      const pending = reader.read();
      await reader.cancel();
      await pending;
      // More of it comes before the answer.
      await settled();
      return new Response();
    },
    async () => new Response(),
  ];
  let asked = 0;
  const server = await listen({ fetch: (request) => handlers[asked++](request) });
  const post = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400000\r\n\r\n";
  const last = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const body = "x".repeat(400_000);
  const answers = await wire(server.port, post + body + post + body + last);
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), Array(3).fill("HTTP/1.1 200"));
  await server.close();
});

test("a connection goes on with its next request after a body that was refused", () =>
  served({ maxBodyBytes: 1_000 }, async ({ server }) => {
    const body = " ".repeat(300_000);
    for (const [path, status] of [
      ["/sessions", 413],
      ["/nothing", 404],
    ]) {
      const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      const next = "GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const answers = await wire(server.port, `POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}${next}`);
      assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`, "HTTP/1.1 404"]);
    }
  }));

test("a body in pieces and one of no length are bodies, and none is none", () =>
  served({}, async ({ server, begin, scripted }) => {
    const path = await begin();
    const json = JSON.stringify({ clientId: "m", text: "in pieces" });
    const head = `POST ${path}/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    const pieces = [...json].map((letter) => `1\r\n${letter}\r\n`).join("");
    const answer = await wire(
      server.port,
      `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${pieces}0\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 202/);
    await settled();
    assert.deepEqual(scripted.agent.received.map(wordsOf), ["in pieces"]);
    for (const length of ["", "Content-Length: 0\r\n"]) {
      const close = `POST ${path}/close HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${length}\r\n`;
      assert.match(await wire(server.port, close), /^HTTP\/1\.1 200/);
    }
  }));

test("a request that breaks off in its body does nothing", () =>
  served({}, async ({ server, begin, scripted, errors, post }) => {
    const path = await begin();
    const socket = connect(server.port, "127.0.0.1");
    socket.write(
      `POST ${path}/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"clientId":"m","text":"half`,
    );
    await delay(20);
    socket.destroy();
    await delay(20);
    assert.deepEqual([scripted.agent.received, errors], [[], []]);
    assert.equal((await post(`${path}/messages`, { clientId: "m", text: "whole" })).status, 202);
  }));

test("a handler that waits for a body learns that the connection was lost", async () => {
  const bodies = [];
  const server = await listen({
    fetch: async (request) => {
      bodies.push(request.text());
      await bodies[0];
      return new Response();
    },
  });
  const socket = connect(server.port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999\r\n\r\nhalf");
  await until(() => bodies.length === 1);
  socket.destroy();
  await assert.rejects(bodies[0]);
  await server.close();
});

test("a server that is asked by a foreign name refuses", () =>
  served({}, async ({ server, host }) => {
    const { port } = server;
    for (const name of [
      "evil.example",
      `evil.example:${port}`,
      "localhost.evil.example",
      "evil.example#localhost",
      "localhost@evil.example",
      "evil.example/localhost",
      "127.0.0.1.evil.example",
      "127.0.0.2",
      "[::2]",
      "0.0.0.0",
      "localhost:1:2",
      "localhost:",
    ]) {
      const { status, body } = await raw(port, "/sessions", { headers: { host: name } });
      assert.deepEqual([status, body.error?.code], [403, "host_not_allowed"], name);
    }
    for (const head of ["1.0", "1.0\r\nHost: ", "1.1\r\nConnection: close\r\nHost: "]) {
      assert.match(await wire(port, `GET /sessions HTTP/${head}\r\n\r\n`), /^HTTP\/1\.1 403/);
    }
    for (const name of [
      "localhost",
      `LocalHost:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      "localhost:1",
    ]) {
      assert.equal((await raw(port, "/sessions", { headers: { host: name } })).status, 405, name);
    }
    assert.equal(host.sessions.length, 0);
  }));

test("names can be allowed, and the name to listen at is", async () => {
  await served({ listenOptions: { allowedHosts: ["Agent.Example"] } }, async ({ server: { port } }) => {
    const ask = async (host) => (await raw(port, "/sessions", { headers: { host } })).status;
    assert.deepEqual(
      [await ask("agent.example"), await ask("agent.example:443"), await ask("x.agent.example")],
      [405, 405, 403],
    );
  });
  await served({ listenOptions: { hostname: "0.0.0.0" } }, async ({ server: { port, url } }) => {
    assert.equal(url, `http://localhost:${port}`);
    const ask = async (host) => (await raw(port, "/sessions", { headers: { host } })).status;
    assert.deepEqual([await ask("0.0.0.0"), await ask("localhost")], [403, 405]);
  });
});

test("the origin of pages is compared with the one that the server was asked by", () =>
  served({ origins: ["https://app.example"] }, async ({ server: { port } }) => {
    const ask = async (host, origin) => {
      const headers = { host, origin, "content-type": "application/json" };
      const body = JSON.stringify({ clientId: crypto.randomUUID() });
      return (await raw(port, "/sessions", { method: "POST", headers, body })).status;
    };
    assert.equal(await ask(`localhost:${port}`, `http://localhost:${port}`), 201);
    assert.equal(await ask(`127.0.0.1:${port}`, `http://127.0.0.1:${port}`), 201);
    assert.equal(await ask(`localhost:${port}`, `http://127.0.0.1:${port}`), 403);
    assert.equal(await ask(`localhost:${port}`, `http://localhost:${port + 1}`), 403);
    assert.equal(await ask(`localhost:${port}`, `https://localhost:${port}`), 403);
    assert.equal(await ask(`localhost:${port}`, "null"), 403);
    assert.equal(await ask(`localhost:${port}`, "https://app.example"), 201);
  }));

test("behind a proxy the origin is the one that was told", () =>
  served({ listenOptions: { origin: "https://agent.example" } }, async ({ server: { port } }) => {
    const ask = async (host, origin, more = {}) => {
      const headers = { host, origin, "content-type": "application/json", ...more };
      const body = JSON.stringify({ clientId: crypto.randomUUID() });
      return (await raw(port, "/sessions", { method: "POST", headers, body })).status;
    };
    assert.equal(await ask("agent.example", "https://agent.example"), 201);
    assert.equal(await ask("127.0.0.1:1234", "https://agent.example"), 201);
    assert.equal(await ask("agent.example", "http://agent.example"), 403);
    assert.equal(await ask("evil.example", "https://agent.example"), 403);
    const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
    assert.equal(await ask("agent.example", "https://evil.example", forwarded), 403);
  }));

test("an origin that is none is refused at once", () => {
  for (const origin of ["agent.example", "https://agent.example/", "https://agent.example/path", ""]) {
    assert.throws(() => requestListener({ fetch: () => {} }, { origin }), TypeError);
  }
});

test("what is no path is refused, whatever it would lead to", () =>
  served({}, async ({ server: { port }, begin, host }) => {
    const path = await begin();
    const id = host.sessions[0].id;
    const line = async (target, method = "GET") =>
      /^HTTP\/1\.1 (\d+)/.exec(
        await wire(port, `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      )?.[1];
    assert.equal(await line(path), "200");
    assert.equal(await line(`http://localhost${path}`), "400");
    assert.equal(await line("http://evil.example/sessions"), "400");
    assert.equal(await line("*", "OPTIONS"), "400");
    assert.equal(await line(`//evil.example${path}`), "404");
    assert.equal(await line(`/%2e%2e${path}`), "200");
    assert.equal(await line(`/sessions/${id}/%00`), "404");
    assert.equal(await line(`/sessions/${id}?x=${"y".repeat(1_000)}`), "200");
    assert.equal(await line(path, "TRACE"), "400");
  }));

test("a host can share a server with other things", async () => {
  const { host } = hostWith({ basePath: "/agent" });
  const agent = requestListener(host);
  const server = createServer((request, response) => {
    if (request.url.startsWith("/agent/")) agent(request, response);
    else response.end("a page");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const begun = await fetch(`${url}/agent/sessions`, {
    method: "POST",
    body: '{"clientId":"c"}',
    headers: { "content-type": "application/json" },
  });
  assert.equal(begun.status, 201);
  assert.equal(await (await fetch(`${url}/`)).text(), "a page");
  server.close();
  server.closeAllConnections();
  await host.close();
});

test("closing the server cuts its connections, and leaves the host as it is", async () => {
  const { host, session } = hostWith();
  await session();
  const server = await listen(host);
  const { id } = host.sessions[0];
  const reader = new StreamReader(await fetch(`${server.url}/sessions/${id}/stream`));
  const pending = assert.rejects(reader.next());
  await server.close();
  await pending;
  await until(() => host.sessions[0].readers === 0);
  assert.equal(host.sessions[0].status, "RUNNING");
  await assert.rejects(fetch(server.url));
  const again = await listen(host, { port: server.port });
  assert.equal(again.port, server.port);
  assert.equal((await fetch(`${again.url}/sessions/${id}`)).status, 200);
  await assert.rejects(listen(host, { port: again.port }), { code: "EADDRINUSE" });
  await again.close();
  await host.close();
});

test("a handler that fails is 500, and one whose body fails is cut", async () => {
  const failing = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("so far"));
    },
    pull(controller) {
      controller.error(new Error("secret"));
    },
  });
  let asked = 0;
  const server = await listen({
    fetch: async () => {
      if (asked++ === 0) throw new Error("secret");
      return new Response(failing);
    },
  });
  const first = await fetch(server.url);
  assert.equal(first.status, 500);
  assert.doesNotMatch(await first.text(), /secret/);
  const second = await fetch(server.url);
  await assert.rejects(second.text());
  await server.close();
});
