// The run in the terminal: readable where there are no colours, in the width there is, and never the run's own escapes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { root } from "../../scripts/lib/paths.mjs";
import { followInTerminal } from "../../www/terminal.mjs";
import { textWidth } from "../../www/terminal/width.mjs";
import { textFigures } from "../lib/expected-text.mjs";

const www = join(root, "www");
const urlOf = (path) => pathToFileURL(join(www, path)).href;

/** What a process of its own writes that follows a run. */
function follow({ scenario = `"coding"`, env = {} } = {}) {
  const program = `
    import { followInTerminal } from "${urlOf("terminal.mjs")}";
    import { hostile } from "${urlOf("server/hostile.mjs")}";
    await followInTerminal({ once: true, scenario: ${scenario} });`;
  const { NO_COLOR, FORCE_COLOR, ...plain } = process.env;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...plain, COLUMNS: "80", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors, chunks] = ["", "", 0];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    chunks++;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, errors, chunks }));
  });
}

test("a followed run is printed as it comes, and its end says that nothing was lost", async () => {
  const { code, output, errors, chunks } = await follow();
  assert.equal(code, 0, errors);
  assert.equal(errors, "");
  assert.ok(chunks > 20, `it came in ${chunks} pieces`);
  assert.match(output, /runwire follows a simulated run, whose connection is cut once/);
  assert.match(output, /┊ The user says that columns are off/);
  assert.match(output, /I'll look at the lexer and its tests first\./);
  assert.match(output, /✓ read_file {8}src\/lexer\.ts +\d+ ms\n/);
  assert.match(output, /✗ edit_file {8}scripts\/publish\.sh +\d+ ms\n {6}EACCES: permission denied/);
  const lines = output.split("\n");
  const remark = lines.findIndex((line) =>
    /^ {2}· the connection broke: reconnected after \d+ m?s$/.test(line),
  );
  assert.deepEqual(
    [lines[remark - 1], lines[remark + 1]],
    ["", ""],
    "a cut is one line, between whole blocks",
  );
  assert.match(lines[remark - 2], /its tests before I change anything\.$/);
  const calls = output.match(/^ {2}[✓✗] (read_file|grep|run_terminal_cmd|edit_file|\w+_\w+) .* m?s$/gm);
  assert.equal(calls.length, 10, "each tool call has its line");
  assert.match(output, /✓ finished in \d+\.\d s\n/);
  assert.match(output, /\d+ events · \d+\.\d kB · \d+\.\d s · 10 tool calls \(1 failed\)/);
  const { checksum } = await textFigures("coding");
  assert.ok(output.includes(`text checksum ${checksum}, as the scenario\n`));
  assert.ok(!output.includes("\u001b"), "no colours in a pipe");
  assert.deepEqual(
    output.split("\n").filter((line) => textWidth(line) > 80),
    [],
  );
});

test("no line is wider than the terminal", async () => {
  const { output } = await follow({ env: { COLUMNS: "40" } });
  const wide = output.split("\n").filter((line) => textWidth(line) > 40);
  assert.deepEqual(wide, []);
});

test("on a terminal the line of what is running leaves no trace", async () => {
  const written = { terminal: "", pipe: "" };
  const outputs = Object.keys(written).map((name) => ({
    isTTY: name === "terminal",
    columns: 60,
    write(text) {
      written[name] += text;
    },
  }));
  await Promise.all(outputs.map((output) => followInTerminal({ once: true, scenario: "error", output })));
  assert.match(written.terminal, /⠙.*run_terminal_cmd \d+ ms/, "it was there");
  // What a terminal shows in the end: erased lines are gone, colours are no text.
  let shown = "";
  for (const piece of written.terminal.split("\r\u001b[2K")) {
    shown = shown.slice(0, shown.lastIndexOf("\n") + 1) + piece;
  }
  const plain = (text) => stripVTControlCharacters(text).replace(/ +\d+(\.\d)? m?s|at http.*|in \d.*/g, "");
  assert.equal(plain(shown), plain(written.pipe));
});

test("colours come when they are asked for, and NO_COLOR has the last word", async () => {
  const coloured = await follow({ scenario: `"error"`, env: { FORCE_COLOR: "1" } });
  assert.ok(coloured.output.includes("\u001b[31m✗\u001b[0m"));
  const plain = await follow({ scenario: `"error"`, env: { FORCE_COLOR: "1", NO_COLOR: "1" } });
  assert.ok(!plain.output.includes("\u001b"));
});

test("a run's control characters are shown, not sent", async () => {
  const { code, output, errors } = await follow({ scenario: "hostile" });
  assert.equal(code, 0, errors);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.doesNotMatch(output, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  assert.ok(output.includes("␛[2J␛[31mred␛[0m␛]0;title␇"));
  assert.ok(output.includes("safe‹U+202E›gnp.exe"));
  assert.match(output, /✗ error in/);
  assert.match(output, /as the scenario/);
});
