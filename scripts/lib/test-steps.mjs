// The steps of `npm test`, in order: name, command, how its counts are read, what it needs.

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { browsers, chromiumFlags, findChromedriver, findChromium } from "./browser.mjs";
import { writeWhole } from "./env.mjs";
import { root, targetDir } from "./paths.mjs";

const wasm = ["--target", "wasm32-unknown-unknown"];
/** The test targets that also run as wasm32; the others need what that target lacks. */
const wasmTargets = ["--package", "runwire", "--test", "event_stream", "--test", "bindings"];
const wasmTests = ["cargo", "test", ...wasm, ...wasmTargets, "--no-fail-fast"];
const wasmRunner = { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: "wasm-bindgen-test-runner" };
const deny = ["--", "-D", "warnings"];

/**
 * @param {object} options
 * @param {boolean} options.release with the widest matrices
 * @returns {{ name: string, usually: string, counts: "check" | "cargo" | "node", needsBuild?: boolean,
 *   timeoutMs?: number, command: () => { args: string[], env?: Record<string, string> } | undefined }[]}
 */
export function steps({ release }) {
  return [
    check("biome", "2 s", ["biome", "check", "--error-on-warnings"]),
    check("cargo fmt", "2 s", ["cargo", "fmt", "--all", "--check"]),
    check("clippy", "30 s", ["cargo", "clippy", "--workspace", "--all-targets", ...deny]),
    check("clippy for wasm", "30 s", ["cargo", "clippy", "--workspace", "--lib", ...wasm, ...deny]),
    check("clippy for wasm tests", "20 s", ["cargo", "clippy", ...wasm, ...wasmTargets, ...deny]),
    {
      name: "cargo test",
      usually: "1 to 2 minutes",
      counts: "cargo",
      command: () => ({
        args: ["cargo", "test", "--workspace", "--no-fail-fast"],
        env: release ? { PROPTEST_CASES: "10000" } : {},
      }),
    },
    {
      name: "wasm-bindgen in node",
      usually: "1 minute",
      counts: "cargo",
      command: () => ({
        args: wasmTests,
        env: { ...wasmRunner, WASM_BINDGEN_TEST_ONLY_NODE: "1" },
      }),
    },
    {
      name: "wasm-bindgen in chromium",
      usually: "30 s",
      counts: "cargo",
      command: () => ({
        args: wasmTests,
        env: {
          ...wasmRunner,
          WASM_BINDGEN_TEST_ONLY_WEB: "1",
          WASM_BINDGEN_USE_BROWSER: "1",
          WASM_BINDGEN_TEST_TIMEOUT: "120",
          WASM_BINDGEN_TEST_DRIVER_TIMEOUT: "60",
          WASM_BINDGEN_TEST_WEBDRIVER_JSON: webdriverFile(),
          CHROMEDRIVER: findChromedriver(),
        },
      }),
    },
    ...["bundler", "nodenext", "node"].map((resolution) => ({
      ...check(`types (${resolution})`, "3 s", ["tsc", "-p", `tests/types/tsconfig.${resolution}.json`]),
      needsBuild: true,
    })),
    ...suites().map(({ folder, browser }) => ({
      name: browser ? `${folder} in ${browser}` : folder,
      usually: "under a minute",
      counts: "node",
      needsBuild: true,
      command: () => ({
        // A listed reporter, because the default depends on where the output goes.
        args: [
          ...["node", "--test", "--test-reporter=spec", "--test-timeout=300000"],
          // In browsers most of it is waiting.
          ...(browser ? ["--test-concurrency=2"] : []),
          ...testFiles(folder),
        ],
        env: {
          ...(release && { RUNWIRE_TEST_RELEASE: "1" }),
          ...(browser && { RUNWIRE_TEST_BROWSER: browser }),
        },
      }),
    })),
    { ...check("size budget", "2 s", ["node", "scripts/size.mjs"]), needsBuild: true },
  ];
}

function check(name, usually, args) {
  return { name, usually, counts: "check", command: () => ({ args }) };
}

/** What is opened in each browser. */
const inBrowsers = ["tests/browser", "tests/page"];

/** Every folder with node tests: a new one is run without being listed anywhere. */
function suites() {
  const folders = readdirSync(join(root, "tests"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `tests/${entry.name}`);
  return [...folders, "bench", "www"]
    .filter((folder) => testFiles(folder).length > 0)
    .flatMap((folder) =>
      inBrowsers.includes(folder) ? browsers.map((browser) => ({ folder, browser })) : [{ folder }],
    );
}

function testFiles(folder) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".test.mjs"));
  return names.sort().map((name) => `${folder}/${name}`);
}

/** The capabilities chromedriver is asked for, in a file as the runner wants them. */
function webdriverFile() {
  const file = join(targetDir, "webdriver.json");
  mkdirSync(targetDir, { recursive: true });
  const options = { binary: findChromium(), args: chromiumFlags };
  writeWhole(file, JSON.stringify({ "goog:chromeOptions": options }));
  return file;
}
