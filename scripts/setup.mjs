// Install what building (and testing) needs and this machine lacks; quick when all is there.

import "./lib/require-node.mjs";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findChromedriver, findChromium, findFirefox } from "./lib/browser.mjs";
import { childEnv, chooseToolchain, toolchain, which } from "./lib/env.mjs";
import { Failed, firstLine, must, run } from "./lib/exec.mjs";
import { dim, say, seconds, task, warn } from "./lib/log.mjs";
import { npmInstalled } from "./lib/npm-state.mjs";
import { root } from "./lib/paths.mjs";
import { installTool, rustTools, toolReady } from "./lib/rust-tools.mjs";
import { aptInstall, canApt, missingLine, rustVersion } from "./lib/system.mjs";
import * as versions from "./lib/versions.mjs";

/** By the names of Debian's packages. */
const browserPackages = {
  chromium: { called: "Chromium", find: findChromium, variable: "CHROME_BIN" },
  "chromium-driver": { called: "chromedriver", find: findChromedriver, variable: "CHROMEDRIVER" },
  "firefox-esr": { called: "Firefox", find: findFirefox, variable: "FIREFOX_BIN" },
};

/** Things are missing that this script may not install: one line each. */
export class Missing extends Error {
  constructor(lines) {
    super(lines.join("\n"));
    this.lines = lines;
  }
}

/**
 * @param {object} [options]
 * @param {boolean} [options.tests] also what only tests need: browsers, the Rust formatter and linter
 */
export async function setup({ tests = false } = {}) {
  const start = Date.now();
  const apt = canApt();
  const [npm, std, tools] = await Promise.all([
    npmInstalled(root),
    stdReady(),
    Promise.all(rustTools.map(async (tool) => [tool, await toolReady(tool)])),
  ]);
  const absentTools = tools.filter(([, ready]) => !ready).map(([tool]) => tool);
  const browsers = tests ? absentBrowsers() : [];
  const prepareRust = async () => {
    if (!std) await installStd();
    await checkRust(tests, apt);
  };

  // Whoever may install nothing learns of everything that is missing at once, before any long build.
  const lines = [];
  if (!which("npm")) lines.push("missing: npm — it comes with Node: install that again");
  if (browsers.length > 0 && !(await apt)) lines.push(browserLine(browsers));
  if (!(await apt)) await collect(lines, prepareRust());
  if (lines.length > 0) throw new Missing(lines);

  // These fail early if they fail: the long builds wait for both.
  await all([npm || installNpm(), (await apt) && prepareRust()]);
  await all([
    ...absentTools.map((tool) =>
      task(`Building ${tool.crate} ${tool.version}`, tool.usually, () => installTool(tool)),
    ),
    browsers.length > 0 && installBrowsers(browsers),
  ]);
  say(dim(`set-up is complete (${seconds(Date.now() - start)})`));
}

/** Wait for all, even when one fails, so that no install is cut off by another's failure. */
async function all(work) {
  const results = await Promise.allSettled(work);
  const failed = results.filter((r) => r.status === "rejected").map((r) => r.reason);
  const bug = failed.find((error) => !(error instanceof Missing || error instanceof Failed));
  if (bug) throw bug;
  const lines = failed.flatMap((error) => error.lines ?? [error.message]);
  if (lines.length > 0) throw new Missing(lines);
}

async function collect(lines, work) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    lines.push(...error.lines);
  }
}

async function installNpm() {
  await task("Installing npm packages", "10 to 60 seconds", async () => {
    // Gone first, so that an interruption from here on is seen as "not installed".
    rmSync(join(root, "node_modules", ".package-lock.json"), { force: true });
    await must("npm", ["ci", "--no-audit", "--no-fund"], { cwd: root, env: childEnv() });
  });
}

/** Whether the chosen compiler has the standard library of the wasm target, as scripts/wasm-target.sh judges it. */
async function stdReady() {
  if (toolchain() === undefined) return false;
  const ask = (args) => firstLine("rustc", args, { cwd: root, env: childEnv() });
  const [dir, version] = await Promise.all([
    ask(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]),
    ask(["--version"]),
  ]);
  if (!dir || !existsSync(dir)) return false;
  const files = readdirSync(dir);
  if (files.includes("built-by") && readFileSync(join(dir, "built-by"), "utf8").trim() !== version)
    return false;
  return ["libstd-", "libtest-"].every((name) =>
    files.some((f) => f.startsWith(name) && f.endsWith(".rlib")),
  );
}

async function installStd() {
  await task("Preparing Rust for wasm32", "seconds with rustup, 2 to 4 minutes on Debian", async () => {
    let output = "";
    const { code } = await run("bash", [join(root, "scripts", "wasm-target.sh")], {
      cwd: root,
      onOutput: (chunk) => {
        output += chunk;
      },
    });
    const lines = output.trim().split("\n");
    const chosen = /^toolchain=(\w+)$/.exec(lines.at(-1) ?? "")?.[1];
    if (code === 0 && chosen) {
      chooseToolchain(chosen);
      return;
    }
    const missing = lines.filter((line) => line.startsWith("missing: "));
    throw new Missing(missing.length > 0 ? missing : lines.slice(-25));
  });
}

/** The compiler is new enough, can link for this machine, and has its companions. */
async function checkRust(tests, apt) {
  const lines = [];
  const version = await rustVersion();
  if (!version || !versions.atLeast(version, versions.rust)) {
    const command =
      toolchain() === "debian"
        ? "enable Debian's security updates, then: sudo apt-get upgrade"
        : "rustup update stable";
    lines.push(`missing: Rust ${versions.rust} or newer (found ${version ?? "none"}) — ${command}`);
  }
  if (!which("cc")) {
    const packages = ["gcc", "libc6-dev"];
    if (await apt) await task("Installing a C compiler", "30 seconds", () => aptInstall(packages));
    else
      lines.push(
        missingLine("a C compiler", { apt: packages, mac: "xcode-select --install", other: "install gcc" }),
      );
  }
  if (tests && toolchain() === "default") {
    const env = childEnv();
    const parts = ["fmt", "clippy"];
    const found = await Promise.all(
      parts.map((part) => firstLine("cargo", [part, "--version"], { cwd: root, env })),
    );
    const absent = ["rustfmt", "clippy"].filter((_, i) => !found[i]);
    const command = ["component", "add", ...absent];
    if (absent.length > 0 && (await run("rustup", command, { cwd: root, env })).code !== 0) {
      lines.push(`missing: ${absent.join(" and ")} — rustup ${command.join(" ")}`);
    }
  }
  if (lines.length > 0) throw new Missing(lines);
}

/** Debian's packages of the browsers that tests need and this machine lacks. */
function absentBrowsers() {
  return Object.keys(browserPackages).filter((name) => browserPackages[name].find() === undefined);
}

function browserLine(packages) {
  const names = packages.map((name) => browserPackages[name].called);
  const variables = packages.map((name) => browserPackages[name].variable);
  return missingLine(inWords(names), {
    apt: packages,
    mac: `brew install --cask ${names.map((name) => name.toLowerCase()).join(" ")}`,
    other: `install by the system's package manager, or set ${inWords(variables)}`,
  });
}

async function installBrowsers(packages) {
  const names = inWords(packages.map((name) => browserPackages[name].called));
  await task(`Installing ${names}`, "30 to 90 seconds", () => aptInstall(packages));
  const still = absentBrowsers();
  if (still.length > 0) throw new Missing([browserLine(still)]);
}

function inWords(names) {
  return new Intl.ListFormat("en-GB").format(names);
}

/** Set up or end the process with what is missing. */
export async function setupOrExit(options) {
  try {
    await setup(options);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    for (const line of error.lines) warn(line);
    process.exit(1);
  }
}

if (process.argv[1] === import.meta.filename) {
  await setupOrExit({ tests: process.argv.includes("--tests") });
}
