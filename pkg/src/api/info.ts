// The API's records → what the SDK shows of them.

import { type CallOptions, callAt } from "./call.js";
import { present } from "./defaults.js";
import type { AgentUsage, SDKAgentInfo } from "./types.js";

// biome-ignore lint/suspicious/noExplicitAny: records as the service sent them
type Sent = any;

const msOf = (date: unknown) => Date.parse(String(date)) || undefined;

/** An agent's record. */
export function infoOf(agent: Sent): SDKAgentInfo {
  const { id, name, status, env, repos, metadata, url, latestRunId, createdAt, updatedAt } = agent ?? {};
  return present({
    agentId: id,
    name,
    summary: name,
    lastModified: msOf(updatedAt),
    createdAt: msOf(createdAt),
    archived: status === "ARCHIVED",
    runtime: "cloud",
    status,
    env,
    repos: repos?.map((repo: Sent) => repo.url),
    metadata,
    url,
    latestRunId,
  }) as SDKAgentInfo;
}

/** What an agent has used; of one run with `runId`. */
export async function usage(
  agentId: string,
  { runId, ...options }: CallOptions & { runId?: string | undefined },
  operation: string,
): Promise<AgentUsage> {
  const below = runId === undefined ? "/usage" : `/usage?runId=${encodeURIComponent(runId)}`;
  const { totalUsage, cost, runs } = await callAt(agentId, options, operation, below, "totalUsage");
  const all = (runs ?? []).map(({ id, usage, cost }: Sent) => present({ runId: id, usage, cost }));
  return present({ usage: totalUsage, cost, runs: all });
}
