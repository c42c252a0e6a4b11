// Which pages may use the host: those of its own origin, and of the origins that were named.

import { ConfigurationError } from "../errors/api.js";
import { Refusal } from "./answers.js";

/** Seconds for which a page need not ask again what it may send. */
const PREFLIGHT_AGE = "600";

export class Origins {
  readonly #allowed: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    for (const origin of origins) {
      if (!isOrigin(origin)) {
        const message = `"origins" holds origins such as "https://app.example.com", and ${JSON.stringify(origin)} is none`;
        throw new ConfigurationError(message, { code: "invalid_option", operation: "createSessionHost" });
      }
    }
    this.#allowed = new Set(origins);
  }

  /** The foreign origin that asks, if one does and may. */
  check(request: Request, url: URL): string | undefined {
    const origin = request.headers.get("origin");
    if (origin === null || origin === url.origin) return undefined;
    if (this.#allowed.has(origin)) return origin;
    throw new Refusal(403, "origin_not_allowed", "Pages of this origin may not use this host");
  }

  /** The answer as the origin may read it. */
  share(response: Response, origin: string | undefined): Response {
    if (this.#allowed.size === 0) return response;
    // Headers of answers that come from elsewhere may be immutable.
    const shared = new Response(response.body, response);
    shared.headers.append("vary", "Origin");
    if (origin === undefined) return shared;
    shared.headers.set("access-control-allow-origin", origin);
    shared.headers.set("access-control-allow-credentials", "true");
    shared.headers.set("access-control-expose-headers", "Retry-After");
    return shared;
  }
}

/** What `OPTIONS` is answered: the methods, and for a page that asks what it may send, that. */
export function optionsAnswer(request: Request, methods: string, origin: string | undefined): Response {
  const headers = new Headers({ allow: methods });
  if (origin !== undefined && request.headers.has("access-control-request-method")) {
    headers.set("access-control-allow-methods", methods);
    // The origin is trusted: what it authorizes itself with is between it and `authorize`.
    const asked = request.headers.get("access-control-request-headers");
    headers.set("access-control-allow-headers", asked ?? "Content-Type, Last-Event-ID");
    headers.set("access-control-max-age", PREFLIGHT_AGE);
    headers.set("vary", "Access-Control-Request-Headers");
  }
  return new Response(null, { status: 204, headers });
}

function isOrigin(origin: unknown): boolean {
  try {
    return typeof origin === "string" && new URL(origin).origin === origin;
  } catch {
    return false;
  }
}
