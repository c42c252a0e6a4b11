// What is different in a page: where requests are redirected, a page cannot see; and what it holds, everybody can.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Cursor, init } from "runwire";

await init();

const retry = { attempts: 0 };

/** Does `work` where there seems to be a page; what it says on the console comes back. */
async function inPage(work) {
  const said = [];
  const { warn } = console;
  console.warn = (...words) => said.push(words.join(" "));
  Object.assign(globalThis, { location: { origin: "https://page.example" }, document: {} });
  try {
    await work();
  } finally {
    console.warn = warn;
    delete globalThis.location;
    delete globalThis.document;
  }
  return said;
}

test("a key in a page is warned of once, unless a function or a relay gives it", async () => {
  const fetch = async () => Response.json({ apiKeyName: "mine" });
  const said = await inPage(async () => {
    await Cursor.me({ fetch, apiKey: async () => "key" });
    await Cursor.me({ fetch, apiKey: "key", baseUrl: "/api" });
  });
  assert.deepEqual(said, []);
  const warned = await inPage(async () => {
    await Cursor.me({ fetch, apiKey: "sk-secret" });
    await Cursor.me({ fetch, apiKey: "sk-secret" });
  });
  assert.equal(warned.length, 1);
  assert.match(warned[0], /relay/);
  assert.match(warned[0], /sub-token/);
  assert.doesNotMatch(warned[0], /sk-secret/);
});

test("a call to another origin that fails says that it may be CORS; one to its own does not", async () => {
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  await inPage(async () => {
    const failed = (options) => Cursor.me({ fetch, retry, ...options }).catch(({ message }) => message);
    assert.match(await failed({ apiKey: "key" }), /^Network request failed \(perhaps CORS: .* relay/);
    assert.equal(await failed({ baseUrl: "/api" }), "Network request failed");
    assert.equal(await failed({ baseUrl: "https://page.example/api" }), "Network request failed");
  });
});

test("neither key nor headers of the caller's go anywhere by a redirect", async () => {
  const asked = [];
  const fetch = async (_, { redirect }) => {
    asked.push(redirect);
    // As browsers show a redirect that is not to be followed.
    if (redirect === "manual") {
      return Object.defineProperties(new Response(null), { type: { value: "opaqueredirect" } });
    }
    return Response.json({ apiKeyName: "from elsewhere" });
  };
  await inPage(async () => {
    for (const secret of [
      { headers: { "x-relay-key": "mine" } },
      { apiKey: "key" },
      { apiKey: async () => "key" },
    ]) {
      await assert.rejects(Cursor.me({ fetch, baseUrl: "/api", ...secret }), {
        name: "ConfigurationError",
        code: "redirected",
        message: "The service redirects to somewhere, which gets no key: set baseUrl to where it is",
        operation: "Cursor.me",
        endpoint: "GET /v1/me",
      });
    }
    // With nothing of the caller's, wherever it leads.
    await Cursor.me({ fetch, baseUrl: "/api" });
  });
  assert.deepEqual(asked, ["manual", "manual", "manual", undefined]);
});

test("an address that holds a password is refused, and not shown", async () => {
  const fetch = () => assert.fail("nothing is requested");
  for (const baseUrl of [
    "https://me:sk-secret@relay.example",
    new URL("https://sk-secret@relay.example/x"),
  ]) {
    const error = await Cursor.me({ fetch, baseUrl }).catch((thrown) => thrown);
    assert.equal(error.code, "invalid_option");
    assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /sk-secret/);
  }
  assert.ok(await Cursor.me({ baseUrl: "https://relay.example/a@b", fetch: async () => Response.json({}) }));
});

test("an environment that may not be looked at has no key", async () => {
  const { env } = process;
  const sealed = new Proxy(
    {},
    {
      get() {
        throw new Error("Requires env access");
      },
    },
  );
  Object.defineProperty(process, "env", { value: sealed, configurable: true, writable: true });
  try {
    const fetch = async () => Response.json({ apiKeyName: "the relay's" });
    assert.equal((await Cursor.me({ baseUrl: "/api", fetch })).apiKeyName, "the relay's");
  } finally {
    Object.defineProperty(process, "env", { value: env, configurable: true, writable: true });
  }
});
