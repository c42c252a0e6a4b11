// Random numbers that are the same every time, and what tests make of them.

/** A generator (mulberry32) of whole numbers below `n`. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

export const pick = (random, list) => list[random(list.length)];

/** `bytes` in chunks of 0 to `most` bytes. */
export function randomChunks(random, bytes, most) {
  const chunks = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + random(most + 1));
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}
