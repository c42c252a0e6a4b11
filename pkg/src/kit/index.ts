// `runwire/kit`: agent sessions as events, over an SDK's `query()` or over HTTP.

export type * from "./types.js";
