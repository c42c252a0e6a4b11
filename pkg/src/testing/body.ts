// A stream of the simulator as the body of a response.

import type { Service } from "./core.js";
import type { SimulatorCore } from "./simulator.js";

/** The most that one read gives, as a socket would. */
const MAX_BYTES = 16_384;

/**
 * The bytes of a stream, made as they are read. Aborting fails the body at once; cancelling, aborting and the end all
 * give the connection back.
 */
export function streamBody(
  service: Service,
  core: SimulatorCore,
  stream: number,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let open = true;
  let controller!: ReadableByteStreamController;

  function release(): boolean {
    if (!open) return false;
    open = false;
    service.open--;
    core.closeStream(stream);
    signal?.removeEventListener("abort", abort);
    service.waiters.wakeAll();
    return true;
  }

  function abort(): void {
    if (release()) controller.error(signal?.reason);
  }

  async function pull(): Promise<void> {
    while (open) {
      const polled = core.poll(service.clock.now(), stream, MAX_BYTES);
      if (typeof polled === "number") {
        await service.waiters.until(polled, signal);
      } else if (typeof polled === "object") {
        controller.enqueue(polled);
        return;
      } else {
        release();
        if (polled === "reset") controller.error(networkError());
        else close();
      }
    }
  }

  function close(): void {
    controller.close();
    // A read into the reader's own buffer is still open and has to be answered.
    controller.byobRequest?.respond(0);
  }

  service.open++;
  signal?.addEventListener("abort", abort);
  return new ReadableStream({
    type: "bytes",
    start(given) {
      controller = given;
    },
    pull,
    cancel: () => void release(),
  });
}

/** What `fetch` rejects with, and a body fails with, when a connection is lost. */
export function networkError(): TypeError {
  return new TypeError("Network error (simulated)");
}
