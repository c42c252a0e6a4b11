// What is said to the engine's runs and streams, by number: the order of `Call::of` in src/js/calls.rs.

export const CALL = {
  close: 0,
  pull: 1,
  chunk: 2,
  ended: 3,
  broke: 4,
  room: 5,
  scratch: 6,
  opened: 7,
  body: 8,
  time: 9,
  wake: 10,
  online: 11,
  visible: 12,
  token: 13,
  load: 14,
  observe: 15,
  stalled: 16,
  noStream: 17,
  cancel: 18,
} as const;

/** Says something to one run or stream. */
export type Tell = (call: number, a?: number, b?: number, c?: number, d?: number) => number;
