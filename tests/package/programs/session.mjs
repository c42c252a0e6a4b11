// Makes the tour of sessions in Node, Deno or Bun, of the host that it is told, and prints what came.

import { agent } from "./lib/tool-session.mjs";
import { sessionTour } from "./session-tour.mjs";

console.log(JSON.stringify(await sessionTour(process.argv[2], agent())));
