// Takes what panics say out of a WebAssembly file: nobody can hear it there, and it is a tenth of the engine.

/** Functions of the standard library that end in a trap, once they have made a message that goes nowhere. */
const panicking = /\b(panicking::|cell::panic_already|slice_index_fail|handle_alloc_error|capacity_overflow)/;
/** What they make it with. */
const formatting = /\bfmt::/;

/** What they would say: the standard library's texts, and the files that it names. */
const texts =
  /(?:\/[\w.+-]+)*\/src\/[\w/]+\.rs|src\/[\w/]+\.rs|slice index starts at |range (?:start|end) index | but ends at |" ?out of range for slice of length |out of range for slice of length |cannot access a Thread Local Storage value during or after destruction: |assertion failed: mid <= self\.len\(\)|dest is out of bounds|mid > len|Tried to shrink to a larger capacity|rwlock overflowed read locks|rwlock has not been locked for reading|AccessError|capacity overflow|RefCell already (?:mutably )?borrowed|0001020304050607(?:\d\d)+99/g;

/**
 * Has panics trap at once. Needs the file's function names; throws when something else than a panic formats text,
 * which would trap too.
 * @param {Uint8Array} bytes
 * @returns {Promise<Uint8Array>}
 */
export async function quietPanics(bytes) {
  const { default: binaryen } = await import("binaryen");
  const module = binaryen.readBinary(bytes);
  const silenced = (name) => panicking.test(name) || formatting.test(name);
  for (const [caller, callee] of callsIn(module.emitText())) {
    if (formatting.test(callee) && !silenced(caller)) {
      throw new Error(`${caller} formats text with ${callee}: write it in another way`);
    }
  }
  let count = 0;
  for (let index = 0; index < module.getNumFunctions(); index++) {
    const reference = module.getFunctionByIndex(index);
    const { name, module: imported } = binaryen.getFunctionInfo(reference);
    if (imported || !silenced(name)) continue;
    binaryen.Function.setBody(reference, module.unreachable());
    count++;
  }
  if (count === 0) throw new Error("There are no panics: has the file lost its names?");
  const quiet = module.emitBinary();
  module.dispose();
  for (const segment of segmentsIn(Buffer.from(quiet.buffer, quiet.byteOffset, quiet.length))) blank(segment);
  return quiet;
}

/** Who calls whom, out of a module's text. */
function* callsIn(text) {
  let caller = "";
  for (const [, func, callee] of text.matchAll(/\(func \$("[^"]*"|\S+)|\(call \$("[^"]*"|[^\s)]+)/g)) {
    if (func === undefined) yield [caller, callee];
    else caller = func;
  }
}

/**
 * Zeros what panics would say, and where (a file's address and length, a line and a column): nothing refers to it any
 * more, and zeros take no room when compressed.
 */
function blank({ address, bytes }) {
  for (const { index, 0: text } of bytes.toString("latin1").matchAll(texts)) {
    bytes.fill(0, index, index + text.length);
    const place = Buffer.alloc(8);
    place.writeUInt32LE(address + index, 0);
    place.writeUInt32LE(text.length, 4);
    for (let at = bytes.indexOf(place); at >= 0; at = bytes.indexOf(place, at + 1)) {
      if ((address + at) % 4 === 0) bytes.fill(0, at, at + 16);
    }
  }
}

/** The data of a WebAssembly file: where each piece lies in memory, and its bytes, to be changed in place. */
function* segmentsIn(file) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = file[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < file.length) {
    const section = file[at++];
    const end = number() + at;
    for (let count = section === 11 ? number() : 0; count > 0; count--) {
      // Active, in the only memory, at a constant.
      if (file[at++] !== 0 || file[at++] !== 0x41)
        throw new Error("A data segment is of a kind that is not known");
      const address = number();
      at++;
      const length = number();
      yield { address, bytes: file.subarray(at, at + length) };
      at += length;
    }
    at = end;
  }
}
