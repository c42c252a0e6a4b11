// Which runs can be played.

/** The state of a run. */
export type RunState = "CREATING" | "RUNNING" | "FINISHED" | "ERROR" | "CANCELLED" | "EXPIRED";

/**
 * Which run to play.
 *
 * - `coding`: a multi-tool coding run of about a minute, with thinking, text, parallel tools and one that fails
 * - `example`: the documented example stream
 * - `error`, `expired`, `cancelled`: runs that end so
 * - `status-only`: ends with a status frame; `result` and `done` never come
 * - `warm-up`: the coding run, whose first two connections end with `stream_unavailable`
 * - `fatal:<code>`: the stream ends with an `error` frame of that code
 * - `quiet:<hours>`: silent for that long but for heartbeats
 * - `long:<frames>` and `long:<frames>:twins`: generated, of any length, without taking memory
 */
export type Scenario =
  | "coding"
  | "example"
  | "error"
  | "expired"
  | "cancelled"
  | "status-only"
  | "warm-up"
  | "fatal"
  | `fatal:${string}`
  | "quiet"
  | `quiet:${number}`
  | "long"
  | `long:${number}`
  | `long:${number}:twins`
  | LongScenario
  | FramesScenario
  | WireScenario;

/** A generated run: about 70 % text, the rest thinking, tool calls and heartbeats. */
export interface LongScenario {
  /** How many frames the run has in all; at least 6. */
  events: number;
  /** Each simple frame comes after an `interaction_update` twin. @defaultValue false */
  twins?: boolean;
  /** Milliseconds between frames. @defaultValue 25 */
  intervalMs?: number;
}

/** A run whose frames are given. */
export interface FramesScenario {
  frames: Frame[];
  /** What the run's record says once all are out, when they do not say it themselves. */
  endsAs?: RunState;
}

/** A frame of a {@link FramesScenario}. `$RUN_ID` and `$AGENT_ID` in it are filled in. */
export interface Frame {
  /** The `event:` field; without it the line is left out. */
  event?: string;
  /** The `id:` field. */
  id?: string;
  /** The `data:` field: a string as it is, anything else as JSON. */
  data?: unknown;
  /** Time since the frame before, in milliseconds. @defaultValue 0 */
  delayMs?: number;
  /** The block's text as it is to be sent, in place of the other fields. */
  raw?: string;
}

/** A run given as event-stream text. `$RUN_ID` and `$AGENT_ID` in it are filled in. */
export interface WireScenario {
  wire: string;
  /** Time between its blocks, in milliseconds. @defaultValue 0 */
  delayMs?: number;
  /** What the run's record says once all is out, when the text does not say it itself. */
  endsAs?: RunState;
}

/**
 * How a run's own time passes: so many times as fast as the clock (1 is real time); `"instant"`, where all has happened
 * when the run starts; `"demand"`, where each frame happens when a connection is about to send it, so that the run is
 * as fast as its reader and not over before that one has read its end.
 */
export type Pace = number | "instant" | "demand";

/** Liberties with the ids and the order of a run's frames. Every connection sees the same. */
export interface Shape {
  /** Neighbouring pairs of twins are sent crosswise: both updates, then both simple frames. */
  interleaveTwins?: boolean;
  /** One id in `every` is an old one, which comes back after that many others. */
  reappear?: { every: number; after: number };
}
