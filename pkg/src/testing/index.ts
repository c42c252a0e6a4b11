// `runwire/testing`: the Cloud Agents API as a `fetch`, for tests and demos without key and network.
//
// create     the simulator and its controls
// fetch      requests and responses; body: streams; clock: waiting
// core       typed calls into the WebAssembly, which source and load.* find
// scenarios, faults   what can be played, and what can go wrong

export { TextChecksum } from "./checksum.js";
export type { SimulatorClock } from "./clock.js";
export { createSimulator } from "./create.js";
export type {
  Answer,
  CancelFaults,
  Cut,
  EndpointName,
  ErrorFormat,
  FaultRule,
  Faults,
  How,
  RecordFaults,
  ReplayFaults,
  RetryAfter,
  StreamFaults,
} from "./faults.js";
export type { SimulatorFetch } from "./fetch.js";
export type {
  Frame,
  FramesScenario,
  LongScenario,
  Pace,
  RunState,
  Scenario,
  Shape,
  WireScenario,
} from "./scenarios.js";
export type {
  ChannelFigures,
  ConnectionScope,
  Counters,
  Cors,
  Expected,
  LoggedRequest,
  RunOptions,
  ServiceOptions,
  SentFrame,
  Simulator,
  SimulatorOptions,
  StartedRun,
} from "./simulator-types.js";
