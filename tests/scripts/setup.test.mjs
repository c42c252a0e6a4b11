// Set-up says in one line per thing what is missing where it may not install, and takes nothing half-done for done.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { which } from "../../scripts/lib/env.mjs";
import { run } from "../../scripts/lib/exec.mjs";
import { npmInstalled } from "../../scripts/lib/npm-state.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { atLeast } from "../../scripts/lib/versions.mjs";
import { inTempDir } from "../lib/temp.mjs";

test("where nothing may be installed, each missing thing gets one line with its command", () =>
  inTempDir("setup", async (dir) => {
    // A machine with Node and a shell, and no package manager, Rust or browser.
    for (const name of ["node", "npm", "bash", "dirname"]) symlinkSync(which(name), join(dir, name));
    const env = { PATH: dir, HOME: dir, RUNWIRE_WASM_TOOLCHAIN: "rustup" };
    const { code, output } = await run("node", [join(root, "scripts", "setup.mjs"), "--tests"], {
      cwd: dir,
      env,
    });
    assert.equal(code, 1);
    const missing = output.split("\n").filter((line) => line.startsWith("missing: "));
    assert.equal(missing.length, 2, output);
    assert.match(
      missing[0],
      /Chromium, chromedriver and Firefox — .+CHROME_BIN, CHROMEDRIVER and FIREFOX_BIN/,
    );
    assert.match(missing[1], /wasm32-unknown-unknown.+ — rustup target add/);
  }));

test("a Node that is too old gets one line", async () => {
  const module = new URL("../../scripts/setup.mjs", import.meta.url).href;
  const program = `Object.defineProperty(process.versions, "node", { value: "18.19.1" });
    await import(${JSON.stringify(module)});`;
  const { code, output } = await run(process.execPath, ["--input-type=module", "-e", program]);
  assert.equal(code, 1);
  assert.match(output, /^missing: Node 20\.19 or newer \(this is 18\.19\.1\) — .+\n$/);
});

test("versions are compared by number", () => {
  assert.ok(atLeast("20.19.0", "20.19"));
  assert.ok(atLeast("20.100.0", "20.19"));
  assert.ok(atLeast("1.96", "1.95.1"));
  assert.ok(!atLeast("1.95", "1.95.1"));
  assert.ok(!atLeast("18.20.0", "20.19"));
});

test("npm packages count as installed only when they are what the lock file says", () =>
  inTempDir("npm", async (dir) => {
    const lock = {
      "": { name: "x" },
      pkg: { name: "linked" },
      "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
      "node_modules/a-windows": { version: "1.0.0", integrity: "sha512-w", optional: true },
    };
    const write = (path, packages) => writeFileSync(join(dir, path), JSON.stringify({ packages }));
    write("package-lock.json", lock);
    assert.equal(npmInstalled(dir), false, "nothing there");

    mkdirSync(join(dir, "node_modules"));
    assert.equal(npmInstalled(dir), false, "interrupted: npm writes its own lock file last");

    const inner = "node_modules/.package-lock.json";
    write(inner, { "node_modules/a": lock["node_modules/a"] });
    assert.equal(npmInstalled(dir), true, "all but another platform's");

    write(inner, { "node_modules/a": { version: "0.9.0", integrity: "sha512-o" } });
    assert.equal(npmInstalled(dir), false, "another version");

    write(inner, { "node_modules/a": lock["node_modules/a"], "node_modules/b": { version: "1.0.0" } });
    assert.equal(npmInstalled(dir), false, "one that was removed from the lock file");
  }));
