// How requests are made: the options, resolved.

import { ConfigurationError, RequestHint } from "../errors/api.js";
import { guard } from "../messages/decoder.js";
import type { ApiRequest } from "./exchange.js";
import { checkOptions } from "./follow-options.js";

/** A value, or a function asked for it before each request: for keys and headers that change. */
export type MaybeAsync<T> = T | (() => T | Promise<T>);

/** Headers as fetch takes them. */
export type HeadersOption = Record<string, string> | Headers | [string, string][] | undefined;

/** Options of everything that makes requests. */
export interface RequestOptions {
  /**
   * The API key, or a function that gives one (called before each request).
   *
   * @defaultValue the environment variable `CURSOR_API_KEY` where there is an environment; none is
   * needed where a relay holds the key
   */
  apiKey?: MaybeAsync<string | undefined> | undefined;
  /**
   * How the key is sent: `Authorization: Bearer`, or `Basic` with the key as user name.
   *
   * @defaultValue `"bearer"`
   */
  auth?: "bearer" | "basic" | undefined;
  /**
   * Where the API is: an origin, with or without a path, or a path of the page's own origin.
   *
   * @defaultValue `https://api.cursor.com`
   */
  baseUrl?: string | URL | undefined;
  /** Headers to send, or a function that gives them (called before each request). */
  headers?: MaybeAsync<HeadersOption> | undefined;
  /** `credentials` of each request, as in Fetch: `"include"` for a relay on another origin with cookies. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /**
   * What makes the requests: called as `fetch(url, init)` with a plain `init`.
   *
   * @defaultValue the global `fetch`
   */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Where the id to resume a stream from is sent: the header `Last-Event-ID`, or the query parameter
   * of that name for services whose CORS refuses the header.
   *
   * @defaultValue `"header"`
   */
  lastEventIdIn?: "header" | "query" | undefined;
  /** Called after each request of which there is an answer, or no longer any hope of one. */
  onRequest?: ((trace: RequestTrace) => void) | undefined;
}

/** One request, as `onRequest` is told of it. Nothing of it is secret. */
export interface RequestTrace {
  method: string;
  /** Path and query, without the base URL; `artifact` for a file, whose address is a key. */
  path: string;
  /** Counts the requests of the same call or stream, from 1. */
  attempt: number;
  /** The answer's status; absent without an answer. */
  status: number | undefined;
  /** How long it took until the answer began, or failed. */
  durationMs: number;
  /** The service's id of the request, where the answer had one. */
  requestId: string | undefined;
}

export const DEFAULT_BASE_URL = "https://api.cursor.com";

/** Redirects that are followed. */
const REDIRECTS = 5;

/** How requests are made. */
export interface Transport {
  /** Whether key or headers come from a function: asked again, it may give others. */
  readonly renewable: boolean;
  /** What is sent with a request: what it needs, the key, the caller's headers; made before each attempt. */
  headers(request: ApiRequest): Promise<Headers>;
  /** Calls the caller's `fetch`, with a plain `init`: what every binding and mock accepts. */
  fetch(request: ApiRequest, headers: Headers, signal: AbortSignal, attempt: number): Promise<Response>;
  /** A text of the service's, which may repeat a key that it was sent. */
  redact(text: string): string;
}

const refused = (code: string, message: string) => new ConfigurationError(message, { code });

/** Resolves the options; what is wrong with them is thrown here, before any request. */
export function transportOf(options: RequestOptions): Transport {
  const { apiKey, credentials, lastEventIdIn, onRequest } = options;
  const fetch = options.fetch ?? globalThis.fetch;
  if (typeof fetch !== "function") {
    throw refused("invalid_option", "fetch is missing: where the platform has none it must be an option");
  }
  const baseUrl = String(options.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, "");
  // Asked by the platform's own fetch it would fail again and again.
  if (!options.fetch && !pageOrigin() && !/^https?:\/\//i.test(baseUrl)) {
    throw refused(
      "invalid_option",
      "baseUrl must begin with http:// or https://: there is no page here that a path could be of",
    );
  }
  if (/^[^?#]*:\/\/[^/?#]*@/.test(baseUrl)) {
    throw refused(
      "invalid_option",
      "baseUrl must not hold a user or a password, which errors would show: use apiKey or headers",
    );
  }
  if (typeof apiKey === "string" && baseUrl === DEFAULT_BASE_URL) warnOfKeyInPage();
  /** What was sent that nobody else may see. */
  const secrets = new Set<string>();

  function set(headers: Headers, name: string, value: () => string): void {
    try {
      headers.set(name, value());
    } catch {
      // What was thrown may quote the value, which may be the key.
      throw refused("invalid_header", `The header ${name} has a name or value that HTTP does not allow`);
    }
  }

  async function send(request: ApiRequest, headers: Headers, signal: AbortSignal): Promise<Response> {
    const { method, body, lastEventId } = request;
    let url = baseUrl + request.path;
    if (lastEventId !== undefined && lastEventIdIn === "query") {
      url += `?Last-Event-ID=${encodeURIComponent(lastEventId)}`;
    }
    const init: RequestInit = { method, headers, signal };
    if (body !== undefined) init.body = body;
    // A stream kept by a cache or a service worker would never end there. Where there is none,
    // the member does not exist and naming it may throw.
    if (typeof Request === "function" && "cache" in Request.prototype) init.cache = "no-store";
    if (credentials) init.credentials = credentials;
    // Pages do not tell where they are sent, and take the caller's headers along; Firefox, at the second redirect,
    // even the key.
    if (!pageOrigin() || options.headers || headers.has("Authorization")) init.redirect = "manual";
    for (let redirects = 0; ; redirects++) {
      // Not as a method: browsers refuse a fetch whose `this` is not the global object.
      let response: Response;
      try {
        response = await fetch(url, init);
      } catch (cause) {
        throw isForeign(url) ? new RequestHint(corsHint(headers), cause) : cause;
      }
      // A mock's slip: reading the head of what is no response would throw where nothing catches.
      if (typeof response?.status !== "number" || typeof response.headers?.get !== "function") {
        throw new TypeError("fetch gave something that is no Response");
      }
      const location = response.status >= 300 && response.status < 400 && response.headers.get("location");
      const isHidden = response.type === "opaqueredirect";
      if (!location && !isHidden) return response;
      response.body?.cancel().catch(() => {});
      const from = new URL(url, pageOrigin());
      const to = location ? new URL(location, from) : undefined;
      if (to?.origin !== from.origin || method !== "GET" || redirects === REDIRECTS) {
        const where = to?.origin ?? "somewhere";
        throw refused(
          "redirected",
          `The service redirects to ${where}, which gets no key: set baseUrl to where it is`,
        );
      }
      url = to.href;
    }
  }

  function redact(text: string): string {
    let redacted = text;
    for (const secret of secrets) redacted = redacted.replaceAll(secret, "[redacted]");
    return redacted;
  }

  return {
    renewable: typeof apiKey === "function" || typeof options.headers === "function",
    async headers({ accept = "application/json", body, idempotencyKey, lastEventId }) {
      const [key, own] = await Promise.all([
        resolved("apiKey", apiKey ?? environmentKey()),
        resolved("headers", options.headers),
      ]);
      checkOptions({ apiKey: key || undefined, headers: own ?? undefined });
      const headers = new Headers({ accept });
      if (body !== undefined) headers.set("Content-Type", "application/json");
      if (idempotencyKey !== undefined) set(headers, "Idempotency-Key", () => idempotencyKey);
      if (lastEventId !== undefined && lastEventIdIn !== "query") {
        // Its UTF-8 bytes, as browsers send it: a header is a string of bytes.
        headers.set("Last-Event-ID", String.fromCharCode(...new TextEncoder().encode(lastEventId)));
      }
      if (key) {
        set(headers, "Authorization", () => authorization(key, options.auth));
        secrets.add(key).add(headers.get("Authorization")!.replace(/^\w+ /, ""));
      }
      // The caller's own come last, so they win.
      for (const [name, value] of entriesOf(own)) {
        set(headers, name, () => value);
        const sent = headers.get(name)!;
        if (sent.length >= SECRET) secrets.add(sent.replace(/^\w+ /, ""));
      }
      if (baseUrl === DEFAULT_BASE_URL && !options.fetch && !headers.has("Authorization")) {
        throw refused(
          "unauthenticated",
          "API key is required for cloud operations: pass apiKey, set CURSOR_API_KEY, or name a relay in baseUrl",
        );
      }
      return headers;
    },
    async fetch(request, headers, signal, attempt) {
      const begun = Date.now();
      let response: Response | undefined;
      try {
        response = await send(request, headers, signal);
        return response;
      } finally {
        const { method, path } = request;
        const status = response?.status;
        const requestId = this.redact(response?.headers.get("x-request-id") ?? "") || undefined;
        const trace = { method, path, attempt, status, durationMs: Date.now() - begun, requestId };
        if (onRequest) guard(() => onRequest(trace), console.error);
      }
    },
    redact,
  };
}

/** What of the caller's headers is long enough to be a secret. */
const SECRET = 8;

let hasWarned = false;

/** A key in a page is everybody's who opens it. Said once. */
function warnOfKeyInPage(): void {
  if (hasWarned || !globalThis.document || !pageOrigin()) return;
  hasWarned = true;
  console.warn(
    "runwire: whoever opens this page can read its apiKey. Keep the key in a relay (baseUrl), or give each user a " +
      "sub-token (Cursor.subTokens.create) from a function as apiKey.",
  );
}

/** Pages do not learn why a request failed, but there are two likely reasons. */
function corsHint(headers: Headers): string {
  return headers.has("Last-Event-ID")
    ? "perhaps the preflight: CORS must allow Last-Event-ID, see lastEventIdIn"
    : "perhaps CORS: the API lets no page call it from another origin, a relay (baseUrl) does";
}

/** The origin of the page or worker that this is, where it is one. */
function pageOrigin(): string | undefined {
  return (globalThis as { location?: Location }).location?.origin;
}

/** Whether a page or worker asks another origin than its own. */
function isForeign(url: string): boolean {
  const origin = pageOrigin();
  return origin !== undefined && /^https?:/i.test(url) && !url.startsWith(`${origin}/`);
}

/** A signal that aborts with either. */
export function either(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  if (!a || !b) return a ?? b;
  if (AbortSignal.any) return AbortSignal.any([a, b]);
  // As in edge runtimes.
  const controller = new AbortController();
  for (const one of [a, b]) {
    unlessAborted(new Promise(() => {}), one).catch((reason: unknown) => controller.abort(reason));
  }
  return controller.signal;
}

/** What `promise` gives, or the signal's reason if that comes first; leaves no listener behind. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort!);
  }
}

function entriesOf(headers: Awaited<HeadersOption>): Iterable<[string, string]> {
  if (!headers) return [];
  const iterable = headers as Partial<Iterable<[string, string]>>;
  return iterable[Symbol.iterator] ? (iterable as Iterable<[string, string]>) : Object.entries(headers);
}

async function resolved<T>(name: string, option: MaybeAsync<T>): Promise<T> {
  if (typeof option !== "function") return option;
  try {
    return await (option as () => T | Promise<T>)();
  } catch (cause) {
    // It may have asked somebody, too: the next attempt may have more luck. What it says may hold a key.
    throw cause instanceof ConfigurationError ? cause : new RequestHint(`the option ${name} failed`, cause);
  }
}

function environmentKey(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return process?.env?.CURSOR_API_KEY;
  } catch {
    // Runtimes may forbid to look.
    return undefined;
  }
}

function authorization(key: string, auth: "bearer" | "basic" | undefined): string {
  return auth === "basic" ? `Basic ${btoa(`${key}:`)}` : `Bearer ${key}`;
}
