// The code of a guide in docs/, run as it stands.

import { readFileSync } from "node:fs";

/**
 * Runs the `js` blocks of a guide in order, as one program that finds the members of `scope` as its variables.
 * @returns {Promise<Record<string, unknown>>} the variables that are named in `wanted`, as they are at the end
 */
export async function runGuide(name, scope, wanted) {
  const guide = readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
  const blocks = [...guide.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
  if (blocks.length === 0) throw new Error(`${name} has no code`);
  const program = `return (async () => {${blocks.join("\n")}\nreturn { ${wanted.join(", ")} };})()`;
  return new Function(...Object.keys(scope), program)(...Object.values(scope));
}
