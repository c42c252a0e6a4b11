// The built engine with a trap put in: it executes `unreachable` when it meets a marked input.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import binaryen from "binaryen";
import { distDir } from "../../scripts/lib/paths.mjs";

/** An array of this length is the mark, wherever the engine asks for one's length or is handed one. */
export const MARK = 4099;

/** Bytes with the mark. */
export const marked = () => new Uint8Array(MARK).fill(0x20);

/** The engine's bytes, changed so that it traps when it is handed marked bytes: a chunk, or an answer. */
export function trappingEngine() {
  const module = binaryen.readBinary(readFileSync(join(distDir, "engine", "engine.wasm")));
  const glue = readFileSync(join(distDir, "engine", "glue.js"), "utf8");
  let text = module.emitText();
  module.dispose();
  const exportOf = (name) => required(glue, new RegExp(`\\b${name}: wasm\\.([\\w$]+)`));
  const numbers = ["i32", "i32", "f64", "f64", "f64", "f64"];
  text = trapInExport(text, exportOf("tell"), numbers, "f64", `(f64.eq (local.get $2) (f64.const ${MARK}))`);
  text = trapInExport(
    text,
    exportOf("scratch"),
    ["i32"],
    "i32",
    `(i32.eq (local.get $0) (i32.const ${MARK}))`,
  );
  const patched = binaryen.parseText(text);
  patched.setFeatures(features);
  if (!patched.validate()) throw new Error("The patched engine is not valid");
  const bytes = patched.emitBinary();
  patched.dispose();
  return bytes;
}

function required(text, pattern) {
  const match = text.match(pattern);
  if (!match) throw new Error(`Not found in the bindings: ${pattern}`);
  return match[1];
}

const escaped = (name) => name.replace(/[$]/g, "\\$&");

/** Puts a trap before an exported function, for arguments that are marked. */
function trapInExport(text, name, types, result, isMarked) {
  const inner = required(text, new RegExp(`\\(export "${escaped(name)}" \\(func (\\$[\\w$]+)\\)\\)`));
  const outer = `$trapping_${inner.slice(1)}`;
  const params = types.map((type, at) => `(param $${at} ${type})`).join(" ");
  const given = types.map((_, at) => `(local.get $${at})`).join(" ");
  return append(
    text.replace(`(export "${name}" (func ${inner}))`, `(export "${name}" (func ${outer}))`),
    `(func ${outer} ${params} (result ${result})
      (if ${isMarked} (then (unreachable)))
      (call ${inner} ${given}))`,
  );
}

/** What compilers use by default; the built engine no longer says what it uses. */
const features = [
  "MutableGlobals",
  "NontrappingFPToInt",
  "SignExt",
  "BulkMemory",
  "BulkMemoryOpt",
  "ReferenceTypes",
  "CallIndirectOverlong",
  "Multivalue",
].reduce((sum, name) => sum | binaryen.Features[name], 0);

const append = (text, func) => `${text.slice(0, text.lastIndexOf(")"))}${func}\n)`;
