// `runwire/host`: agent sessions over HTTP, as a fetch handler. The wire format is in docs/session-protocol.md.
//
// host       from the request to the answer; routes: what can be asked
// options, authorize, origins   what an operator decides
// body, answers   JSON in and out
// sessions   whose they are and how many; session: one of them; input: what its user says
// event-log, event-stream   what a session has said, and a reader's place in it
// timers     times that pass
// node       `runwire/host/node`: a host on a server of Node's

export type { AgentEvent, ContextUsage, QueryFunction, QueryLike, SlashCommand } from "../kit/types.js";
export type { Authorization, Authorize, SessionAccess } from "./authorize.js";
export { createSessionHost, type HostedSession, type SessionHost } from "./host.js";
export type { AgentOptions, SessionContext, SessionHostLimits, SessionHostOptions } from "./options.js";
