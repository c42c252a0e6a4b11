// Where things are in the repository.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const pkgDir = join(root, "pkg");
export const distDir = join(pkgDir, "dist");
export const targetDir = join(root, "target");
/** What set-up installs for this clone alone: nothing outside it is overwritten. */
export const toolsDir = join(root, ".tools");
export const toolsBin = join(toolsDir, "bin");
/** Links that make Debian's Rust answer to the usual names. */
export const debianBin = join(toolsDir, "debian");
export const nodeBin = join(root, "node_modules", ".bin");
