// What is said to the engine's runs, streams and decoders, by number: see `Call::of` in src/js/calls.rs.
// Constants of their own, which bundlers put in place.

export const CLOSE = 0;
export const PULL = 1;
export const CHUNK = 2;
export const ENDED = 3;
export const BROKE = 4;
export const ROOM = 5;
export const OPENED = 6;
export const BODY = 7;
export const TIME = 8;
export const WAKE = 9;
export const ONLINE = 10;
export const VISIBLE = 11;
export const TOKEN = 12;
export const RESUME = 13;
export const OPTION = 14;
export const RECORD = 15;
export const OBSERVE = 16;
export const STALLED = 17;
export const NO_STREAM = 18;
export const CANCEL = 19;
export const SET_LAST_EVENT_ID = 20;
export const LAST_EVENT_ID = 21;
export const RECONNECTION_TIME = 22;
export const FORK = 23;
export const BEGIN = 24;
export const RENEWABLE = 25;
export const LOOKED = 26;

// What there is to be made; the numbers of `make` in src/js/calls.rs.

export const RUN = 0;
export const MESSAGE_STREAM = 1;
export const FRAME_STREAM = 2;
export const EVENT_DECODER = 3;
export const MESSAGE_DECODER = 4;
export const CALL = 5;
export const SESSION_DECODER = 6;
export const SESSION_LINES = 7;
