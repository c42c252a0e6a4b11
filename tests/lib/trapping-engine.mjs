// The built engine with a trap put in: it executes `unreachable` when it meets a marked input.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import binaryen from "binaryen";
import { distDir } from "../../scripts/lib/paths.mjs";

/** An array of this length is the mark, wherever the engine asks for one's length or is handed one. */
export const MARK = 4099;

/** Bytes with the mark. */
export const marked = () => new Uint8Array(MARK).fill(0x20);

/**
 * The engine's bytes, changed so that it traps
 *  - when a decoder or a follower is handed a marked chunk, and
 *  - in a promise job that has read a marked chunk of an answer.
 */
export function trappingEngine() {
  const module = binaryen.readBinary(readFileSync(join(distDir, "engine", "engine.wasm")));
  const glue = readFileSync(join(distDir, "engine", "glue.js"), "utf8");
  let text = module.emitText();
  module.dispose();
  for (const [name, method] of [
    ["EventStreamDecoder", "push"],
    ["MessageDecoder", "push"],
    ["RunFollower", "chunk"],
  ]) {
    text = trapInExport(text, required(glue, exportOf(name, method)));
  }
  text = trapAfterImport(text, required(glue, /(\w+): function\(arg0\) \{\s*const ret = arg0\.length;/));
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

/** The last of an exported function's two arguments is a length. */
function trapInExport(text, name) {
  const inner = required(text, new RegExp(`\\(export "${escaped(name)}" \\(func (\\$[\\w$]+)\\)\\)`));
  const [, result = ""] = text.match(
    new RegExp(
      `\\(func ${escaped(inner)} \\(param \\$\\d+ i32\\) \\(param \\$\\d+ i32\\)( \\(result [^)]+\\))?`,
    ),
  );
  const outer = `$trapping_${inner.slice(1)}`;
  return append(
    text.replace(`(export "${name}" (func ${inner}))`, `(export "${name}" (func ${outer}))`),
    `(func ${outer} (param $0 i32) (param $1 i32)${result}
      (if (i32.eq (local.get $1) (i32.const ${MARK})) (then (unreachable)))
      (call ${inner} (local.get $0) (local.get $1)))`,
  );
}

/** The import gives a length. */
function trapAfterImport(text, name) {
  const inner = required(
    text,
    new RegExp(
      `\\(import "\\w+" "${name}" \\(func (\\$[\\w$]+) \\(param externref\\) \\(result i32\\)\\)\\)`,
    ),
  );
  const calls = text.split(`(call ${inner}\n`);
  if (calls.length < 2) throw new Error("The engine never asks for a length");
  return append(
    calls.join("(call $trapping_length\n"),
    `(func $trapping_length (param $0 externref) (result i32) (local $1 i32)
      (local.set $1 (call ${inner} (local.get $0)))
      (if (i32.eq (local.get $1) (i32.const ${MARK})) (then (unreachable)))
      (local.get $1))`,
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
