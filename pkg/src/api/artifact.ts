// Artifacts: they lie with a storage service, under an address that is its own key.

import { type CursorSdkError, NetworkError } from "../errors/api.js";
import { either, transportOf } from "../run/transport.js";
import { type CallOptions, call } from "./call.js";
import { withDefaults } from "./defaults.js";

/** Fetches what lies at a presigned address. Nothing of ours is sent there: no key, no header, no cookie. */
export async function download(
  url: string,
  given: CallOptions,
  operation: string,
  asStream: boolean,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const { fetch = globalThis.fetch, signal, onRequest } = withDefaults(given);
  const init: RequestInit = { method: "GET" };
  // Where there are no cookies, the member does not exist and naming it may throw.
  if (typeof Request === "function" && "credentials" in Request.prototype) init.credentials = "omit";
  const raw = {
    ...transportOf({
      fetch: (_, made) => fetch(url, { ...init, signal: either(made.signal!, signal)! }),
      onRequest,
    }),
    // The address is a key, and all that comes from there may quote it.
    redact: () => "",
  };
  try {
    const body =
      (await call(given, { method: "GET", path: "artifact", operation, raw })) ?? new Blob([]).stream();
    return asStream ? body : new Uint8Array(await new Response(body).arrayBuffer());
  } catch (error) {
    signal?.throwIfAborted();
    // The address is a key: nothing is kept of what may quote it.
    const { status, code, isRetryable = true } = error as Partial<CursorSdkError>;
    const why = status === undefined ? "" : `: status ${status}`;
    const details = { status, code, isRetryable, operation };
    throw new NetworkError(`The artifact could not be fetched${why}`, details);
  }
}
