// The environment children run in: the chosen Rust toolchain, our tools, the npm programs.

import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { debianBin, nodeBin, toolsBin, toolsDir } from "./paths.mjs";

const stateFile = join(toolsDir, "toolchain.json");

/** What RUNWIRE_WASM_TOOLCHAIN asks for; scripts/wasm-target.sh says what the words mean. */
export const wanted = () => process.env.RUNWIRE_WASM_TOOLCHAIN || "auto";

/** What set-up chose before, by what was asked for: CI and a developer may ask differently in one clone. */
function choices() {
  try {
    return JSON.parse(readFileSync(stateFile, "utf8"));
  } catch {
    return {};
  }
}

/** The toolchain set-up chose for what is asked for now, `default` or `debian`; undefined before that. */
export const toolchain = () => choices()[wanted()];

export function chooseToolchain(name) {
  mkdirSync(toolsDir, { recursive: true });
  if (name === "debian") linkDebian();
  writeWhole(stateFile, `${JSON.stringify({ ...choices(), [wanted()]: name })}\n`);
}

/** Debian's programs under the names cargo looks for, apart from the rest of /usr/bin. */
function linkDebian() {
  rmSync(debianBin, { recursive: true, force: true });
  mkdirSync(debianBin, { recursive: true });
  for (const name of ["cargo", "rustc", "rustdoc", "rustfmt", "cargo-fmt", "cargo-clippy", "clippy-driver"]) {
    symlinkSync(`/usr/bin/${name}`, join(debianBin, name));
  }
  symlinkSync("/usr/bin/lld-22", join(debianBin, "rust-lld"));
}

/** Write beside and rename, so that an interruption never leaves half a file under the name. */
export function writeWhole(file, text) {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, text);
  renameSync(part, file);
}

/**
 * The environment for a child.
 * @param {Record<string, string | undefined>} [extra]
 */
export function childEnv(extra = {}) {
  const debian = toolchain() === "debian";
  const path = [
    ...(debian ? [debianBin] : []),
    toolsBin,
    nodeBin,
    process.env.PATH ?? "",
    // cargo looks for its subcommands in its home first of all unless that is in PATH already.
    ...(debian ? [join(process.env.CARGO_HOME || join(homedir(), ".cargo"), "bin")] : []),
  ];
  const env = { ...process.env, PATH: path.join(delimiter), ...extra };
  // rustup's choice must not reach Debian's compiler through a variable.
  if (debian) delete env.RUSTC;
  return env;
}

/** The full path of a program on the child's PATH, or undefined. */
export function which(name, env = childEnv()) {
  for (const dir of env.PATH.split(delimiter)) {
    if (!dir) continue;
    const file = join(dir, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
