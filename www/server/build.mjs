// Builds the page with Vite, as any page that has installed runwire would be; once per content.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const www = dirname(dirname(fileURLToPath(import.meta.url)));
const pkgDist = join(www, "..", "pkg", "dist");
const dist = join(www, "dist");
const sources = ["index.html", "page", "shared", "styles", "public", "scenarios.mjs", "server/build.mjs"];

/** The one that is under way in this process. @type {Promise<string> | undefined} */
let building;

/**
 * The folder of the built page.
 * @returns {Promise<string>}
 */
export function builtPage() {
  building ??= buildPage().finally(() => {
    building = undefined;
  });
  return building;
}

async function buildPage() {
  const folder = join(dist, contentHash());
  if (existsSync(folder)) return folder;
  mkdirSync(dist, { recursive: true });
  // Built aside and moved in whole, because two processes may build at once and either may be interrupted.
  const part = `${folder}.${process.pid}`;
  const { build } = await import("vite");
  await build({
    root: www,
    configFile: false,
    logLevel: "warn",
    build: {
      outDir: part,
      emptyOutDir: true,
      target: "es2022",
      // Both would need what the page's policy forbids, and no browser that runs the engine needs the polyfill.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
  try {
    renameSync(part, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(part, { recursive: true, force: true });
  }
  // Builds of other contents are of no use any more; one that is under way keeps its folder.
  for (const name of readdirSync(dist)) {
    if (name !== folder.slice(dist.length + 1) && !name.includes("."))
      rmSync(join(dist, name), { recursive: true, force: true });
  }
  return folder;
}

function contentHash() {
  const hash = createHash("sha256");
  for (const source of sources) addTo(hash, join(www, source));
  addTo(hash, pkgDist);
  return hash.digest("hex").slice(0, 16);
}

function addTo(hash, path) {
  let entries;
  try {
    entries = readdirSync(path).sort();
  } catch (error) {
    if (error.code !== "ENOTDIR") throw error;
    hash
      .update(`${relative(www, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
    return;
  }
  for (const name of entries) addTo(hash, join(path, name));
}
