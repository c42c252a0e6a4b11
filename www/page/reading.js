// Reads what comes without keeping the browser from anything else.

/** So long the page may be busy before it lets the browser draw and react. */
const BUSY_MS = 12;

/**
 * @template T
 * @param {AsyncIterable<T>} items
 * @param {(item: T) => void} take
 */
export async function readAll(items, take) {
  let since = performance.now();
  for await (const item of items) {
    take(item);
    // What is there already is handed over without a pause: at full speed nothing else would have its turn.
    if (performance.now() - since > BUSY_MS) {
      await nextTask();
      since = performance.now();
    }
  }
}

function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
