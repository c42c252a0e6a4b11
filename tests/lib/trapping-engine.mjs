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
  for (const name of ["EventStreamDecoder", "MessageDecoder"]) {
    const push = required(glue, exportOf(name, "push"));
    text = trapInExport(text, push, ["i32", "i32"], `(i32.eq (local.get $1) (i32.const ${MARK}))`);
  }
  const tell = required(glue, /function tell\([\s\S]*?wasm\.([\w$]+)\(/);
  const numbers = ["i32", "i32", "f64", "f64", "f64", "f64"];
  text = trapInExport(text, tell, numbers, `(f64.eq (local.get $2) (f64.const ${MARK}))`);
  const patched = binaryen.parseText(text);
  patched.setFeatures(features);
  if (!patched.validate()) throw new Error("The patched engine is not valid");
  const bytes = patched.emitBinary();
  patched.dispose();
  return bytes;
}

/** Where a method of a class calls the export behind it with a length: names are shortened by the build. */
const exportOf = (name, method) =>
  new RegExp(
    `\\b${name} = class \\{[^]*?\\b${method}\\(length\\) \\{[^]*?wasm\\.([\\w$]+)\\(this\\.__wbg_ptr, length\\)`,
  );

function required(text, pattern) {
  const match = text.match(pattern);
  if (!match) throw new Error(`Not found in the bindings: ${pattern}`);
  return match[1];
}

const escaped = (name) => name.replace(/[$]/g, "\\$&");

/** Puts a trap before an exported function, for arguments that are marked. */
function trapInExport(text, name, types, isMarked) {
  const inner = required(text, new RegExp(`\\(export "${escaped(name)}" \\(func (\\$[\\w$]+)\\)\\)`));
  const outer = `$trapping_${inner.slice(1)}`;
  const params = types.map((type, at) => `(param $${at} ${type})`).join(" ");
  const given = types.map((_, at) => `(local.get $${at})`).join(" ");
  return append(
    text.replace(`(export "${name}" (func ${inner}))`, `(export "${name}" (func ${outer}))`),
    `(func ${outer} ${params} (result i32)
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
