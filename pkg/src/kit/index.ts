// `runwire/kit`: agent sessions as events, over an SDK's `query()` or over HTTP.

export { init } from "../engine/init.js";
export { SessionDecoder, type SessionDecoderOptions } from "./decoder.js";
export { createDeferred, type Deferred } from "./deferred.js";
export type { HostOptions } from "./host-source.js";
export { createInputQueue, type InputQueue, type InputQueueOptions } from "./input-queue.js";
export { createModeControl, type ModeControl, type SessionMode } from "./mode-control.js";
export { normalizeMessages } from "./normalize.js";
export { type MessagesOptions, type QueryOptions, runQuery, type SessionOptions } from "./run-query.js";
export type { SessionControls } from "./query-source.js";
export type * from "./types.js";
