// Builds pkg/dist: wasm-pack, the bindings as a factory, TypeScript. Does nothing when nothing changed.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { childEnv } from "./lib/env.mjs";
import { must } from "./lib/exec.mjs";
import { glueOf } from "./lib/glue.mjs";
import { dim, say, task } from "./lib/log.mjs";
import { distDir, root, targetDir } from "./lib/paths.mjs";
import { quietPanics } from "./lib/quiet-panics.mjs";
import { checkBudget } from "./size.mjs";

const src = join(root, "pkg", "src");
const stamp = join(targetDir, "built-from");
const sources = [
  "Cargo.toml",
  "Cargo.lock",
  "src",
  "simulator/Cargo.toml",
  "simulator/src",
  "pkg",
  "scripts/build.mjs",
  "scripts/lib/glue.mjs",
  "scripts/lib/quiet-panics.mjs",
  "scripts/size.mjs",
  "size-budget.json",
];

/** The two crates that become WebAssembly. */
const crates = [
  {
    name: "engine",
    path: ".",
    // What the facade calls.
    exports: ["scratch", "make", "places", "tell", "forget"],
  },
  { name: "simulator", path: "simulator" },
];

/** Builds what is not up to date. */
export async function build({ log = say } = {}) {
  const state = hashOf(sources);
  if (existsSync(distDir) && existsSync(stamp) && readFileSync(stamp, "utf8") === state) {
    log(dim("pkg/dist is up to date"));
    return;
  }
  // What an interrupted build leaves must not pass for a whole one.
  rmSync(stamp, { force: true });
  rmSync(distDir, { recursive: true, force: true });
  await task("Building the engine and the simulator", "a minute the first time", async () => {
    // One after the other: cargo would make them wait for each other anyway.
    for (const crate of crates) await wasmPack(crate);
  });
  await task("Building the package", "two seconds", async () => {
    await engineGlue(crates[0]);
    simulatorFiles();
    await must("tsc", ["--project", join(root, "pkg")], { env: childEnv(), cwd: root });
    const written = [...filesOf(src), join(src, "engine", "generated", "engine.d.ts")];
    for (const file of written.filter((file) => /\.d\.(wasm\.)?ts$/.test(file))) {
      copy(file, join(distDir, relative(src, file)));
    }
    for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copy(join(root, name), join(root, "pkg", name));
  });
  await checkBudget({ log });
  writeFileSync(stamp, state);
}

const wasmDir = (name) => join(root, "target", "wasm", name);

function wasmPack({ name, path }) {
  const args = ["build", path, "--target", "web", "--mode", "no-install", "--no-pack", "--release"];
  // wasm-pack takes the folder as relative to the crate.
  const out = relative(join(root, path), wasmDir(name));
  return must("wasm-pack", [...args, "--out-dir", out, "--out-name", name], {
    env: childEnv({ RUSTFLAGS: remapped() }),
    cwd: root,
    quiet: true,
  });
}

/** Panic messages name source files: not where they lie on this machine. */
function remapped() {
  const cargoHome = process.env.CARGO_HOME || join(homedir(), ".cargo");
  const registry = join(cargoHome, "registry", "src");
  const crates = existsSync(registry) ? readdirSync(registry).map((name) => join(registry, name)) : [];
  const sysroot = execFileSync("rustc", ["--print", "sysroot"], { env: childEnv(), encoding: "utf8" }).trim();
  const prefixes = [...crates, join(sysroot, "lib", "rustlib", "src", "rust", "library"), root];
  return [process.env.RUSTFLAGS, ...prefixes.map((prefix) => `--remap-path-prefix=${prefix}/=`)]
    .filter(Boolean)
    .join(" ");
}

/** The engine's bindings and its bytes. */
async function engineGlue({ name, exports }) {
  const bytes = join(distDir, name, `${name}.wasm`);
  const renamed = await shrink(join(wasmDir(name), `${name}_bg.wasm`), bytes);
  const output = readFileSync(join(wasmDir(name), `${name}.js`), "utf8");
  write(join(distDir, name, "glue.js"), glueOf(output, exports, renamed));
  // The facade is checked against what was generated, but for the loading: that is typed by names of the DOM's.
  const [calls] = readFileSync(join(wasmDir(name), `${name}.d.ts`), "utf8").split("export type InitInput");
  write(join(src, name, "generated", `${name}.d.ts`), `${calls.trimEnd()}\n`);
}

/**
 * Optimises for what travels, and gives imports and exports names of one or two letters: wasm-bindgen's end in hashes
 * that do not compress, and stand in two files. Gives what was renamed to what.
 */
async function shrink(from, to) {
  const [quiet, named] = ["quiet", "named"].map((name) => join(dirname(from), `${name}.wasm`));
  write(quiet, await quietPanics(readFileSync(from)));
  // Flat code folds better, and functions apart compress better than inlined ones: 0.5 kB, and no slower. The first
  // kilobyte is the far end of the stack: no object lies there.
  const passes = [
    ...["--one-caller-inline-max-function-size=0", "--low-memory-unused"],
    ...["-Oz", "--flatten", "--rereloop", "-Oz", "--converge", "--code-folding", "-Oz", "--reorder-locals"],
    ...["--strip-producers", "--strip-target-features"],
  ];
  mkdirSync(dirname(to), { recursive: true });
  // Twice the same, because a file that is read again is written a little larger.
  await wasmOpt(...passes, quiet, "-o", named);
  await wasmOpt(...passes, "--minify-imports-and-exports-and-modules", quiet, "-o", to);
  const names = (file) => {
    const module = new WebAssembly.Module(readFileSync(file));
    const imports = WebAssembly.Module.imports(module);
    return {
      modules: imports.map(({ module }) => module),
      imports: imports.map(({ name }) => name),
      exports: WebAssembly.Module.exports(module).map(({ name }) => name),
    };
  };
  const [before, after] = [names(named), names(to)];
  return Object.fromEntries(
    Object.keys(before).map((kind) => [
      kind,
      new Map(before[kind].map((name, index) => [name, after[kind][index]])),
    ]),
  );
}

function wasmOpt(...args) {
  return must("wasm-opt", args, { env: childEnv(), cwd: root, quiet: true });
}

function simulatorFiles() {
  const from = wasmDir("simulator");
  copy(join(from, "simulator.js"), join(distDir, "testing", "simulator.js"));
  copy(join(from, "simulator_bg.wasm"), join(distDir, "testing", "simulator.wasm"));
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function filesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !["dist", "generated", "node_modules"].includes(name) && !/^LICENSE|\.tgz$/.test(name))
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}

/** A hash over the names and contents of files and folders. */
function hashOf(paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => filesOf(join(root, path)))) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

if (process.argv[1] === import.meta.filename) await build();
