// The published agent SDK, without the programs for each platform that it starts: they weigh hundreds of megabytes.

import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { must } from "../../scripts/lib/exec.mjs";
import { npmInstalled } from "../../scripts/lib/npm-state.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { plainEnv } from "../lib/packed.mjs";
import { inProject } from "./project.mjs";

const folder = join(import.meta.dirname, "agent-sdk");

/** Installs what is not there. */
export async function installAgentSdk() {
  if (npmInstalled(folder)) return;
  const args = ["ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
  await must("npm", args, { cwd: folder, env: plainEnv(), timeoutMs: 240_000 });
}

/** A project that has both packages, the SDK's programs, and Node's types. */
export function withAgentSdk(name, work) {
  return inProject(name, (dir) => {
    for (const file of ["program.ts", "cli.mjs", "drive.mjs"]) cpSync(join(folder, file), join(dir, file));
    mkdirSync(join(dir, "node_modules"), { recursive: true });
    for (const [scope, from] of [
      ["@anthropic-ai", folder],
      ["@types", root],
    ]) {
      symlinkSync(join(from, "node_modules", scope), join(dir, "node_modules", scope));
    }
    return work(dir);
  });
}
