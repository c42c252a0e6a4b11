// How requests are made: the options, resolved.

import type { Engine } from "../engine/instance.js";
import { ConfigurationError, RequestHint } from "../errors/api.js";
import { checkOptions } from "./follow-options.js";

/** A value, or a function asked for it before each request: for keys and headers that change. */
export type MaybeAsync<T> = T | (() => T | Promise<T>);

type HeadersOption = Record<string, string> | Headers | [string, string][] | undefined;

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
  credentials?: RequestCredentials | undefined;
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
}

const DEFAULT_BASE_URL = "https://api.cursor.com";

/** How requests are made. */
export interface Transport {
  /** Whether key or headers come from a function: asked again, it may give others. */
  readonly renewable: boolean;
  /** Calls the caller's `fetch`, with a plain `init`: what every binding and mock accepts. */
  fetch(
    method: string,
    path: string,
    headers: Headers,
    lastEventId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response>;
  /** Adds the caller's headers and the key's; called before each request. */
  authorize(headers: Headers): Promise<void>;
}

/** Resolves the options; what is wrong with them is thrown here, before any request. */
export function transportOf(options: RequestOptions, engine: Engine): Transport {
  const fetch = options.fetch ?? globalThis.fetch;
  if (typeof fetch !== "function") {
    throw new ConfigurationError("There is no fetch here: pass one as the option `fetch`");
  }
  const baseUrl = String(options.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, "");
  const { credentials, lastEventIdIn } = options;
  return {
    renewable: typeof options.apiKey === "function" || typeof options.headers === "function",
    async fetch(method, path, headers, lastEventId, signal) {
      let url = baseUrl + path;
      if (lastEventId !== undefined) {
        if (lastEventIdIn === "query") url += `?Last-Event-ID=${encodeURIComponent(lastEventId)}`;
        // Its UTF-8 bytes, as browsers send it: a header is a string of bytes.
        else headers.set("Last-Event-ID", String.fromCharCode(...new TextEncoder().encode(lastEventId)));
      }
      const init: RequestInit = { method, headers };
      if (signal) init.signal = either(signal, engine.ended)!;
      // A stream kept by a cache or a service worker would never end there. Where there is none,
      // the member does not exist and naming it may throw.
      if (typeof Request === "function" && "cache" in Request.prototype) init.cache = "no-store";
      if (credentials) init.credentials = credentials;
      // Not as a method: browsers refuse a fetch whose `this` is not the global object.
      let response: Response;
      try {
        response = await fetch(url, init);
      } catch (cause) {
        // Pages do not learn why, but where other requests were answered it may have been that.
        const hint = "perhaps the preflight: CORS must allow Last-Event-ID, see lastEventIdIn";
        throw headers.has("Last-Event-ID") && isForeign(url) ? new RequestHint(hint, cause) : cause;
      }
      // A mock's slip: reading the head of what is no response would throw where nothing catches.
      if (typeof response?.status !== "number" || typeof response.headers?.get !== "function") {
        throw new TypeError("fetch gave something that is no Response");
      }
      return response;
    },
    async authorize(headers) {
      const [key, own] = await Promise.all([
        resolved("apiKey", options.apiKey ?? environmentKey()),
        resolved("headers", options.headers),
      ]);
      checkOptions({ apiKey: key || undefined, headers: own ?? undefined }, "apiKey or headers");
      if (key) set(headers, "Authorization", () => authorization(key, options.auth ?? "bearer"));
      // The caller's own come last, so they win.
      for (const [name, value] of entriesOf(own)) set(headers, name, () => value);
    },
  };

  function set(headers: Headers, name: string, value: () => string): void {
    try {
      headers.set(name, value());
    } catch {
      // What was thrown may quote the value, which may be the key.
      const message = `The header ${name} has a name or value that HTTP does not allow`;
      throw new ConfigurationError(message, { code: "invalid_header" });
    }
  }
}

/** Whether a page or worker asks another origin than its own. */
function isForeign(url: string): boolean {
  const { location } = globalThis as { location?: Location };
  return location !== undefined && /^https?:/i.test(url) && !url.startsWith(`${location.origin}/`);
}

/** A signal that aborts with either. */
export function either(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a && b ? AbortSignal.any([a, b]) : (a ?? b);
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
  return process?.env?.CURSOR_API_KEY;
}

function authorization(key: string, auth: "bearer" | "basic"): string {
  return auth === "basic" ? `Basic ${btoa(`${key}:`)}` : `Bearer ${key}`;
}
