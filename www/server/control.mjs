// /control/…: what the page may do to the simulated service; a page of a real product would have none of it.
//
//   POST /control/runs                      {scenario, pace} → {agentId, runId}
//   GET  /control/runs/<run>/expected       the figures of its content
//   POST /control/runs/<run>/faults         {fault}
//   POST /control/agent/faults              {fault}

import { faults, paces, scenarios, sessionFaults } from "../scenarios.mjs";
import { injectFault } from "./faults.mjs";
import { isSameOrigin } from "./headers.mjs";
import { hostile } from "./hostile.mjs";

/** How many runs the service remembers: whoever starts more has left the older ones. */
const RUNS_KEPT = 20;
const LARGEST_BODY = 1024;

/** What the names of the page's menu stand for, where it is not a scenario of that name. */
const played = { hostile, long: { events: 100_000, intervalMs: 25 } };

/**
 * @param {import("runwire/testing").Simulator} simulator
 * @param {Pick<import("./agent.mjs").Agent, "injectFault">} agent
 */
export function createControl(simulator, agent) {
  /** @type {string[]} */
  const runs = [];

  async function startRun({ scenario: id, pace: paceId }) {
    const scenario = scenarios.find((offer) => offer.id === id);
    const pace = paces.find((offer) => offer.id === paceId);
    if (!scenario || !pace) throw new Refused(400, "no such scenario or pace");
    const started = await simulator.startRun({ scenario: played[id] ?? id, pace: pace.pace });
    runs.push(started.runId);
    while (runs.length > RUNS_KEPT) await simulator.forgetRun(runs.shift());
    return started;
  }

  async function addFault(runId, { fault }) {
    if (!faults.some(({ id }) => id === fault)) throw new Refused(400, "no such fault");
    await injectFault(simulator, runId, fault);
    return {};
  }

  function addSessionFault({ fault }) {
    if (!sessionFaults.some(({ id }) => id === fault)) throw new Refused(400, "no such fault");
    agent.injectFault(fault);
    return {};
  }

  async function answer(request) {
    if (!isSameOrigin(request)) throw new Refused(403, "only the page itself may ask");
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/control/agent/faults") return addSessionFault(await bodyOf(request));
    const [, , collection, runId, what, ...rest] = pathname.split("/");
    if (collection !== "runs" || rest.length > 0) throw new Refused(404, "not found");
    if (runId === undefined) return startRun(await bodyOf(request));
    if (!runs.includes(runId)) throw new Refused(404, "no such run");
    if (what === "expected" && request.method === "GET") return simulator.expected(runId);
    if (what === "faults") return addFault(runId, await bodyOf(request));
    throw new Refused(404, "not found");
  }

  return async (request, response) => {
    let [status, body] = [200, undefined];
    try {
      body = await answer(request);
    } catch (error) {
      status = error instanceof Refused ? error.status : 500;
      body = { message: error instanceof Refused ? error.message : "the simulated service failed" };
      if (status === 500) console.error(error);
    }
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(body));
  };
}

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A JSON object that was POSTed. Its type is asked for because forms of other sites cannot send it. */
async function bodyOf(request) {
  if (request.method !== "POST") throw new Refused(405, "POST it");
  if (request.headers["content-type"] !== "application/json") throw new Refused(415, "JSON only");
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LARGEST_BODY) throw new Refused(413, "too large");
    chunks.push(chunk);
  }
  try {
    const value = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Told below.
  }
  throw new Refused(400, "not a JSON object");
}
