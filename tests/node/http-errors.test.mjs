// Answers that are not what was asked for, and transports that misbehave → typed errors, which never hold the key.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  Agent,
  AgentBusyError,
  AgentNotFoundError,
  AuthenticationError,
  ConfigurationError,
  CursorAgentError,
  CursorSdkError,
  IntegrationNotConnectedError,
  NetworkError,
  RateLimitError,
  RunwireError,
  StreamExpiredError,
  UnknownAgentError,
  UnsupportedRunOperationError,
} from "runwire";
import { agentId, bodyOf, ending, fetchOf, frames, run, runId, textOf } from "../lib/run-service.mjs";

const key = "secret_0123456789";
const path = `/v1/agents/${agentId}/runs/${runId}`;
const answer = (status, body, headers = {}) =>
  new Response(body, {
    status,
    headers: { "content-type": "application/json", "x-request-id": "req-7", ...headers },
  });
const envelope = (code, message = "why") => JSON.stringify({ error: { code, message } });

/** The error a promise rejects with. */
async function errorOf(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "It did not reject" });
}

const getRunError = (fetch, options) =>
  errorOf(Agent.getRun(runId, { ...run, apiKey: key, fetch, ...options }));

/** What the stream fails with when the service answers this, at the first attempt. */
async function streamError(make, options) {
  const service = fetchOf(make);
  const handle = await Agent.getRun(runId, { ...run, apiKey: key, fetch: service.fetch, ...options });
  const error = await errorOf(handle.stream().next());
  return { error, attempts: service.streams.length };
}

/** Fails when the key is anywhere in an error. */
function assertNoKey(error, secret = key) {
  const shown = [
    String(error),
    error.stack,
    JSON.stringify(error),
    JSON.stringify(error.toJSON?.()),
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    JSON.stringify(Object.getOwnPropertyNames(error).map((name) => String(error[name]))),
  ];
  for (const text of shown) assert.ok(!text?.includes(secret), text);
  if (error.cause instanceof Error) assertNoKey(error.cause, secret);
}

/** [status, body, class, isRetryable, code, message] */
const table = [
  [401, envelope("unauthorized"), AuthenticationError, false, "unauthorized", "why"],
  [401, envelope("api_key_not_found"), AuthenticationError, false, "api_key_not_found", "why"],
  [429, envelope("rate_limit_exceeded"), RateLimitError, true, "rate_limit_exceeded", "why"],
  [409, envelope("agent_busy"), AgentBusyError, false, "agent_busy", "[agent_busy] why"],
  [409, envelope("agent_archived"), ConfigurationError, false, "agent_archived", "[agent_archived] why"],
  [
    400,
    envelope("validation_error"),
    ConfigurationError,
    false,
    "validation_error",
    "[validation_error] why",
  ],
  [404, envelope("run_not_found"), ConfigurationError, false, "run_not_found", "[run_not_found] why"],
  [404, envelope("agent_not_found"), AgentNotFoundError, false, "agent_not_found", "[agent_not_found] why"],
  ...[402, 403, 405, 413, 415, 422, 425].map((status) => [
    status,
    envelope("some_code"),
    UnknownAgentError,
    false,
    "some_code",
    "[some_code] why",
  ]),
  [
    400,
    JSON.stringify({
      error: {
        code: "integration_not_connected",
        message: "why",
        helpUrl: "https://cursor.com/integrations",
        provider: "github",
      },
    }),
    IntegrationNotConnectedError,
    false,
    "integration_not_connected",
    "[integration_not_connected] why",
  ],
  // Where it does not say which, nobody can be sent to connect it.
  ...["", ',"helpUrl":"https://cursor.com/integrations"'].map((more) => [
    409,
    `{"error":{"code":"integration_not_connected","message":"why"${more}}}`,
    ConfigurationError,
    false,
    "integration_not_connected",
    "[integration_not_connected] why",
  ]),
  [410, envelope("stream_expired"), StreamExpiredError, false, "stream_expired", "[stream_expired] why"],
  ...[500, 502, 503, 504].map((status) => [
    status,
    envelope("upstream_error"),
    NetworkError,
    true,
    "upstream_error",
    "[upstream_error] why",
  ]),
  // What else stands for an error, and what is none.
  [
    403,
    `{"code":"role_forbidden","message":"flat"}`,
    UnknownAgentError,
    false,
    "role_forbidden",
    "[role_forbidden] flat",
  ],
  [403, `{"error":"text","message":"mixed"}`, UnknownAgentError, false, undefined, "[unknown] mixed"],
  [403, "plain text", UnknownAgentError, false, undefined, "[unknown] plain text"],
  [403, "", UnknownAgentError, false, undefined, "Request failed with status 403"],
  [
    403,
    `{"error":{"code":7,"message":[]}}`,
    UnknownAgentError,
    false,
    undefined,
    `[unknown] {"error":{"code":7,"message":[]}}`,
  ],
  [401, "", AuthenticationError, false, undefined, "Request failed with status 401"],
  [503, "<html>Bad gateway</html>", NetworkError, true, undefined, "[unknown] <html>Bad gateway</html>"],
];

function assertError(error, [status, body, ErrorClass, isRetryable, code, message], operation, endpoint) {
  const name = `${status} ${body}`;
  assert.equal(Object.getPrototypeOf(error), ErrorClass.prototype, `${name}: ${error.name}`);
  for (const Parent of [CursorAgentError, CursorSdkError, RunwireError, Error])
    assert.ok(error instanceof Parent, name);
  const { name: shown, ...rest } = error.toJSON();
  assert.equal(shown, ErrorClass.name);
  assert.deepEqual(
    rest,
    { message, code, status, isRetryable, endpoint, requestId: "req-7", operation },
    name,
  );
  for (const [member, value] of Object.entries(rest)) assert.deepEqual(error[member], value, member);
  assert.equal(error.body, body);
  assert.equal(error.contentType, "application/json");
  assertNoKey(error);
}

test("every answer to GET run becomes its class, code and message", async () => {
  for (const row of table) {
    const error = await getRunError(async () => answer(row[0], row[1]));
    assertError(error, row, "Agent.getRun", `GET ${path}`);
  }
  assert.equal(table.length, 30);
});

test("an answer to the stream that is final fails it at once, with its class, code and message", async () => {
  const final = table.filter(([status, , , isRetryable]) => !isRetryable && status !== 408);
  for (const row of final) {
    const { error, attempts } = await streamError(() => Promise.resolve(answer(row[0], row[1])));
    assertError(error, row, "run.stream", `GET ${path}/stream`);
    assert.equal(attempts, 1, `${row[0]}`);
  }
  assert.equal(final.length, 24);
  const { error } = await streamError(() => Promise.resolve(answer(410, envelope("stream_expired"))));
  assert.ok(error instanceof UnsupportedRunOperationError);
});

test("an error frame that is fatal fails the stream with a typed error, after what came before it", async () => {
  for (const [code, ErrorClass] of [
    ["unauthorized", AuthenticationError],
    ["forbidden", UnknownAgentError],
    ["not_found", ConfigurationError],
  ]) {
    const frame = `event: error\ndata: {"code":"${code}","message":"why"}\n\n`;
    const service = fetchOf(() => bodyOf([frames(0, 2) + frame]).stream);
    const handle = await Agent.getRun(runId, { ...run, fetch: service.fetch });
    const texts = [];
    const error = await errorOf(
      (async () => {
        for await (const message of handle.stream()) texts.push(textOf(message));
      })(),
    );
    assert.deepEqual(texts, [0, 1]);
    assert.ok(error instanceof ErrorClass, `${code}: ${error}`);
    assert.equal(error.code, code);
    assert.equal(service.streams.length, 1);
  }
});

test("of a long answer at most 64 KiB are kept", async () => {
  const error = await getRunError(async () =>
    answer(403, "x".repeat(200_000), { "content-type": "text/plain" }),
  );
  assert.equal(error.body.length, 64 * 1024);
  assert.equal(error.contentType, "text/plain");
  assert.ok(error.message.length < 400, `${error.message.length}`);
  assert.ok(!inspect(error).includes("x".repeat(400)), "printing it does not print the body");
});

test("an answer without a body, content type or request id leaves those out", async () => {
  const error = await getRunError(async () => new Response(null, { status: 404 }));
  assert.equal(error.message, "Request failed with status 404");
  assert.deepEqual([error.requestId, error.contentType, error.code], [undefined, undefined, undefined]);
});

test("a stream answered with another content type fails with status, type and the body's start", async () => {
  const { error } = await streamError(
    () => Promise.resolve(answer(200, "<html>Please log in</html>", { "content-type": "text/html" })),
    { retry: { attempts: 0 } },
  );
  assert.ok(error instanceof NetworkError);
  assert.deepEqual([error.code, error.status, error.contentType], ["not_an_event_stream", 200, "text/html"]);
  assert.equal(error.body, "<html>Please log in</html>");
});

test("a record that is none is an error, not a handle", async () => {
  for (const body of ["", "[]", "null", `{"status"`, "<html>", "{}"]) {
    const error = await getRunError(async () => answer(200, body));
    assert.ok(error instanceof UnknownAgentError, `${body}: ${error}`);
    assert.equal(error.code, "invalid_answer");
  }
});

const cause = new Error("from the transport");
/** Transports that misbehave, and what they are the cause of. */
const transports = {
  "throws synchronously": () => {
    throw cause;
  },
  rejects: () => Promise.reject(cause),
  "rejects with what is no error": () => Promise.reject(undefined),
  "gives nothing": async () => undefined,
  "gives null": async () => null,
  "gives an object that is no response": async () => ({}),
  "gives a response that is being read": async () => {
    const response = new Response("{}", { headers: { "content-type": "text/event-stream" } });
    response.body.getReader();
    return response;
  },
  "gives a body that fails at once": async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.error(cause);
      },
    });
    return new Response(body, { status: 403 });
  },
};

for (const [name, fetch] of Object.entries(transports)) {
  test(`a fetch that ${name} is a typed error of getRun and of the stream`, { timeout: 20_000 }, async () => {
    const error = await getRunError(fetch);
    assert.ok(error instanceof CursorSdkError, inspect(error));
    assertNoKey(error);
    const streamed = await streamError(fetch, { retry: { attempts: 0 } });
    assert.ok(streamed.error instanceof CursorSdkError, inspect(streamed.error));
    assert.equal(streamed.attempts, 1);
    if (/throws|rejects$/.test(name)) {
      for (const thrown of [error, streamed.error]) {
        assert.deepEqual(
          [thrown.name, thrown.code, thrown.message],
          ["NetworkError", "network_error", "Network request failed"],
        );
        assert.equal(thrown.cause, cause);
        assert.equal(thrown.isRetryable, true);
      }
    }
  });
}

test("a response that is no instance of this realm's class is as good as any", async () => {
  const elsewhere = ({ status, headers, body }) => ({ status, headers, body });
  const service = fetchOf(() =>
    Promise.resolve(
      elsewhere(
        new Response(bodyOf([frames(0, 2) + ending]).stream, {
          headers: { "content-type": "text/event-stream" },
        }),
      ),
    ),
  );
  const fetch = async (url, init) => elsewhere(await service.fetch(url, init));
  const handle = await Agent.getRun(runId, { ...run, fetch });
  const texts = [];
  for await (const message of handle.stream()) texts.push(textOf(message));
  assert.deepEqual(texts, [0, 1]);
});

test("the key goes into the Authorization header and nowhere else", async () => {
  for (const [options, expected] of [
    [{ apiKey: key }, `Bearer ${key}`],
    [{ apiKey: async () => key }, `Bearer ${key}`],
    [{ apiKey: key, auth: "basic" }, `Basic ${btoa(`${key}:`)}`],
  ]) {
    const calls = [];
    const service = fetchOf(() => bodyOf([ending]).stream);
    const fetch = (url, init) => {
      calls.push({ url, init });
      return service.fetch(url, init);
    };
    const handle = await Agent.getRun(runId, { ...run, ...options, fetch });
    for await (const _ of handle.stream());
    assert.equal(calls.length, 2);
    for (const { url, init } of calls) {
      const { authorization, ...headers } = Object.fromEntries(init.headers);
      assert.equal(authorization, expected);
      assert.ok(!JSON.stringify([url, headers]).includes(key));
    }
    assert.ok(
      !inspect(handle, { depth: Number.POSITIVE_INFINITY, showHidden: true }).includes(key),
      "the handle hides it",
    );
    assert.ok(!JSON.stringify(handle).includes(key));
  }
});

test("a key that no header can hold is refused before any request, and not shown", async () => {
  for (const bad of [`${key}\nx`, `${key}\0`, `${key}ключ`, `${key}😀`]) {
    for (const auth of ["bearer", "basic"]) {
      // Base64 hides all that is a byte: those are valid.
      if (auth === "basic" && /[\n\0]/.test(bad)) continue;
      let requests = 0;
      const fetch = async () => {
        requests++;
        return answer(200, "{}");
      };
      const error = await getRunError(fetch, { apiKey: bad, auth });
      assert.ok(error instanceof ConfigurationError, `${auth}: ${inspect(error)}`);
      assert.equal(error.code, "invalid_header");
      assert.equal(requests, 0);
      assertNoKey(error, key);
    }
  }
});

test("a header of the caller's that HTTP does not allow is refused without its value", async () => {
  const error = await getRunError(async () => answer(200, "{}"), { headers: { "x-token": `${key}\nx` } });
  assert.ok(error instanceof ConfigurationError);
  assert.match(error.message, /x-token/);
  assertNoKey(error);
});

test("ids that are not of the API's form are refused before any request", async () => {
  let requests = 0;
  const fetch = async () => {
    requests++;
    return answer(200, "{}");
  };
  for (const [id, options] of [
    ["1", {}],
    ["../../me", {}],
    [runId, { agentId: "agent" }],
    [runId, { agentId: undefined }],
    [runId, { runtime: "local" }],
  ]) {
    const error = await errorOf(Agent.getRun(id, { ...run, fetch, ...options }));
    assert.ok(error instanceof ConfigurationError, inspect(error));
  }
  assert.equal(requests, 0);
});

test("the guard against keys sees one", () => {
  assert.throws(() => assertNoKey(new Error(`Bearer ${key}`)), assert.AssertionError);
  assert.throws(() => assertNoKey(new Error("x", { cause: new Error(key) })), assert.AssertionError);
});

test("an integration that is not connected says which, and where to connect it, in either form of a body", async () => {
  const details = { helpUrl: "https://cursor.com/integrations", provider: "github" };
  const error = { code: "integration_not_connected", message: "why", ...details };
  for (const body of [{ error }, error]) {
    const { helpUrl, provider } = await getRunError(() => answer(400, JSON.stringify(body)));
    assert.deepEqual({ helpUrl, provider }, details);
  }
});
