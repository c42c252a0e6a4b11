// The versions of the tools: each stands in one place, and this file says where.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";

const manifest = readFileSync(join(root, "Cargo.toml"), "utf8");

function fromManifest(what, pattern) {
  const found = pattern.exec(manifest);
  if (!found) throw new Error(`Cargo.toml has no ${what}`);
  return found[1];
}

/** The command line tool must be of the crate's very version, or it refuses the crate's output. */
export const wasmBindgen = fromManifest("exact wasm-bindgen pin", /^wasm-bindgen\s*=\s*"=([\d.]+)"/m);
export const rust = fromManifest("rust-version", /^rust-version\s*=\s*"([\d.]+)"/m);
export const wasmPack = "0.15.1";
export const node = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).engines.node.replace(
  ">=",
  "",
);

/** Whether dotted version `a` is `b` or newer. */
export function atLeast(a, b) {
  const [x, y] = [a, b].map((v) => v.split(".").map(Number));
  for (let i = 0; i < y.length; i++) {
    const d = (x[i] || 0) - y[i];
    if (d !== 0) return d > 0;
  }
  return true;
}
