// Folders outside the repository for what a test makes; kept, and named, when the test fails.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * @template T
 * @param {string} name
 * @param {(dir: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTempDir(name, work) {
  const dir = mkdtempSync(join(tmpdir(), `runwire-${name}-`));
  let result;
  try {
    result = await work(dir);
  } catch (error) {
    process.stderr.write(`kept for a look: ${dir}\n`);
    throw error;
  }
  // Chromium's last writes can race with the removal of its profile.
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return result;
}
