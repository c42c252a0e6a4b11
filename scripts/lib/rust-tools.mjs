// The tools built from crates: wasm-pack and wasm-bindgen.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { childEnv } from "./env.mjs";
import { Failed, firstLine, must } from "./exec.mjs";
import { toolsDir } from "./paths.mjs";
import * as versions from "./versions.mjs";

/**
 * Built without optimisation: that halves the wait of a fresh machine (2 min 14 s of processor time against
 * 4 min 22 s for wasm-bindgen-cli at level 1) and costs a second at most each time they run.
 */
export const rustTools = [
  {
    crate: "wasm-bindgen-cli",
    version: versions.wasmBindgen,
    // Both at once: the second costs one link here, and the whole library again later.
    bins: ["wasm-bindgen", "wasm-bindgen-test-runner"],
    args: ["--no-default-features"],
    usually: "1 to 3 minutes",
  },
  {
    crate: "wasm-pack",
    version: versions.wasmPack,
    bins: ["wasm-pack"],
    args: [],
    usually: "1 to 3 minutes",
  },
];

/** Whether every program of the tool is there, runs, and is of the version wanted. */
export async function toolReady(tool) {
  const env = childEnv();
  const found = await Promise.all(tool.bins.map((bin) => firstLine(bin, ["--version"], { env })));
  return found.every((line) => line?.split(" ")[1] === tool.version);
}

export async function installTool(tool) {
  // Kept until the install is through: an interrupted build goes on where it was.
  const buildDir = join(toolsDir, "build", tool.crate);
  await must(
    "cargo",
    [
      "install",
      `${tool.crate}@${tool.version}`,
      "--root",
      toolsDir,
      // Whatever stands there failed the check above.
      "--force",
      ...tool.bins.flatMap((bin) => ["--bin", bin]),
      ...tool.args,
    ],
    {
      // Outside the repository, so that its settings for wasm do not reach a program for this machine.
      cwd: toolsDir,
      env: childEnv({
        CARGO_TARGET_DIR: buildDir,
        CARGO_BUILD_TARGET: undefined,
        RUSTFLAGS: undefined,
        CARGO_PROFILE_RELEASE_OPT_LEVEL: "0",
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16",
        CARGO_PROFILE_RELEASE_LTO: "off",
        CARGO_PROFILE_RELEASE_DEBUG: "false",
        CARGO_TERM_COLOR: "never",
      }),
    },
  );
  rmSync(buildDir, { recursive: true, force: true });
  if (!(await toolReady(tool)))
    throw new Failed(`${tool.crate} was installed, yet does not answer as ${tool.version}`);
}
