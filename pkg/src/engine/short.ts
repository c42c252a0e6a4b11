// Short strings from UTF-16 code units.

// One call with just as many arguments as there are units is the fastest way to a short string in all engines, by
// far: faster than a decoder, a concatenation or a slice, and what it gives keeps nothing else alive.
const code = String.fromCharCode;

/** The longest string that {@link shortString} makes; `SHORT` in src/json/batch.rs. */
export const SHORT = 32;

/** The `length` units at place `p` of `u` as a string. */
// biome-ignore format: a table
export function shortString(u: Uint16Array, p: number, length: number): string {
  switch (length) {
    case 1:
      return code(u[p]!);
    case 2:
      return code(u[p]!, u[p + 1]!);
    case 3:
      return code(u[p]!, u[p + 1]!, u[p + 2]!);
    case 4:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!);
    case 5:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!);
    case 6:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!);
    case 7:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!);
    case 8:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!);
    case 9:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!);
    case 10:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!);
    case 11:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!);
    case 12:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!);
    case 13:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!);
    case 14:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!);
    case 15:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!);
    case 16:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!);
    case 17:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!);
    case 18:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!);
    case 19:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!);
    case 20:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!);
    case 21:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!);
    case 22:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!);
    case 23:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!);
    case 24:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!);
    case 25:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!);
    case 26:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!, u[p + 25]!);
    case 27:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!, u[p + 25]!, u[p + 26]!);
    case 28:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!, u[p + 25]!, u[p + 26]!, u[p + 27]!);
    case 29:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!, u[p + 25]!, u[p + 26]!, u[p + 27]!, u[p + 28]!);
    case 30:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!, u[p + 25]!, u[p + 26]!, u[p + 27]!, u[p + 28]!, u[p + 29]!);
    case 31:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!, u[p + 25]!, u[p + 26]!, u[p + 27]!, u[p + 28]!, u[p + 29]!, u[p + 30]!);
    case 32:
      return code(u[p]!, u[p + 1]!, u[p + 2]!, u[p + 3]!, u[p + 4]!, u[p + 5]!, u[p + 6]!, u[p + 7]!, u[p + 8]!, u[p + 9]!, u[p + 10]!, u[p + 11]!, u[p + 12]!, u[p + 13]!, u[p + 14]!, u[p + 15]!, u[p + 16]!, u[p + 17]!, u[p + 18]!, u[p + 19]!, u[p + 20]!, u[p + 21]!, u[p + 22]!, u[p + 23]!, u[p + 24]!, u[p + 25]!, u[p + 26]!, u[p + 27]!, u[p + 28]!, u[p + 29]!, u[p + 30]!, u[p + 31]!);
    default:
      return "";
  }
}
