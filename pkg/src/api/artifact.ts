// Artifacts: they lie with a storage service, under an address that is its own key.

import { NetworkError } from "../errors/api.js";
import type { RequestOptions } from "../run/transport.js";

/** Fetches what lies at a presigned address. Nothing of ours is sent there: no key, no header, no cookie. */
export async function download(
  url: string,
  options: RequestOptions & { signal?: AbortSignal | undefined },
  operation: string,
  asStream: boolean,
): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const fetch = options.fetch ?? globalThis.fetch;
  const { signal } = options;
  let response: Response;
  try {
    response = await fetch(url, { method: "GET", credentials: "omit", ...(signal && { signal }) });
    // The address is a key: no error may hold it.
    if (response.status >= 200 && response.status < 300) {
      if (asStream) return response.body ?? new Blob([]).stream();
      return new Uint8Array(await response.arrayBuffer());
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw new NetworkError("The artifact could not be fetched", { isRetryable: true, operation, cause });
  }
  response.body?.cancel().catch(() => {});
  const { status } = response;
  const message = `The artifact could not be fetched: status ${status}`;
  throw new NetworkError(message, { status, isRetryable: status >= 500, operation });
}
