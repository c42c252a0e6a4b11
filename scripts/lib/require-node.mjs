// Imported first: stops with one line on a Node too old to run the rest.

import { atLeast, node } from "./versions.mjs";

if (!atLeast(process.versions.node, node)) {
  process.stderr.write(
    `missing: Node ${node} or newer (this is ${process.versions.node}) — install it from your system's packages or nodejs.org\n`,
  );
  process.exit(1);
}
