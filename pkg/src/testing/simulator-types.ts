// The simulator as its users see it.

import type { SimulatorClock } from "./clock.js";
import type { EndpointName, ErrorFormat, FaultRule, Faults, How } from "./faults.js";
import type { SimulatorFetch } from "./fetch.js";
import type { Pace, RunState, Scenario, Shape } from "./scenarios.js";

/** What a run is to be. */
export interface RunOptions {
  /** @defaultValue the simulator's */
  scenario?: Scenario;
  /** @defaultValue the simulator's */
  pace?: Pace;
  shape?: Shape;
  /** Faults of its own: the simulator's at its start, with these changes. */
  faults?: Faults;
}

/** Settings of the whole service. */
export interface ServiceOptions {
  /** Who may call it: everybody, whoever has a key, whoever has one of these. @defaultValue "any" */
  auth?: "off" | "any" | { keys: string[] };
  /** Which pages may call it from another origin. @defaultValue none, as the real service has it */
  cors?: Cors | null;
  /** How errors are written. @defaultValue "envelope" */
  errorFormat?: ErrorFormat;
  /** A POST with the `idempotency-key` of an earlier one gets that one's answer and does nothing. @defaultValue true */
  idempotency?: boolean;
  /** `GET usage` includes costs. @defaultValue true */
  usageCost?: boolean;
  /** How often `GET /v1/repositories` may be called in a minute. @defaultValue no limit */
  repositoriesPerMinute?: number | null;
  /** The origin of presigned artifact URLs; `fetch` answers for it, too. @defaultValue "https://artifacts.example" */
  artifactOrigin?: string;
}

/** Which pages may call the service, and what they may send and see. */
export interface Cors {
  /** @defaultValue every origin */
  origins?: string[];
  /** Request headers that preflights refuse. @defaultValue none */
  refuseHeaders?: string[];
  /** Response headers that pages can see beyond the usual ones. @defaultValue all that clients use */
  exposeHeaders?: string[];
  /** Cookies are allowed. @defaultValue false */
  credentials?: boolean;
}

/** What a simulator is made with. */
export interface SimulatorOptions extends ServiceOptions {
  /** Where all ids and all variety come from: equal seeds give equal runs. @defaultValue 1 */
  seed?: number;
  /** What runs play that a request creates. @defaultValue "coding" */
  scenario?: Scenario;
  /** How their time passes. @defaultValue 1 (real time) */
  pace?: Pace;
  /** How streams and records are served. */
  faults?: Faults;
  /** What stands before `/v1` in the addresses that clients use, such as `"/api"`. @defaultValue "" */
  basePath?: string;
  /** How many requests the log keeps. @defaultValue 10000 */
  logLimit?: number;
  /** @defaultValue the platform's time and timers */
  clock?: SimulatorClock;
}

/** The ids of a run. */
export interface StartedRun {
  agentId: string;
  runId: string;
}

/** Whose open connections are meant. */
export interface ConnectionScope {
  /** @defaultValue those of all runs */
  runId?: string;
}

/** One request, with nothing left out: tests look for secrets in it. */
export interface LoggedRequest {
  /** Counts all requests from 1. */
  number: number;
  /** When it arrived, by the simulator's clock. */
  at: number;
  method: string;
  /** Path and query. The origin's host is in the `host` header. */
  path: string;
  endpoint: EndpointName;
  headers: [string, string][];
  body: string;
  /** What became of it. */
  outcome: { status: number } | "reset" | "never";
  /** False if a rule answered in its stead. */
  executed: boolean;
}

/** Totals since the simulator was made. */
export interface Counters {
  requests: number;
  streamsOpened: number;
  streamsOpen: number;
  streamBytes: number;
  runs: number;
}

/** A frame of a run, whether it was sent or not. */
export interface SentFrame {
  event: string;
  id: string | null;
  data: string;
}

/** A text in two figures, as `TextChecksum` computes them. */
export interface ChannelFigures {
  length: number;
  checksum: number;
}

/** A run's content in figures. */
export interface Expected {
  /** How many frames of each event there are. */
  events: Record<string, number>;
  /** The text of all `assistant` frames. */
  assistant: ChannelFigures;
  /** The text of all `thinking` frames. */
  thinking: ChannelFigures;
}

/** The Cloud Agents API, simulated, with its controls. */
export interface Simulator {
  /** A `fetch` that ends in the simulator, whatever the origin. Needs no `this`. */
  readonly fetch: SimulatorFetch;
  /** Requests without an answer and answers whose body has not ended. */
  readonly openConnections: number;
  /** Loads the WebAssembly now instead of at the first call; rejects if that fails. */
  ready(): Promise<void>;

  /** Starts a run on a new agent, as if someone else had created it. */
  startRun(options?: RunOptions): Promise<StartedRun>;
  /**
   * What the next runs created by requests are to be, in this order; then the default again. A prompt
   * `simulate:<scenario>` names its scenario itself.
   */
  planRuns(...runs: RunOptions[]): Promise<void>;
  /** Cancels a run as somebody else's client would; false if it was over. */
  cancelRun(runId: string): Promise<boolean>;
  /** The state of a run, whatever its record says. */
  runState(runId: string): Promise<RunState>;
  /** Forgets a run and all it holds, and cuts its connections. */
  forgetRun(runId: string): Promise<void>;

  /**
   * Changes how streams and records are served: of one run, or of all that have no faults of their own. What is not
   * named stays as it is.
   */
  setFaults(faults: Faults, scope?: ConnectionScope): Promise<void>;
  /** Adds a rule for single requests after those there are; gives the function that takes it back. */
  addRule(rule: FaultRule): Promise<() => Promise<void>>;
  /** Takes all rules back. */
  clearRules(): Promise<void>;
  /** Changes settings of the service; what is not named stays as it is. */
  setService(service: ServiceOptions): Promise<void>;
  /** Only these keys are valid from now on. */
  setKeys(...keys: string[]): Promise<void>;
  /** Breaks open streams and says how many there were. */
  cutConnections(scope?: ConnectionScope & { how?: How }): Promise<number>;
  /** Silences open streams, heartbeats included, and says how many there were. @defaultValue `ms`: for ever */
  holdConnections(scope?: ConnectionScope & { ms?: number }): Promise<number>;

  /** The newest requests, oldest first. */
  requests(): Promise<LoggedRequest[]>;
  /** Forgets the requests so far. */
  clearRequests(): Promise<void>;
  counters(): Promise<Counters>;

  /** The frames of a run, sent or not, but for a connection's own statuses and heartbeats. */
  frames(runId: string, range?: { from?: number; limit?: number }): Promise<SentFrame[]>;
  /** What of a run a client must have seen that has lost nothing, in figures. */
  expected(runId: string): Promise<Expected>;
  /** The text of all `assistant` frames of a run. */
  expectedText(runId: string): Promise<string>;
  /** The SDK messages that a run's content stands for; statuses depend on the connections and are left out. */
  expectedMessages(runId: string): Promise<Record<string, unknown>[]>;
}
