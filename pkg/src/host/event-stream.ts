// The body of a session's stream: one reader's place in the log.

import type { EventLog } from "./event-log.js";
import { after } from "./timers.js";

/** As much as one write may bring. */
const CHUNK = 64 * 1024;

const DONE = "event: done\ndata: {}\n\n";
const HEARTBEAT = ":\n\n";

const encoder = new TextEncoder();

export interface ReaderOptions {
  /** The id after which to go on; absent to read from the log's beginning. */
  after: number | undefined;
  heartbeatMs: number;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
  /** Called once, when nobody reads any more. */
  onGone: () => void;
}

/**
 * Reads the log as the stream is pulled, so that what a slow client has not taken is held by the log alone, which has a
 * bound. A reader whose place has been dropped is at its end: it comes back, and is told so.
 */
export function readLog(log: EventLog, options: ReaderOptions): ReadableStream<Uint8Array> {
  const { heartbeatMs, signal, onGone } = options;
  // Who has no place yet gets one with the first pull: until then the log's beginning may move on.
  let place = options.after;
  let isGone = false;
  let wake = () => {};
  let controller: ReadableStreamDefaultController<Uint8Array>;

  const leave = () => {
    if (isGone) return;
    isGone = true;
    log.listeners.delete(look);
    signal.removeEventListener("abort", abort);
    wake();
    onGone();
  };
  const finish = () => {
    controller.close();
    leave();
  };
  const abort = () => {
    controller.error(signal.reason);
    leave();
  };
  const look = () => {
    if (place !== undefined && place < log.dropped) finish();
    else wake();
  };
  const send = (text: string) => controller.enqueue(encoder.encode(text));

  /** Whether nothing has happened for so long that the connection should show that it is alive. */
  const isQuiet = () =>
    new Promise<boolean>((resolve) => {
      const settle = (quiet: boolean) => {
        cancel();
        wake = () => {};
        resolve(quiet);
      };
      const cancel = after(heartbeatMs, () => settle(true));
      wake = () => settle(false);
    });

  const pull = async () => {
    while (!isGone) {
      if (place === undefined) {
        place = log.dropped;
        if (place > 0) return send(shortened(place));
      }
      if (place < log.last) {
        const { text, last } = log.read(place, CHUNK);
        place = last;
        return send(text);
      }
      if (log.ended) {
        send(DONE);
        return finish();
      }
      if (await isQuiet()) return send(HEARTBEAT);
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created;
        log.listeners.add(look);
        signal.addEventListener("abort", abort);
        if (signal.aborted) abort();
      },
      pull,
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}

/** What a reader from the beginning gets in place of frames that are no longer kept; a resume goes on after them. */
function shortened(id: number): string {
  const event = { type: "info", text: "What came before is no longer kept", level: "warning" };
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}
