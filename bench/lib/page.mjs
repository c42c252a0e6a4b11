// The bench's page: built as a user would build it, and served on loopback.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { root, targetDir } from "../../scripts/lib/paths.mjs";

const outDir = join(targetDir, "bench-page");
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

/** Build the page, serve it, and return its address and how to stop. */
export async function servePage() {
  const { build } = await import("vite");
  await build({
    root: join(root, "bench", "page"),
    configFile: false,
    logLevel: "error",
    build: { outDir, emptyOutDir: true, target: "es2022" },
  });
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

async function answer(request, response) {
  const path = new URL(request.url, "http://localhost").pathname;
  const file = join(outDir, path === "/" ? "index.html" : path);
  try {
    const body = await readFile(file);
    response.writeHead(200, {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      // Isolated pages get timers of microseconds instead of a tenth of a millisecond.
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}
