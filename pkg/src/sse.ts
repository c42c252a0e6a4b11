// `runwire/sse`: event streams from anyone.

export { init } from "./engine/init.js";
export type { EngineCode, EngineInput } from "./engine/source.js";
export { RunwireError } from "./errors/base.js";
export { EngineCrashedError, EventTooLargeError, NotReadyError } from "./errors/engine.js";
export {
  EventStreamDecoder,
  type EventStreamDecoderOptions,
  type ServerSentEvent,
} from "./sse/decoder.js";
export { EventStreamDecoderStream } from "./sse/stream.js";
