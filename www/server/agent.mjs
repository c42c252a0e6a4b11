// /agent/…: a session host over the scripted agent, and what the page may do to its connections.

import { createSessionHost } from "runwire/host";
import { requestListener } from "runwire/host/node";
import { demoQuery } from "../agent/demo.mjs";
import { platformClock } from "../agent/stage.mjs";
import { UNAVAILABLE_MS } from "./faults.mjs";

/** Where it is; the page's `runQuery` has it as `url`. */
export const AGENT = "/agent";

/** Far more often than the page's patience lasts. */
const HEARTBEAT_MS = 1000;

/**
 * @typedef {object} Agent
 * @property {import("node:http").RequestListener} listener
 * @property {(fault: string) => void} injectFault one of `sessionFaults` in scenarios.mjs
 * @property {() => Promise<void>} close
 */

/**
 * @param {{ clock?: import("runwire/testing").SimulatorClock }} options what the agent's pace goes by
 * @returns {Agent}
 */
export function createAgent({ clock = platformClock }) {
  const host = createSessionHost({
    query: demoQuery({ clock }),
    // Whoever reaches the demo may use it: it listens on the loopback interface, and its agent does nothing.
    authorize: "public",
    options: { includePartialMessages: true },
    basePath: AGENT,
    heartbeatMs: HEARTBEAT_MS,
  });
  const serve = requestListener(host);
  /** Of answers under way. @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  let unavailableUntil = 0;
  return {
    listener(request, response) {
      if (clock.now() < unavailableUntil) {
        response.writeHead(503).end();
        return;
      }
      const { socket } = request;
      sockets.add(socket);
      response.on("close", () => sockets.delete(socket));
      serve(request, response);
    },
    injectFault(fault) {
      if (fault === "unavailable") unavailableUntil = clock.now() + UNAVAILABLE_MS;
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: () => host.close(),
  };
}
