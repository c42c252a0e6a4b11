// wasm-bindgen's output for the engine → the bindings that the facade loads.

import { Failed } from "./exec.mjs";

/**
 * Wraps what is imported in a function. A module keeps its one instance for ever; a function can be called again when an
 * instance has trapped, and lets the facade stand between. Only numbers cross, so nothing is converted on the way, and
 * the table of JS values stays empty.
 * @param {string} output wasm-bindgen's module
 * @param {string[]} exports what the facade calls
 * @param {Record<"modules" | "imports" | "exports", Map<string, string>>} renamed what the build has shortened
 */
export function glueOf(output, exports, renamed) {
  const [imports] = /function __wbg_get_imports\(\) \{[\s\S]*?\n\}/.exec(output) ?? [];
  if (imports === undefined) throw changed("there is no __wbg_get_imports");
  const bare = imports
    .replace(/: function\([\w, ]*\) \{\s*(host\.\w+)\([^;]*\);\s*\}/g, ": $1")
    // Looked up at each call: tests put clocks of their own in place.
    .replace(/: function\(\) \{\s*const ret = (\w+\.\w+\(\));\s*return ret;\s*\}/g, ": () => $1")
    .replace(/: function\(\) \{\s*const table = [^}]*\}/, ": () => {}")
    .replace(/"(\.\/\w+\.js)"/g, (_, module) => `"${renamed.modules.get(module)}"`)
    .replace(/\b__wb\w+(?=:)/g, (name) => renamed.imports.get(name) ?? name);
  if (/: function|\bwasm\b/.test(bare)) throw changed("more than numbers is imported");
  const exported = (name) => {
    const short = renamed.exports.get(name);
    if (short === undefined) throw changed(`${name} is not exported`);
    return `wasm.${short}`;
  };
  return [
    "// Made by scripts/build.mjs of wasm-bindgen's output.",
    "export function createGlue(instantiate, host) {",
    bare,
    "const wasm = instantiate(__wbg_get_imports());",
    `${exported("__wbindgen_start")}();`,
    `return { ${exports.map((name) => `${name}: ${exported(name)}`).join(", ")} };`,
    "}",
    "",
  ].join("\n");
}

function changed(what) {
  return new Failed(`wasm-bindgen's output is not as scripts/lib/glue.mjs knows it: ${what}`);
}
