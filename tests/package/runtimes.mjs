// Runtimes beside Node and workerd, as npm packages: large, so installed only by the tests that want them.

import { join } from "node:path";
import { must } from "../../scripts/lib/exec.mjs";
import { npmInstalled } from "../../scripts/lib/npm-state.mjs";
import { plainEnv } from "../lib/packed.mjs";

const folder = join(import.meta.dirname, "runtimes");
const bin = (name) => join(folder, "node_modules", ".bin", name);

/** Installs what is not there. */
export async function installRuntimes() {
  if (npmInstalled(folder)) return;
  await must("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, env: plainEnv(), timeoutMs: 240_000 });
}

/** How each runs a program. */
export const commands = {
  // Without leave to look at the environment, where a key could be.
  Deno: [bin("deno"), "run", "--no-prompt", "--allow-read", "--allow-net"],
  Bun: [bin("bun")],
};
