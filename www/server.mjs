// Serves the page and, on the same origin, a simulated service and a scripted agent: the page has no key, as with a relay.

import { once } from "node:events";
import { createServer } from "node:http";
import { createSimulator } from "runwire/testing";
import { requestListener } from "runwire/testing/node";
import { AGENT, createAgent } from "./server/agent.mjs";
import { builtPage } from "./server/build.mjs";
import { createControl } from "./server/control.mjs";
import { isLoopbackHost, securityHeaders } from "./server/headers.mjs";
import { staticFiles } from "./server/static.mjs";

const API = "/api";
/** How many ports after the one asked for are tried when that is taken. */
const MORE_PORTS = 10;

/**
 * @param {object} [options]
 * @param {number} [options.port] the first port to try; 0 for any
 * @param {import("runwire/testing").SimulatorClock} [options.clock] what runs and agents go by; the platform's without
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve({ port = 0, clock } = {}) {
  // Heartbeats far more often than the page's patience lasts, at any pace.
  const faults = { stream: { heartbeatMs: 500 } };
  const simulator = createSimulator({ basePath: API, auth: "off", faults, clock });
  const [page] = await Promise.all([builtPage(), simulator.ready()]);
  const agent = createAgent({ clock });
  const routes = {
    [API]: requestListener(simulator),
    [AGENT]: agent.listener,
    "/control": createControl(simulator, agent),
    "": staticFiles(page),
  };
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    if (!isLoopbackHost(request)) {
      response.writeHead(421, { "content-type": "text/plain; charset=utf-8" }).end("not for this host\n");
      return;
    }
    const prefix = Object.keys(routes).find((path) => request.url.startsWith(`${path}/`));
    if (prefix === undefined) response.writeHead(400).end();
    else routes[prefix](request, response);
  });
  // Streams last for hours.
  server.requestTimeout = 0;
  server.on("connection", (socket) => socket.setNoDelay(true));
  await listenOn(server, port);
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, agent.close()]);
    },
  };
}

async function listenOn(server, port) {
  for (let tries = 0; ; tries++) {
    try {
      server.listen(port === 0 ? 0 : port + tries, "127.0.0.1");
      await once(server, "listening");
      return;
    } catch (error) {
      if (error.code !== "EADDRINUSE" || port === 0 || tries === MORE_PORTS) throw error;
    }
  }
}
