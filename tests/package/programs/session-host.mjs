// Serves sessions in Deno or Bun, and prints where; `/of-the-host` tells what it knows of them.

import { createSessionHost } from "runwire/host";
import { agent } from "./lib/tool-session.mjs";

const host = createSessionHost({ query: agent().query, authorize: "public", basePath: "/agent" });
const fetch = (request) =>
  new URL(request.url).pathname === "/of-the-host" ? Response.json(host.sessions) : host.fetch(request);
const print = (port) => console.log(`http://127.0.0.1:${port}`);
const where = { hostname: "127.0.0.1", port: 0 };

if (globalThis.Deno) Deno.serve({ ...where, onListen: ({ port }) => print(port) }, fetch);
else print(Bun.serve({ ...where, fetch }).port);
