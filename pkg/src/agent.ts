// Agent: the API under the official SDK's names.

import { type GetRunOptions, getRun, type Run } from "./run/run.js";

/** Cloud agents. */
export const Agent = {
  /**
   * The handle of a run, also of one that somebody else launched.
   *
   * @param runId the run's id, `run-<uuid>`
   * @throws AuthenticationError, ConfigurationError, NetworkError and the other errors of the API;
   * a `ConfigurationError` before any request when an id is not of the API's form
   *
   * @example
   * ```ts
   * const run = await Agent.getRun(runId, { runtime: "cloud", agentId, baseUrl: "/api" });
   * for await (const message of run.stream()) console.log(message);
   * ```
   */
  getRun(runId: string, options: GetRunOptions): Promise<Run> {
    return getRun(runId, options);
  },
};
