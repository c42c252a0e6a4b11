// `npm test`: set up, build, run every check and every test; the last line is their sum.
//   npm test -- NAME       only the steps whose name contains NAME
//   npm test -- --release  also what is too slow for every commit
//   npm test -- --list     the names

import { setupOrExit } from "./setup.mjs";
import { childEnv } from "./lib/env.mjs";
import { run } from "./lib/exec.mjs";
import { bold, dim, green, red, say, seconds } from "./lib/log.mjs";
import { root } from "./lib/paths.mjs";
import { steps } from "./lib/test-steps.mjs";
import { readCounts } from "./lib/test-counts.mjs";

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("-"));
const release = args.includes("--release");
const chosen = steps({ release }).filter(
  ({ name }) => names.length === 0 || names.some((n) => name.includes(n)),
);

if (args.includes("--list")) {
  for (const { name } of chosen) say(name);
  process.exit(0);
}
if (chosen.length === 0) {
  say(`no step has ${names.join(" or ")} in its name; they are:`);
  for (const { name } of steps({ release })) say(`  ${name}`);
  process.exit(1);
}

await setupOrExit({ tests: true });

const results = [];
let built = true;
if (chosen.some((step) => step.needsBuild)) {
  const result = await inSection("build", "1 to 2 minutes when stale", async () => {
    const { build } = await import("./build.mjs");
    await build({ log: say });
    return { passed: 1, failed: 0 };
  });
  built = result.failed === 0;
  results.push(result);
}
for (const step of chosen) {
  results.push(
    await inSection(step.name, step.usually, () => {
      if (step.needsBuild && !built) throw new Error("not run: the build failed");
      return runStep(step);
    }),
  );
}
report(results);

async function runStep(step) {
  const command = await step.command();
  if (!command) throw new Error("it has no test");
  const [program, ...rest] = command.args;
  const colour = process.stdout.isTTY ? { CARGO_TERM_COLOR: "always", FORCE_COLOR: "1" } : {};
  const { code, output, timedOut } = await run(program, rest, {
    cwd: root,
    env: childEnv({ ...colour, ...command.env }),
    show: true,
    timeoutMs: step.timeoutMs ?? 15 * 60_000,
  });
  if (timedOut) say(red(`${step.name}: stopped, it took too long`));
  return readCounts(step.counts, { code, output });
}

/** Run one step under its heading; a step that cannot be run counts as one failure. */
async function inSection(name, usually, work) {
  say(`\n${bold(`── ${name}`)} ${dim(`(usually ${usually})`)}`);
  const start = Date.now();
  let counts;
  try {
    counts = await work();
  } catch (error) {
    say(red(`${name}: ${error.message}`));
    counts = { passed: 0, failed: 1 };
  }
  const ms = Date.now() - start;
  const mark = counts.failed > 0 ? red("✗") : green("✓");
  say(`${mark} ${name}: ${counts.passed} passed, ${counts.failed} failed ${dim(seconds(ms))}`);
  return { name, ms, ...counts };
}

function report(all) {
  say(`\n${bold("── summary")}`);
  for (const { name, passed, failed, ms } of all) {
    const mark = failed > 0 ? red("✗") : green("✓");
    say(
      `${mark} ${name.padEnd(26)} ${String(passed).padStart(5)} passed ${String(failed).padStart(3)} failed  ${dim(seconds(ms))}`,
    );
  }
  const sum = (key) => all.reduce((total, result) => total + result[key], 0);
  // On a line of its own and without colour: this is what CI reads.
  say(`\n${sum("passed")} passed, ${sum("failed")} failed`);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
}
