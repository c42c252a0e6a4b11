// A throwaway project that has installed the tarball, holding the programs of this folder.

import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must } from "../../scripts/lib/exec.mjs";
import { installInto, plainEnv } from "../lib/packed.mjs";
import { inTempDir } from "../lib/temp.mjs";

/** What programs use of the other tests: they find it in `lib`. */
const shared = ["scripted-query.mjs", "tool-session.mjs"];

/**
 * @template T
 * @param {string} name
 * @param {(dir: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export function inProject(name, work) {
  return inTempDir(name, async (dir) => {
    await installInto(dir);
    cpSync(join(import.meta.dirname, "programs"), dir, { recursive: true });
    for (const name of shared) cpSync(join(import.meta.dirname, "..", "lib", name), join(dir, "lib", name));
    return await work(dir);
  });
}

/** The JSON that a program prints that runs in the project; rejects with what it complains of when it fails. */
export async function printedBy(dir, [command, ...args]) {
  return JSON.parse(await must(command, args, { cwd: dir, env: plainEnv(), timeoutMs: 60_000 }));
}

/** Empty the engine's file: whatever follows a run with it must fail, and be seen to. */
export function breakEngine(dir) {
  writeFileSync(join(dir, "node_modules", "runwire", "dist", "engine", "engine.wasm"), "");
}
