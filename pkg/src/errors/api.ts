// Errors of the API and of reaching it: the official SDK's classes, and what each failure becomes.

import { RunwireError } from "./base.js";
import { EventTooLargeError } from "./engine.js";

/** What an error of the API tells beside its message. Never the key. */
export interface ErrorDetails {
  /** The API's code, or this package's for failures without an answer. */
  code?: string | undefined;
  /** The HTTP status of the answer. */
  status?: number | undefined;
  /** Whether the same call may succeed later. */
  isRetryable?: boolean | undefined;
  /** Method and path, as in `GET /v1/me`. */
  endpoint?: string | undefined;
  /** The service's id of the request, where the answer had one. */
  requestId?: string | undefined;
  /** What was called, as in `Agent.getRun`. */
  operation?: string | undefined;
  /** The answer's `Content-Type`. */
  contentType?: string | undefined;
  /** The start of the answer's body, at most 64 KiB. */
  body?: string | undefined;
  /** What the transport threw. */
  cause?: unknown;
}

/** The root of the official SDK's errors. */
export class CursorSdkError extends RunwireError {
  /** The HTTP status of the answer, where there was one. */
  readonly status: number | undefined;
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean;
  /** Method and path, as in `GET /v1/me`. */
  readonly endpoint: string | undefined;
  /** The service's id of the request, where the answer had one. */
  readonly requestId: string | undefined;
  /** What was called, as in `Agent.getRun`. */
  readonly operation: string | undefined;

  constructor(name: string, message: string, details: ErrorDetails = {}) {
    super(name, message, details.code, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.isRetryable = details.isRetryable ?? false;
    this.endpoint = details.endpoint;
    this.requestId = details.requestId;
    this.operation = details.operation;
    // For whoever needs them: not shown when the error is printed.
    Object.defineProperties(this, {
      contentType: { value: details.contentType, enumerable: false },
      body: { value: details.body, enumerable: false },
    });
  }

  /** The answer's `Content-Type`, where there was an answer. */
  declare readonly contentType: string | undefined;
  /** The start of the answer's body, at most 64 KiB; absent without an answer. */
  declare readonly body: string | undefined;

  /** What may be logged: no body, no cause, no key. */
  toJSON(): Record<string, unknown> {
    const { name, message, code, status, isRetryable, endpoint, requestId, operation } = this;
    return { name, message, code, status, isRetryable, endpoint, requestId, operation };
  }
}

/** Anything that an agent, a run or the API answered badly to. */
export class CursorAgentError extends CursorSdkError {}

/** 401: the key is missing, wrong or expired. */
export class AuthenticationError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails) {
    super("AuthenticationError", message, details);
  }
}

/** 429: too many requests. */
export class RateLimitError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails) {
    super("RateLimitError", message, details);
  }
}

/** 409 `agent_busy`: the agent has an active run. */
export class AgentBusyError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails) {
    super("AgentBusyError", message, details);
  }
}

/** There is no such agent. */
export class AgentNotFoundError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails) {
    super("AgentNotFoundError", message, details);
  }
}

/** The call cannot work as it is: a wrong option, id, or state. */
export class ConfigurationError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails) {
    super("ConfigurationError", message, details);
  }
}

/** The agent needs an integration that is not connected. */
export class IntegrationNotConnectedError extends CursorAgentError {
  /** Where the user can connect it. */
  readonly helpUrl: string | undefined;
  /** Which integration it is, as in `github`. */
  readonly provider: string | undefined;

  constructor(message: string, details: ErrorDetails & IntegrationDetails = {}) {
    super("IntegrationNotConnectedError", message, details);
    this.helpUrl = details.helpUrl;
    this.provider = details.provider;
  }
}

/** What an {@link IntegrationNotConnectedError} tells besides. */
export interface IntegrationDetails {
  helpUrl?: string | undefined;
  provider?: string | undefined;
}

/** No answer, an answer of a broken service, or a stream that broke off. */
export class NetworkError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails) {
    super("NetworkError", message, details);
  }
}

/** What fits nowhere else. */
export class UnknownAgentError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails) {
    super("UnknownAgentError", message, details);
  }
}

/** The run cannot do that in the state it is in; `unsupportedReason` says why before one tries. */
export class UnsupportedRunOperationError extends CursorAgentError {
  constructor(message: string, details?: ErrorDetails, name = "UnsupportedRunOperationError") {
    super(name, message, details);
  }
}

/** 410: the run's stream is no longer kept. `run.wait()` still tells how the run ended. */
export class StreamExpiredError extends UnsupportedRunOperationError {
  /** The id that the stream would have been resumed from, or the only one that came; absent before that. */
  readonly lastEventId: string | undefined;
  /** How long the service keeps a stream, in seconds; absent when it has not said. */
  readonly retentionSeconds: number | undefined;

  constructor(message: string, details: ErrorDetails & ExpiryDetails = {}) {
    super(message, details, "StreamExpiredError");
    this.lastEventId = details.lastEventId;
    this.retentionSeconds = details.retentionSeconds;
  }
}

/** What a {@link StreamExpiredError} tells besides. */
export interface ExpiryDetails {
  lastEventId?: string | undefined;
  retentionSeconds?: number | undefined;
}

/** By the numbers of `FailureKind` in src/cloud/failure.rs. */
const CLASSES = [
  AuthenticationError,
  RateLimitError,
  AgentBusyError,
  AgentNotFoundError,
  ConfigurationError,
  UnknownAgentError,
  NetworkError,
  StreamExpiredError,
  IntegrationNotConnectedError,
] as const;

const UNKNOWN = 5;
const EVENT_TOO_LARGE = 9;

/** Why a request failed, as far as this side can tell; `cause` is what was thrown. */
export class RequestHint extends TypeError {
  constructor(hint: string, cause: unknown) {
    super(hint, { cause });
  }
}

/** Where a failure came about. */
export interface FailureContext {
  endpoint: string;
  operation: string;
  maxEventBytes?: number | undefined;
  /** Takes keys out of what the service said. */
  redact(text: string): string;
  expiry?: ExpiryDetails | undefined;
}

/** Where a failure says whether what was asked for may have been done: `tell_doubtful` in src/js/handle.rs. */
export const DOUBT = 8;

/** What the engine wrote down about a failure → the error that is thrown. */
export function errorOf(failure: unknown[], cause: unknown, context: FailureContext): RunwireError {
  const clean = failure.map((value) => (typeof value === "string" ? context.redact(value) : value));
  const [kind, isRetryable, code, text, status, contentType, requestId, body] = clean as [
    number,
    number,
    string | null,
    string | null,
    number,
    string,
    string,
    string,
  ];
  // What was thrown as one of our own errors is already what the caller should see.
  const { endpoint, operation } = context;
  if (cause instanceof ConfigurationError) return Object.assign(cause, { endpoint, operation });
  if (cause instanceof UnknownAgentError && kind === UNKNOWN && !status) return cause;
  if (kind === EVENT_TOO_LARGE) return new EventTooLargeError(context.maxEventBytes ?? 0);
  const integration = CLASSES[kind] === IntegrationNotConnectedError ? integrationOf(body) : undefined;
  // Where it does not say which, it is an error as any other.
  const ErrorClass = integration === null ? ConfigurationError : (CLASSES[kind] ?? UnknownAgentError);
  let hint = cause instanceof RequestHint ? ` (${cause.message})` : "";
  if (failure[DOUBT] === 2)
    hint += " (the run may have been started: look at the agent's runs before sending again)";
  // It is a good answer, and of another kind.
  if (status >= 200 && status < 300) hint = `: status ${status}, ${contentType || "no Content-Type"}${hint}`;
  return new ErrorClass(messageOf(ErrorClass, status, code, text ?? body.slice(0, 300).trim()) + hint, {
    code: code || undefined,
    status: status || undefined,
    isRetryable: isRetryable === 1,
    endpoint,
    requestId: requestId || undefined,
    operation,
    contentType: contentType || undefined,
    body: status ? body : undefined,
    cause: cause instanceof RequestHint ? cause.cause : cause,
    ...context.expiry,
    ...integration,
  });
}

/** Which integration is missing, as the answer's body says; `null` where it does not say all of it. */
function integrationOf(body: string): IntegrationDetails | null {
  try {
    const { error, ...flat } = JSON.parse(body);
    const { helpUrl, provider } = error?.helpUrl === undefined ? flat : error;
    return helpUrl && provider ? { helpUrl, provider } : null;
  } catch {
    return null;
  }
}

/** The official client's wording, so that what matches on messages goes on to. */
function messageOf(ErrorClass: unknown, status: number, code: string | null, text: string): string {
  if (!text) return `Request failed with status ${status}`;
  const bare = !status || ErrorClass === AuthenticationError || ErrorClass === RateLimitError;
  return bare ? text : `[${code ?? "unknown"}] ${text}`;
}
