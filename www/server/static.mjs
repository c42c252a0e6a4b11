// The built page, from memory.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * A request handler for the files of a folder as they are now; a later build does not pull them away.
 * @param {string} folder
 */
export function staticFiles(folder) {
  const files = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    const body = readFileSync(file);
    files.set(path, {
      body,
      headers: {
        "content-type": types[extname(path)] ?? "application/octet-stream",
        "content-length": body.length,
        // Vite puts a hash into the name of all that is in there.
        "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      },
    });
  }
  return (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = files.get(pathname === "/" ? "/index.html" : pathname);
    if (!file) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("not found\n");
    } else if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
    } else {
      response.writeHead(200, file.headers).end(request.method === "HEAD" ? undefined : file.body);
    }
  };
}
