// The run that run-service.mjs and scripted-run.mjs serve: what both a server and a page need to know.

export const agentId = "bc-00000000-0000-4000-8000-000000000001";
export const runId = "run-00000000-0000-4000-8000-000000000002";

/** The number in a message that `frames` made. */
export const textOf = (message) => Number(message.message.content[0].text);

/** How its handle is got, but for the transport. */
export const run = { runtime: "cloud", agentId, apiKey: "key-of-the-test" };

/** One turn of the event loop. */
const turn = () =>
  new Promise((resolve) => {
    if (globalThis.setImmediate) {
      setImmediate(resolve);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });

/** Some turns of the event loop, so that all that is ready to happen has. */
export async function turns(count = 5) {
  for (let at = 0; at < count; at++) await turn();
}
