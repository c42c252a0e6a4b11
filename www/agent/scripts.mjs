// What the scripted agent does in its turns: the same little project, looked into, mended, reviewed and planned.

const lexer = `export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let column = 1;
  for (const character of source) {
    if (character === "\\t") column += 1;
    else column += width(character);
    tokens.push({ character, column });
  }
  return tokens;
}`;

const tests = `test("columns count a tab as one", () => {
  assert.equal(tokenize("\\ta")[1].column, 2);
});`;

const matches = `src/lexer.ts:4:  let column = 1;
src/lexer.ts:6:    if (character === "\\t") column += 1;
src/report.ts:18:  return \`\${line}:\${column}\`;`;

const fixed = `    if (character === "\\t") column += TAB - ((column - 1) % TAB);`;

/** @typedef {import("./stage.mjs").Stage} Stage */

/** A question is answered from two files. @param {Stage} stage @param {string} words */
export async function* explore(stage, words) {
  yield* stage.say(`You asked: “${words}”. I'll look at the lexer and its tests first.\n`);
  yield* stage.useTogether([
    ["Read", { file_path: "src/lexer.ts" }, lexer],
    ["Read", { file_path: "tests/lexer.test.ts" }, tests],
  ]);
  yield* stage.use("Grep", { pattern: "column", path: "src" }, matches);
  yield* stage.say(
    "Columns are counted in **`src/lexer.ts`**, one for each character:\n\n" +
      "- A tab counts as *one* column, wherever it stands.\n" +
      "- `src/report.ts` prints what the lexer counted, so every message behind a tab is off.\n\n" +
      "| input | column now | column an editor shows |\n| --- | --- | --- |\n| `\\ta` | 2 | 5 |\n| `ab\\tc` | 4 | 5 |\n\n" +
      "The tests hold the wrong figure in place, so they need to change first.",
  );
  return "Fix the columns behind tabs";
}

/** A change, whose first edit fails. @param {Stage} stage */
export async function* fix(stage) {
  yield* stage.say("I'll change how a tab is counted, then run the tests.\n");
  const edit = { file_path: "src/lexer.ts", old_string: "column += 1", new_string: fixed.trim() };
  const failure = "String to replace not found in file.\nString: column += 1";
  yield* stage.use("Edit", edit, failure, { isError: true });
  yield* stage.say("The file has a different spacing there. I'll read it again and take the whole line.\n");
  yield* stage.use("Read", { file_path: "src/lexer.ts", offset: 6, limit: 1 }, lexer.split("\n")[4]);
  yield* stage.use("Edit", { ...edit, old_string: lexer.split("\n")[4] }, `1 replacement\n${fixed}`);
  const run = { command: "npm test -- lexer", description: "Run the lexer's tests" };
  yield* stage.use("Bash", run, "ℹ tests 128\nℹ pass 128\nℹ fail 0\nℹ duration_ms 812", { ms: 1600 });
  yield* stage.say(
    "Done. A tab now goes on to the next multiple of four:\n\n" +
      `\`\`\`ts\n${fixed.trim()}\n\`\`\`\n\n` +
      "All **128 tests** pass.",
  );
  return "/review src/lexer.ts";
}

/** A review, by a subagent. @param {Stage} stage @param {string} what */
export async function* review(stage, what) {
  yield* stage.say(`I'll send a subagent to look at ${what} with fresh eyes.\n`);
  const steps = [
    ["Glob", { pattern: "src/**/*.ts" }],
    ["Read", { file_path: "src/lexer.ts" }],
    ["Grep", { pattern: "\\.column\\b", path: "src" }],
    ["Read", { file_path: "src/report.ts" }],
  ];
  const report =
    "Two places use the column: src/report.ts:18 and src/lexer.ts:6. Neither assumes a width of one.";
  yield* stage.delegate("Review the change to the lexer", steps, report);
  yield* stage.say(
    "The review found **nothing that breaks**. One remark: `TAB` could be an option, as editors differ.\n\n" +
      "1. Keep the default at four.\n2. Read `tab_width` from `.editorconfig` where there is one.",
  );
  return "Make the tab width an option";
}

/** Reading and a plan, nothing else. @param {Stage} stage @param {string} words */
export async function* plan(stage, words) {
  yield* stage.say("Plan mode is on, so I only read.\n");
  yield* stage.use("Read", { file_path: "src/lexer.ts" }, lexer);
  yield* stage.use("Grep", { pattern: "column", path: "src" }, matches);
  yield* stage.say(
    `## The plan for “${words}”\n\n` +
      "1. Change the test so that it asks for what editors show.\n" +
      "2. Count a tab up to the next multiple of four in `src/lexer.ts`.\n" +
      "3. Run all tests, and look at the messages of `src/report.ts`.\n\n" +
      "Nothing has been changed. Switch plan mode off to have it carried out.",
  );
  return "Carry out the plan";
}
