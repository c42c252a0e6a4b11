// What the page's fault buttons do to a run's connection.

/** As the page words it. */
export const UNAVAILABLE_MS = 10_000;

/**
 * @param {import("runwire/testing").Simulator} simulator
 * @param {string} runId
 * @param {string} fault one of those in scenarios.mjs
 */
export async function injectFault(simulator, runId, fault) {
  switch (fault) {
    case "cut":
      break;
    case "stall":
      await simulator.holdConnections({ runId });
      return;
    case "unavailable":
      await simulator.addRule({ runId, forMs: UNAVAILABLE_MS, answer: { error: { status: 503 } } });
      break;
    case "expire":
      await simulator.setFaults({ replay: { expired: true } }, { runId });
      break;
    case "refuse-id":
      await simulator.addRule({
        runId,
        endpoints: ["stream"],
        withHeader: "last-event-id",
        times: 1,
        answer: { error: { status: 400, code: "invalid_last_event_id" } },
      });
      break;
  }
  await simulator.cutConnections({ runId, how: "reset" });
}
