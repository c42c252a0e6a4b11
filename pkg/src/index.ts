// `runwire`: cloud agents and their runs.

export { Agent } from "./agent.js";
export { init } from "./engine/init.js";
export type { EngineInput } from "./engine/source.js";
export {
  AgentBusyError,
  AgentNotFoundError,
  AuthenticationError,
  ConfigurationError,
  CursorAgentError,
  CursorSdkError,
  type ErrorDetails,
  IntegrationNotConnectedError,
  NetworkError,
  RateLimitError,
  StreamExpiredError,
  UnknownAgentError,
  UnsupportedRunOperationError,
} from "./errors/api.js";
export { RunwireError } from "./errors/base.js";
export { EngineCrashedError, EventTooLargeError, NotReadyError } from "./errors/engine.js";
export { MessageDecoder, type MessageDecoderOptions } from "./messages/decoder.js";
export type * from "./messages/types.js";
export type { FollowOptions, RetryOptions } from "./run/follow-options.js";
export type { GetRunOptions, Run, RunError, RunGit, RunStatus, StreamOptions } from "./run/run.js";
export type { MessageStream } from "./run/stream.js";
export type { MaybeAsync, RequestOptions } from "./run/transport.js";
