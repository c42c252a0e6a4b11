// What is said to the engine's runs, streams and decoders, by number: the order of `Call::of` in src/js/calls.rs.

export const CALL = {
  close: 0,
  pull: 1,
  chunk: 2,
  ended: 3,
  broke: 4,
  room: 5,
  opened: 6,
  body: 7,
  time: 8,
  wake: 9,
  online: 10,
  visible: 11,
  token: 12,
  resume: 13,
  option: 14,
  load: 15,
  observe: 16,
  stalled: 17,
  noStream: 18,
  cancel: 19,
  setLastEventId: 20,
  lastEventId: 21,
  reconnectionTime: 22,
} as const;

/** What there is to be made; the numbers of `make` in src/js/calls.rs. */
export const KIND = { run: 0, messages: 1, frames: 2, fork: 3, eventDecoder: 4, messageDecoder: 5 } as const;
