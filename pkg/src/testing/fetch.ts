// A `fetch` that ends in the simulator instead of the network.

import { networkError, streamBody } from "./body.js";
import type { ReplyHead, Service } from "./core.js";
import type { SimulatorCore } from "./simulator.js";

/** The fetch that a client is given. */
export type SimulatorFetch = (input: Request | URL | string, init?: RequestInit) => Promise<Response>;

interface Call {
  url: URL;
  method: string;
  headers: Headers;
  body: Uint8Array;
  signal: AbortSignal | undefined;
  redirect: RequestRedirect;
}

const MAX_REDIRECTS = 20;
/** Statuses whose responses have no body. */
const BODILESS = [204, 205, 304];

/** `basePath` is what stands before `/v1` in the addresses that the client uses. */
export function createFetch(service: Service, basePath: string): SimulatorFetch {
  return async (input, init = {}) => {
    let call = await readCall(input, init);
    call.signal?.throwIfAborted();
    service.open++;
    try {
      const core = await service.load();
      for (let redirects = 0; ; redirects++) {
        const { head, body } = await exchange(service, core, call, basePath);
        const location = isRedirect(head.status) && header(head, "location");
        if (!location || call.redirect === "manual")
          return respond(service, core, call, head, body, redirects > 0);
        if (call.redirect === "error" || redirects === MAX_REDIRECTS) throw networkError();
        call = redirected(call, head.status, location);
      }
    } finally {
      service.open--;
    }
  };
}

async function readCall(input: Request | URL | string, init: RequestInit): Promise<Call> {
  // By shape, for requests of other realms are no instances of this one's class.
  const given = typeof input === "object" && "url" in input ? input : undefined;
  const base = globalThis.location?.href ?? "https://simulator.invalid";
  const url = new URL(given ? given.url : String(input), base);
  const method = (init.method ?? given?.method ?? "GET").toUpperCase();
  const headers = new Headers(init.headers ?? given?.headers);
  const source = init.body ?? given?.body;
  if (source && (method === "GET" || method === "HEAD")) {
    throw new TypeError(`Request with ${method} method cannot have a body`);
  }
  const carrier = new Response(source ?? null);
  const type = carrier.headers.get("content-type");
  if (type && !headers.has("content-type")) headers.set("content-type", type);
  if (!headers.has("accept")) headers.set("accept", "*/*");
  return {
    url,
    method,
    headers,
    body: new Uint8Array(await carrier.arrayBuffer()),
    signal: (init.signal === undefined ? given?.signal : init.signal) ?? undefined,
    redirect: init.redirect ?? given?.redirect ?? "follow",
  };
}

/** One request and its reply, once that has arrived. */
async function exchange(service: Service, core: SimulatorCore, call: Call, basePath: string) {
  const { url, method, headers, body, signal } = call;
  const path = url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) : url.pathname;
  const sent: [string, string][] = [["host", url.host], ...headers];
  const reply = service.request(core, method, path + url.search, sent, body);
  const { head } = reply;
  const at = head.never ? Number.POSITIVE_INFINITY : head.at;
  while (at > service.clock.now() && !signal?.aborted) await service.waiters.until(at, signal);
  if (signal?.aborted) {
    if (typeof head.stream === "number") core.closeStream(head.stream);
    throw signal.reason;
  }
  if (head.reset) throw networkError();
  return reply;
}

function respond(
  service: Service,
  core: SimulatorCore,
  call: Call,
  head: ReplyHead,
  bytes: Uint8Array<ArrayBuffer>,
  redirected: boolean,
): Response {
  const body = typeof head.stream === "number" ? streamBody(service, core, head.stream, call.signal) : bytes;
  const empty = BODILESS.includes(head.status) || call.method === "HEAD";
  const response = new Response(empty ? null : body, { status: head.status, headers: head.headers });
  return Object.defineProperties(response, {
    url: { value: call.url.href },
    redirected: { value: redirected },
  });
}

function header({ headers }: ReplyHead, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** The next call, as the Fetch standard makes it: nobody else's origin gets the credentials. */
function redirected(call: Call, status: number, location: string): Call {
  const url = new URL(location, call.url);
  const headers = new Headers(call.headers);
  if (url.origin !== call.url.origin) headers.delete("authorization");
  const becomesGet = status === 303 ? call.method !== "HEAD" : status < 303 && call.method === "POST";
  if (!becomesGet) return { ...call, url, headers };
  headers.delete("content-type");
  return { ...call, url, headers, method: "GET", body: new Uint8Array() };
}
