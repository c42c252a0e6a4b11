// Whether node_modules holds what the lock file says.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Compares by content, not by time: a checkout changes times. npm writes the inner lock file last, so an
 * interrupted install has none.
 */
export function npmInstalled(root) {
  let lock;
  let inner;
  try {
    lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
    inner = JSON.parse(readFileSync(join(root, "node_modules", ".package-lock.json"), "utf8")).packages;
  } catch {
    return false;
  }
  for (const [path, wanted] of Object.entries(lock)) {
    if (!path.startsWith("node_modules/")) continue;
    const found = inner[path];
    // Optional ones are other platforms' binaries.
    if (!found && (wanted.optional || wanted.devOptional)) continue;
    if (!found || found.version !== wanted.version || found.integrity !== wanted.integrity) return false;
  }
  return Object.keys(inner).every((path) => path in lock);
}
