// docs/field-reports.md names tests: they must be there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/lib/paths.mjs";

const document = readFileSync(join(root, "docs", "field-reports.md"), "utf8");
const rows = document.split("\n").filter((line) => /^\| \d+\. /.test(line));

test("every field report has a test, or the reason why it needs none", () => {
  assert.ok(rows.length >= 89, `${rows.length} rows`);
  for (const row of rows)
    assert.match(row, /^\| \d+\. \[.+\]\(https:.+\) \| .+ \| (.*`.+` › .+|No code: .+) \|$/);
});

test("every test that is named there exists", () => {
  const named = [...document.matchAll(/`([\w./-]+\.(?:rs|mjs))` › (.+?)(?=<br>| \|)/g)];
  assert.ok(named.length > 100, `${named.length} names`);
  for (const [, file, name] of named) {
    const source = readFileSync(join(root, "tests", file), "utf8");
    const declared = file.endsWith(".rs") ? `fn ${name}()` : name;
    assert.ok(source.includes(declared), `${file} has no ${name}`);
  }
});
