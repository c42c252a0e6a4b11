// What a page loads, measured and held to size-budget.json: `node scripts/size.mjs`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Failed } from "./lib/exec.mjs";
import { bold, red, say, warn } from "./lib/log.mjs";
import { distDir, root } from "./lib/paths.mjs";

/** The pages: the least code that keeps what each entry is for. */
const pages = {
  Agent: `import { Agent } from "runwire"; globalThis.Agent = Agent;`,
  kit: `import { createInputQueue, runQuery } from "runwire/kit"; globalThis.kit = [createInputQueue, runQuery];`,
  sse: `import { EventStreamDecoder, EventStreamDecoderStream } from "runwire/sse";
    globalThis.sse = [EventStreamDecoder, EventStreamDecoderStream];`,
};

/**
 * Sizes in bytes of each page's parts and of the whole; compressed part by part, as they travel.
 * @returns {Promise<Record<string, Record<"js" | "wasm" | "total", { raw: number, gzip: number, brotli: number }>>>}
 */
export async function measure() {
  const engine = sizes(readFileSync(join(distDir, "engine", "engine.wasm")));
  const rows = {};
  for (const [name, source] of Object.entries(pages)) {
    const js = sizes(await bundle(source));
    const total = Object.fromEntries(Object.keys(js).map((key) => [key, js[key] + engine[key]]));
    rows[name] = { js, wasm: engine, total };
  }
  return rows;
}

async function bundle(source) {
  // Loaded here, because this module is imported before npm packages are installed.
  const { build } = await import("esbuild");
  const result = await build({
    stdin: { contents: source, resolveDir: root },
    bundle: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    loader: { ".wasm": "file" },
    outdir: "out",
    write: false,
    logLevel: "error",
  });
  return result.outputFiles.find((file) => file.path.endsWith(".js")).contents;
}

function sizes(bytes) {
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes).length,
  };
}

/** Measure, print the table, and throw when a page is over its budget. */
export async function checkBudget({ log = say } = {}) {
  const budget = JSON.parse(readFileSync(join(root, "size-budget.json"), "utf8"));
  const rows = await measure();
  const over = [];
  log(bold("page      part        raw     gzip   brotli  budget (gzip)"));
  for (const [name, parts] of Object.entries(rows)) {
    for (const [part, size] of Object.entries(parts)) {
      const limit = part === "total" ? budget[name].gzip : "";
      const cells = [size.raw, size.gzip, size.brotli, limit].map((cell) => String(cell).padStart(8));
      log(`${name.padEnd(9)} ${part.padEnd(6)} ${cells.join(" ")}`);
    }
    const { gzip } = parts.total;
    if (gzip > budget[name].gzip)
      over.push(`${name} page: ${gzip} bytes of gzip, the budget is ${budget[name].gzip}`);
  }
  if (over.length > 0) throw new Failed(over.join("\n"));
}

if (process.argv[1] === import.meta.filename) {
  try {
    await checkBudget();
  } catch (error) {
    warn(red(error instanceof Failed ? error.message : error.stack));
    process.exitCode = 1;
  }
}
