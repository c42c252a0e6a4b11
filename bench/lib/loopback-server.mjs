// The service of the loopback case, in a process of its own: its CPU time is nobody's figure.

import { createServer } from "node:http";
import { AGENT_ID, cut, RUN_ID, runBytes } from "../data.mjs";

const WRITE = 16 * 1024;

process.once("message", ({ events }) => {
  const writes = cut(runBytes(events), WRITE);
  const at = new Date(0).toISOString();
  const record = { id: RUN_ID, agentId: AGENT_ID, status: "RUNNING", createdAt: at, updatedAt: at };
  const server = createServer(async (request, response) => {
    if (!request.url.endsWith("/stream")) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(record));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const write of writes) {
      if (!response.write(write)) await new Promise((resolve) => response.once("drain", resolve));
    }
    response.end();
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
});
