// `npm run bench`: our figures against peers, in Node, Chromium and Firefox. `--help` says what it takes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/lib/paths.mjs";
import { CHUNK_SIZES, EVENT_COUNT } from "./data.mjs";
import { engines } from "./lib/engines.mjs";
import { figuresOf, meets, sizeFigures } from "./lib/figures.mjs";
import { measureLoopback } from "./lib/loopback.mjs";
import { servePage } from "./lib/page.mjs";
import { markdown, rowText, tablesOf, terminal } from "./lib/report.mjs";

const CASES = ["decode", "session", "delivered", "loopback", "memory", "retained", "large", "size"];
const help = `node bench/run.mjs [options]
  --engine LIST   of ${Object.keys(engines).join(", ")}
  --case LIST     of ${CASES.join(", ")}
  --chunk LIST    chunk sizes in bytes, default ${CHUNK_SIZES.join(", ")}
  --rounds N      measured runs of each side, default 9, at least 7 for figures that are kept
  --events N      mixed events, default ${EVENT_COUNT}
  --json          one JSON object of named figures on the standard output, nothing else
  --markdown      the tables of bench/README.md
  --check         end with code 1 when a figure misses its bar
  --no-build      measure what is in pkg/dist/ as it is`;

const { values: options } = parseArgs({
  options: {
    engine: { type: "string" },
    case: { type: "string" },
    chunk: { type: "string" },
    rounds: { type: "string", default: "9" },
    events: { type: "string", default: String(EVENT_COUNT) },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    "no-build": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** What is going on goes to the standard error, so that the standard output holds the result alone. */
const say = (text) => process.stderr.write(`${text}\n`);

function chosen(list, all, what) {
  if (list === undefined) return all;
  const names = list.split(",").map((name) => name.trim());
  for (const name of names) {
    if (!all.includes(name)) throw new Error(`there is no ${what} ${name}; there is ${all.join(", ")}`);
  }
  return names;
}

/** In a process of its own, because what it says belongs on the standard error here. */
async function buildPackage() {
  const child = spawn(process.execPath, [join(root, "scripts", "build.mjs")], { stdio: ["ignore", 2, 2] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("the build failed");
}

async function measure() {
  const names = chosen(options.case, CASES, "case");
  const found = chosen(options.engine, Object.keys(engines), "engine").filter((name) => {
    const there = engines[name].find() !== undefined;
    if (!there) say(`${name} is not installed: left out`);
    return there;
  });
  const settings = {
    sizes: options.chunk === undefined ? CHUNK_SIZES : options.chunk.split(",").map(Number),
    rounds: Number(options.rounds),
    events: Number(options.events),
  };
  if (!options["no-build"]) {
    await buildPackage();
  }
  const figures = {};
  const versions = [];
  const inEngines = names.filter((name) => name !== "size");
  const page = inEngines.length > 0 && found.some((name) => name !== "node") ? await servePage() : undefined;
  try {
    for (const engine of inEngines.length > 0 ? found : []) {
      versions.push(await engines[engine].version());
      const rows = [];
      for (const name of inEngines) {
        // Pages do not learn what CPU time they take.
        if (name === "loopback" && engine !== "node") continue;
        say(`${engine}: ${name} (load ${loadavg()[0].toFixed(1)})`);
        const run =
          name === "loopback" ? measureLoopback(settings) : engines[engine].run(name, settings, page?.url);
        for (const row of await run) {
          say(`  ${rowText(engine, row)}`);
          rows.push(row);
        }
      }
      Object.assign(figures, figuresOf(engine, rows));
    }
  } finally {
    await page?.close();
  }
  if (names.includes("size")) {
    const { measure: measureSizes } = await import("../scripts/size.mjs");
    Object.assign(figures, sizeFigures(await measureSizes()));
  }
  return { figures, versions };
}

function print({ figures, versions }) {
  if (options.json) {
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    return;
  }
  const [cpu] = cpus();
  const machine = [
    `${cpus().length} × ${cpu.model.trim()}`,
    `${process.platform} ${process.arch}`,
    ...versions,
  ];
  const tables = tablesOf(figures);
  const text = options.markdown ? markdown(tables) : terminal(tables);
  process.stdout.write(`${machine.join(", ")}\n\n${text}\n`);
}

if (options.help) {
  process.stdout.write(`${help}\n`);
} else {
  try {
    const result = await measure();
    print(result);
    const missed = Object.entries(result.figures).filter(([key, value]) => !meets(key, value));
    for (const [key, value] of missed) say(`${key} misses its bar: ${value.toFixed(3)}`);
    if (options.check && missed.length > 0) process.exitCode = 1;
  } catch (error) {
    say(error.stack);
    process.exitCode = 1;
  }
}
