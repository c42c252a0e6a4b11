// openRunStream: a run's frames as the service sends them, resumed like everything else.

import { withDefaults } from "../api/defaults.js";
import { buildFrames } from "../messages/frames.js";
import { guardedWarn } from "../messages/decoder.js";
import type { RunWarning } from "../messages/types.js";
import type { RunEvent } from "../messages/wire.js";
import { RunCore } from "./core.js";
import { checkOptions, type FollowOptions } from "./follow-options.js";
import type { ConnectionInfo } from "./line.js";
import { Listeners } from "./listeners.js";
import { MessageStream } from "./stream.js";
import type { RequestOptions } from "./transport.js";

/** Options of {@link openRunStream}. */
export interface RunStreamOptions extends RequestOptions, FollowOptions {
  /** The agent that the run is of. */
  agentId: string;
  /** Goes on where the stream was whose `resumeToken` this is, also in another page. */
  from?: string | undefined;
  /** Aborts the stream: reading it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called when something was not as it should be and the stream went on. */
  onWarning?: ((warning: RunWarning) => void) | undefined;
  /** Called when the connection changes. */
  onConnection?: ((connection: ConnectionInfo) => void) | undefined;
}

/**
 * The frames of a run's stream, heartbeats among them, with their ids; cut connections are resumed.
 * Nothing is requested before the first read, and the run's record only when the stream cannot tell
 * whether the run goes on.
 *
 * @param runId the run's id, `run-<uuid>`
 * @throws ConfigurationError, when the stream is read and before any request, when an id is not of the API's form
 *
 * @example
 * ```ts
 * const stream = openRunStream(runId, { agentId, baseUrl: "/api", from: saved });
 * for await (const event of stream) {
 *   if (event.type === "assistant") show(event.data.text);
 *   save(stream.resumeToken);
 * }
 * ```
 */
export function openRunStream(runId: string, options: RunStreamOptions): MessageStream<RunEvent> {
  checkOptions(options, "openRunStream");
  const { onWarning, onConnection, signal, from, agentId } = options ?? {};
  const warn = guardedWarn(onWarning);
  const listeners = new Listeners<ConnectionInfo>(warn);
  if (onConnection) listeners.add(onConnection);
  const listener = { outcome: () => {}, link: (info: ConnectionInfo) => listeners.tell(info) };
  const core = new RunCore(
    { ...withDefaults(options ?? {}), agentId: String(agentId), runId: String(runId), warn },
    listener,
  );
  // There is no handle that could be used again.
  core.abandon();
  return new MessageStream<RunEvent>(core.consumer({ token: from || undefined, build: buildFrames }), signal);
}
