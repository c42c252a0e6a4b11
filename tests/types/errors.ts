// The errors to TypeScript. Compiled, never run.

import {
  AgentBusyError,
  AgentNotFoundError,
  AuthenticationError,
  ConfigurationError,
  CursorAgentError,
  CursorSdkError,
  EngineCrashedError,
  EventTooLargeError,
  IntegrationNotConnectedError,
  NetworkError,
  NotReadyError,
  RateLimitError,
  RunwireError,
  StreamExpiredError,
  UnknownAgentError,
  UnsupportedRunOperationError,
} from "runwire";
import { EventTooLargeError as FromSse, RunwireError as RootFromSse } from "runwire/sse";

/** All of the API's are the official SDK's, and all are ours. */
export const api: (typeof CursorAgentError)[] = [CursorAgentError];
export const made: CursorSdkError[] = [
  new AuthenticationError("m"),
  new RateLimitError("m"),
  new AgentBusyError("m"),
  new AgentNotFoundError("m"),
  new ConfigurationError("m", { code: "c", status: 400, cause: new Error("c") }),
  new IntegrationNotConnectedError("m"),
  new NetworkError("m"),
  new UnknownAgentError("m"),
  new UnsupportedRunOperationError("m"),
  new StreamExpiredError("m"),
];
export const ours: RunwireError[] = [...made, new NotReadyError(), new EngineCrashedError(undefined)];

export function look(error: unknown): unknown {
  if (error instanceof CursorSdkError) {
    error.isRetryable satisfies boolean;
    error.status satisfies number | undefined;
    error.requestId satisfies string | undefined;
    error.endpoint satisfies string | undefined;
    error.operation satisfies string | undefined;
    error.body satisfies string | undefined;
    // @ts-expect-error what happened is not changed afterwards
    error.status = 200;
    return error.toJSON();
  }
  if (error instanceof EventTooLargeError) return error.maxEventBytes satisfies number;
  if (error instanceof RunwireError) return error.code satisfies string | undefined;
  return undefined;
}

/** The two entries share their classes. */
export const shared: [typeof EventTooLargeError, typeof RunwireError] = [FromSse, RootFromSse];
