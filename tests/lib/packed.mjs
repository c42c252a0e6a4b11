// The package as a user gets it: packed by npm, installed from the tarball outside the repository.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childEnv } from "../../scripts/lib/env.mjs";
import { must } from "../../scripts/lib/exec.mjs";
import { pkgDir, targetDir } from "../../scripts/lib/paths.mjs";

let current;

/**
 * The tarball of `pkg/` and npm's description of it. Packed once per content, however many test files ask.
 * @returns {Promise<{ tarball: string, files: { path: string, size: number }[] }>}
 */
export function packed() {
  current ??= pack();
  return current;
}

async function pack() {
  const dir = join(targetDir, "packed", contentHash());
  if (!existsSync(dir)) {
    const part = `${dir}.${process.pid}`;
    mkdirSync(part, { recursive: true });
    const output = await must("npm", ["pack", "--json", "--pack-destination", part], {
      cwd: pkgDir,
      env: plainEnv(),
    });
    const [{ filename, files }] = Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))));
    writeFileSync(join(part, "pack.json"), JSON.stringify({ filename, files }));
    try {
      renameSync(part, dir);
    } catch (error) {
      // Another test file was first with the same content.
      if (!existsSync(dir)) throw error;
      rmSync(part, { recursive: true });
    }
  }
  const { filename, files } = JSON.parse(readFileSync(join(dir, "pack.json"), "utf8"));
  return { tarball: join(dir, filename), files };
}

function contentHash() {
  const hash = createHash("sha256");
  const visit = (dir, prefix) => {
    for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (entry.name === "node_modules") continue;
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) visit(join(dir, entry.name), `${path}/`);
      else hash.update(`${path}\0`).update(readFileSync(join(dir, entry.name)));
    }
  };
  visit(pkgDir, "");
  return hash.digest("hex").slice(0, 16);
}

/** npm hands its own settings down to scripts: a project elsewhere must not get them. */
export function plainEnv(extra = {}) {
  const env = childEnv(extra);
  for (const name of Object.keys(env)) if (/^npm_/i.test(name)) delete env[name];
  return env;
}

/** Make `dir` a project that has installed the tarball. */
export async function installInto(dir) {
  const { tarball } = await packed();
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module" }),
  );
  await must("npm", ["install", "--no-audit", "--no-fund", "--offline", tarball], {
    cwd: dir,
    env: plainEnv(),
  });
  const installed = join(dir, "node_modules", "runwire");
  if (!existsSync(join(installed, "package.json")))
    throw new Error(`the tarball was not installed in ${installed}`);
  return installed;
}
