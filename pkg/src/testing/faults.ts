// What can go wrong, and the liberties that a real server might take.

import type { RunState } from "./scenarios.js";

/**
 * How a run's stream and record are served. They are read when a connection opens or a request arrives. Where a field
 * is set to `null` its default comes back.
 */
export interface Faults {
  stream?: StreamFaults | null;
  replay?: ReplayFaults | null;
  record?: RecordFaults | null;
  cancel?: CancelFaults | null;
}

/** The bytes of a connection. */
export interface StreamFaults {
  /** How lines end. @defaultValue "lf" */
  lineEnding?: "lf" | "crlf" | "cr" | null;
  /** A blank after the colon of a field. @defaultValue true */
  space?: boolean | null;
  /** A status at the top of every connection. @defaultValue true */
  leadingStatus?: boolean | null;
  /** A byte order mark at the top. @defaultValue false */
  bom?: boolean | null;
  /** The size of the pieces that the body arrives in. @defaultValue what is there, up to 16 KiB */
  chunk?: { bytes: number } | "frame" | null;
  /** Pause after each piece, in milliseconds. @defaultValue 0 */
  chunkDelayMs?: number | null;
  /** A `retry:` line at the top, in milliseconds. */
  retryMs?: number | null;
  /** A heartbeat after each such time without a frame, in milliseconds of the run's time; 0 is never. @defaultValue 15000 */
  heartbeatMs?: number | null;
  /** Heartbeats carry ids. @defaultValue false */
  heartbeatIds?: boolean | null;
  /** Which content frames carry their ids. @defaultValue "all" */
  ids?: "all" | "none" | { every: number } | null;
  /** Events that are never sent, such as `["result", "done"]`. */
  without?: string[] | null;
  /** That many connections of a run end with `stream_unavailable`. @defaultValue 0 */
  warmUp?: number | null;
  /** What happens when the run's last frame is out. @defaultValue "close" */
  afterEnd?: "close" | "hold" | null;
  /** Where connections break. The first that fits a connection counts. */
  cuts?: Cut[] | null;
}

/** Where and how a connection breaks. The first limit reached counts; without any it breaks at once. */
export interface Cut {
  /** Which connection of the run (the first is 1). @defaultValue every one */
  connection?: number;
  /** After that many bytes of the body. */
  afterBytes?: number;
  /** After that many frames, the leading status and heartbeats included. */
  afterFrames?: number;
  /** That long after the connection was opened, in milliseconds. */
  afterMs?: number;
  /** @defaultValue "reset" */
  how?: How;
}

/** How a connection breaks: a network error, a clean end, silence, or an `error` frame and `done`. */
export type How = "reset" | "end" | "hold" | { error: { code: string; message: string } };

/** What a connection starts with and how it repeats what went before. */
export interface ReplayFaults {
  /** After which frame of the id sent a resumed connection starts. @defaultValue "last" */
  after?: "first" | "last" | null;
  /** `Last-Event-ID` is not looked at. @defaultValue false */
  ignoreId?: boolean | null;
  /** What an unknown id gets: 400, the stream from its start, or 410. @defaultValue "refuse" */
  unknownId?: "refuse" | "start" | "expired" | null;
  /** Which status frames of the past are sent. @defaultValue "current" */
  statuses?: "current" | "full" | null;
  /** How text of the past is cut into frames (numbers are characters). @defaultValue "asSent" */
  text?: "asSent" | "merged" | { split: number } | { recut: number } | null;
  /** Text that was cut anew carries ids. @defaultValue true */
  textIds?: boolean | null;
  /** Only that many of the newest frames are kept. @defaultValue all */
  keepLast?: number | null;
  /** That many of the oldest frames are gone. @defaultValue 0 */
  lostFirst?: number | null;
  /** How long a finished run's stream can be read. @defaultValue 86400 */
  retentionSeconds?: number | null;
  /** The stream answers 410 `stream_expired`. @defaultValue false */
  expired?: boolean | null;
}

/** What `GET run` says. */
export interface RecordFaults {
  /** This state for ever, without result. */
  frozen?: RunState | null;
  /** What was true that long ago, in milliseconds. @defaultValue 0 */
  lagMs?: number | null;
  /** Fields that are left out (`result`, `durationMs`, `git`, …). */
  without?: string[] | null;
}

/** What `POST cancel` does. */
export interface CancelFaults {
  /** The run ends that long after the answer, in milliseconds. @defaultValue 0 */
  delayMs?: number | null;
  /** Answers 409 `run_not_cancellable` although the run is active. @defaultValue false */
  refuse?: boolean | null;
  /** Answers 200 and does nothing. @defaultValue false */
  ignore?: boolean | null;
}

/** The endpoints, for rules and the log. */
export type EndpointName =
  | "createAgent"
  | "listAgents"
  | "getAgent"
  | "deleteAgent"
  | "archive"
  | "unarchive"
  | "usage"
  | "listArtifacts"
  | "artifactUrl"
  | "artifactFile"
  | "createRun"
  | "listRuns"
  | "getRun"
  | "stream"
  | "cancelRun"
  | "me"
  | "models"
  | "repositories"
  | "subTokens"
  | "preflight"
  | "wrongMethod"
  | "unknown";

/** What happens to some requests. The first rule that fits and is still in force decides. */
export interface FaultRule {
  /** Which endpoints. @defaultValue all */
  endpoints?: EndpointName[];
  /** Only requests for this run. */
  runId?: string;
  /** Only requests for this agent. */
  agentId?: string;
  /** Only requests that have this header. */
  withHeader?: string;
  /** That many fitting requests pass first. @defaultValue 0 */
  skip?: number;
  /** For that many requests. @defaultValue no limit */
  times?: number;
  /** For that long, in milliseconds. @defaultValue no limit */
  forMs?: number;
  /** The request is carried out all the same; only its answer is lost. @defaultValue false */
  execute?: boolean;
  /** The answer comes that much later, in milliseconds. @defaultValue 0 */
  delayMs?: number;
  /** What comes instead of the answer. @defaultValue "pass" */
  answer?: Answer;
}

/** How the body of an error is written: as officially documented, or as clients have to understand, too. */
export type ErrorFormat = "envelope" | "flat" | "errorText" | "text" | "empty";

/** The two forms of `Retry-After`, and any text. */
export type RetryAfter = { seconds: number } | { dateInSeconds: number } | { text: string };

/** What comes instead of an answer: itself (with a delay), a network error, nothing ever, or another answer. */
export type Answer =
  | "pass"
  | "reset"
  | "never"
  | {
      /** An error of the API; what is left out is as usual for its status. */
      error: {
        status: number;
        code?: string;
        message?: string;
        format?: ErrorFormat;
        retryAfter?: RetryAfter;
        headers?: [string, string][];
      };
    }
  | {
      /** Any answer: HTML from a proxy, an empty 200, 204, broken JSON. */
      body: { status?: number; contentType?: string; text?: string; headers?: [string, string][] };
    }
  | {
      /** A redirect; `$PATH` in the location is the request's path and query. @defaultValue status 307 */
      redirect: { location: string; status?: number };
    };
