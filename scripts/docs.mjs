// `npm run docs`: the API reference in artifacts/api/, made of the TypeScript of the package's entries.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { must } from "./lib/exec.mjs";
import { say } from "./lib/log.mjs";
import { root } from "./lib/paths.mjs";
import { setupOrExit } from "./setup.mjs";

const tool = join(root, "scripts", "docs");
/** What people import; what is not reached from here is nobody's to call. */
const entries = ["index", "kit/index", "host/index", "host/node", "sse", "testing/index", "testing/node"].map(
  (name) => join(root, "pkg", "src", `${name}.ts`),
);

await setupOrExit({ tests: false });
// The engine's types are made by the build.
const { build } = await import("./build.mjs");
await build({ log: say });
if (!existsSync(join(tool, "node_modules"))) {
  say("Installing the generator (usually 10 s)");
  await must("npm", ["ci", "--no-audit", "--no-fund"], { cwd: tool, quiet: true });
}
await must(
  process.execPath,
  [
    join(tool, "node_modules", "typedoc", "bin", "typedoc"),
    ...["--tsconfig", join(root, "pkg", "tsconfig.json"), "--out", join(root, "artifacts", "api")],
    ...["--name", "Runwire", "--readme", join(root, "pkg", "README.md"), "--githubPages", "false"],
    // What a reader cannot follow is a mistake of ours.
    ...[
      "--treatWarningsAsErrors",
      "--intentionallyNotExported",
      "Other.Name",
      "--intentionallyNotExported",
      "EventBase",
      "--intentionallyNotExported",
      "WasmModule",
      "--intentionallyNotExported",
      "OptionsOf",
    ],
    ...["--excludeInternal", "--excludePrivate", "--disableSources"],
    ...entries,
  ],
  { cwd: root, show: true },
);
say(`The reference is in ${join("artifacts", "api", "index.html")}`);
