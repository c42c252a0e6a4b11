// Runs a worker in workerd, bundled the way wrangler bundles: `.wasm` files stay modules of their own.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import workerd from "workerd";

/** Bundle `entry` into `outDir`; answers the names of the modules beside `worker.js`. */
export async function bundleWorker(entry, outDir) {
  mkdirSync(outDir, { recursive: true });
  const wasm = new Set();
  const keepWasm = {
    name: "wasm-as-module",
    setup(builder) {
      builder.onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path.replace("?module", ""));
        const hash = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 8);
        const name = `${hash}-${basename(file)}`;
        copyFileSync(file, join(outDir, name));
        wasm.add(name);
        return { path: `./${name}`, external: true };
      });
    },
  };
  await build({
    entryPoints: [entry],
    absWorkingDir: dirname(entry),
    outfile: join(outDir, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    mainFields: ["browser", "module", "main"],
    plugins: [keepWasm],
    logLevel: "error",
  });
  return [...wasm];
}

/**
 * Serve the bundle in `dir` and hand its address to `work`.
 * @template T
 * @param {string} dir
 * @param {string[]} wasm names of the WebAssembly modules
 * @param {(url: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withWorkerd(dir, wasm, work) {
  const modules = [
    `(name = "worker.js", esModule = embed "worker.js")`,
    ...wasm.map((name) => `(name = "${name}", wasm = embed "${name}")`),
  ];
  writeFileSync(
    join(dir, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    # What a worker asks for may lie on this machine: by default only public addresses are allowed.
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (modules = [${modules.join(", ")}], compatibilityDate = "2026-11-01");
`,
  );
  // workerd says on the control descriptor which port it was given.
  const child = spawn(workerd.default ?? workerd, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
  }
  const ended = new Promise((_, reject) => {
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`workerd ended with code ${code}\n${said}`)));
  });
  // Its end is a failure only while someone waits for it.
  ended.catch(() => {});
  try {
    const port = await Promise.race([listening(child.stdio[3]), ended]);
    return await Promise.race([work(`http://127.0.0.1:${port}/`), ended]);
  } finally {
    child.kill("SIGKILL");
  }
}

/** The port it listens on. Pending for ever when it ends instead: that is told by its end. */
function listening(control) {
  return new Promise((resolve) => {
    createInterface({ input: control }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.event === "listen") resolve(message.port);
    });
  });
}
