// Runs one case in a Node process of its own, for its parent.

import { runCase } from "./in-engine.mjs";

process.once("message", async ({ name, options }) => {
  try {
    process.send({ rows: await runCase(name, options) });
  } catch (error) {
    process.send({ error: error.stack });
  }
  process.disconnect();
});
