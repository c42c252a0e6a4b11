// `npm start`: set up, build what is stale, follow a run in the terminal, serve the page until Ctrl-C.
// `npm start -- --once` ends after the followed run.

import { setupOrExit } from "./setup.mjs";
import { Failed } from "./lib/exec.mjs";
import { say, warn } from "./lib/log.mjs";

const once = process.argv.includes("--once");
const port = Number(process.env.PORT ?? 8787);

await setupOrExit();

// What stands on npm packages or on the built package is loaded only now that these are there.
const { build } = await import("./build.mjs");
try {
  await build({ log: say });
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  warn(error.message);
  process.exit(1);
}

const { followInTerminal } = await import("../www/terminal.mjs");
if (once) {
  await followInTerminal({ once });
} else {
  // The page first: who has it open already need not wait for the run here.
  const { serve } = await import("../www/server.mjs");
  const server = await serve({ port });
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, async () => {
      say("\nstopped");
      await server.close();
      process.exit(0);
    });
  }
  say(`The page is at ${server.url}`);
  await followInTerminal({ once });
  say(`The page is at ${server.url} — Ctrl-C stops it.`);
}
