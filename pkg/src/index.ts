// `runwire`: cloud agents and their runs.

export {
  Agent,
  type AgentCallOptions,
  type CancelRunOptions,
  type ListAgentsOptions,
  type ListRunsOptions,
} from "./agent.js";
export type { HandleCallOptions, SDKAgent } from "./api/agent-handle.js";
export type { CallOptions } from "./api/call.js";
export { Cursor } from "./api/cursor.js";
export type { CursorOptions } from "./api/defaults.js";
export type * from "./api/types.js";
export type * from "./conversation/tool-calls.js";
export type * from "./conversation/types.js";
export { init } from "./engine/init.js";
export type { EngineCode, EngineInput } from "./engine/source.js";
export {
  AgentBusyError,
  AgentNotFoundError,
  AuthenticationError,
  ConfigurationError,
  CursorAgentError,
  CursorSdkError,
  type ErrorDetails,
  type ExpiryDetails,
  type IntegrationDetails,
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
export type { RunEvent } from "./messages/wire.js";
export type { FollowOptions, RetryOptions } from "./run/follow-options.js";
export type { ConnectionInfo, ConnectionState } from "./run/line.js";
export { openRunStream, type RunStreamOptions } from "./run/open-run-stream.js";
export type {
  GetRunOptions,
  Run,
  RunError,
  RunGit,
  RunOperation,
  RunResult,
  RunStatus,
  StreamOptions,
  WaitOptions,
} from "./run/run.js";
export type { MessageStream } from "./run/stream.js";
export type { HeadersOption, MaybeAsync, RequestOptions, RequestTrace } from "./run/transport.js";
