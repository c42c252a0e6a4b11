// Makes the tour in Node, Deno or Bun, of the service that it is told, and prints what came.

import { tour } from "./api-tour.mjs";

console.log(JSON.stringify(await tour(process.argv[2])));
