// Agent: the API under the official SDK's names.

import { SDKAgent } from "./api/agent-handle.js";
import { agentPath, type CallOptions, callAt, check } from "./api/call.js";
import { cloudOnly } from "./api/create-body.js";
import { listModels } from "./api/models.js";
import { infoOf, usage } from "./api/info.js";
import { list } from "./api/list.js";
import type {
  AgentOptions,
  AgentUsage,
  ListOptions,
  ListResult,
  SDKAgentInfo,
  SDKModel,
  SDKUserMessageInput,
  SendOptions,
} from "./api/types.js";
import { AuthenticationError, ConfigurationError, NetworkError, RateLimitError } from "./errors/api.js";
import type { FollowOptions } from "./run/follow-options.js";
import { type GetRunOptions, getRun, requireCloud, type Run, type RunResult, runOf } from "./run/run.js";

/** Options of what is asked for about one agent. */
export interface AgentCallOptions extends CallOptions {
  /** The only runtime there is here. @defaultValue "cloud" */
  runtime?: "cloud" | undefined;
}

/** Options of {@link Agent.list}. */
export interface ListAgentsOptions extends ListOptions {
  /** `"cloud"`: the only runtime there is here. */
  runtime: "cloud";
  /** Only agents of this pull request. */
  prUrl?: string | undefined;
  /** Archived ones, too. @defaultValue false */
  includeArchived?: boolean | undefined;
}

/** Options of {@link Agent.listRuns}. */
export interface ListRunsOptions extends ListOptions, FollowOptions {
  /** `"cloud"`: the only runtime there is here. */
  runtime: "cloud";
}

/** Options of {@link Agent.cancelRun}. */
export interface CancelRunOptions extends CallOptions {
  /** `"cloud"`: the only runtime there is here. */
  runtime: "cloud";
  /** The agent that the run is of. */
  agentId: string;
}

/** Cloud agents. */
export const Agent = {
  /**
   * A new agent, which the service learns of with the first prompt. Nothing is requested before that, unless a model
   * is named: whether the service offers that is asked.
   *
   * @throws ConfigurationError with code `invalid_model`, or for what only agents on one's own machine can do
   *
   * @example
   * ```ts
   * await using agent = await Agent.create({ cloud: { repos: [{ url: "https://github.com/o/r" }] } });
   * const run = await agent.send("Fix the build");
   * ```
   */
  async create(options: AgentOptions = {}): Promise<SDKAgent> {
    const operation = "Agent.create";
    cloudOnly(options, operation);
    const { agentId = `bc-${crypto.randomUUID()}`, model } = options;
    await check(agentId, options, operation);
    if (model) await requireModel(model.id, options);
    return new SDKAgent(agentId, options, false);
  },

  /** The handle of an agent that there is. Nothing is requested. */
  async resume(agentId: string, options: AgentOptions = {}): Promise<SDKAgent> {
    const operation = "Agent.resume";
    cloudOnly(options, operation);
    await check(agentId, options, operation);
    return new SDKAgent(agentId, options, true);
  },

  /** Has a new agent do one thing, and waits for it: how the run ended. */
  async prompt(message: SDKUserMessageInput, options: AgentOptions & SendOptions = {}): Promise<RunResult> {
    const agent = await Agent.create(options);
    try {
      const { onDelta, onStep } = options;
      const run = await agent.send(message, { onDelta, onStep });
      return await run.wait({ signal: options.signal });
    } finally {
      agent.close();
    }
  },

  /** What is known of an agent. */
  async get(agentId: string, options: AgentCallOptions = {}): Promise<SDKAgentInfo> {
    return infoOf(await callAt(agentId, options, "Agent.get", "", "id"));
  },

  /** The agents of the account, the newest first. */
  async list(options: ListAgentsOptions): Promise<ListResult<SDKAgentInfo>> {
    requireCloud(options, "Agent.list");
    const { prUrl, includeArchived } = options;
    const query = { prUrl, includeArchived };
    return list(options, { operation: "Agent.list", path: "/v1/agents", query, item: infoOf });
  },

  /** The runs of an agent, the newest first: their handles. */
  async listRuns(agentId: string, options: ListRunsOptions): Promise<ListResult<Run>> {
    const operation = "Agent.listRuns";
    requireCloud(options, operation);
    const { runtime, cursor, limit, ...given } = options;
    return list(options, {
      operation,
      path: `${agentPath(agentId)}/runs`,
      agentId: `${agentId}`,
      item: (record) => runOf(record, { ...given, agentId, runId: record?.id }, operation).run,
    });
  },

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

  /** Cancels a run and resolves when it is over, as `run.cancel()` does. */
  async cancelRun(runId: string, options: CancelRunOptions): Promise<void> {
    const run = await getRun(runId, options, "Agent.cancelRun");
    await run.cancel();
  },

  /** Puts an agent away. It can be told nothing until it is brought back. */
  async archive(agentId: string, options: AgentCallOptions = {}): Promise<void> {
    await callAt(agentId, options, "Agent.archive", "/archive", undefined, "POST");
  },

  /** Brings an agent back. */
  async unarchive(agentId: string, options: AgentCallOptions = {}): Promise<void> {
    await callAt(agentId, options, "Agent.unarchive", "/unarchive", undefined, "POST");
  },

  /** Deletes an agent and its runs for ever. */
  async delete(agentId: string, options: AgentCallOptions = {}): Promise<void> {
    await callAt(agentId, options, "Agent.delete", "", undefined, "DELETE");
  },

  /** What an agent has used; of one run with `runId`. */
  async getUsage(
    agentId: string,
    options: AgentCallOptions & { runId?: string | undefined } = {},
  ): Promise<AgentUsage> {
    return usage(agentId, options, "Agent.getUsage");
  },
};

async function requireModel(id: string, options: AgentOptions): Promise<void> {
  let models: SDKModel[];
  try {
    models = await listModels(options);
  } catch (error) {
    // Whoever cannot ask may still be able to create.
    const passes = [NetworkError, AuthenticationError, RateLimitError].some((kind) => error instanceof kind);
    if (passes && !options.signal?.aborted) return;
    throw error;
  }
  if (models.some((model) => model.id === id || model.aliases?.includes(id))) return;
  const message = `Model '${id}' is not available or invalid. Call Cursor.models.list() to see valid model ids.`;
  throw new ConfigurationError(message, { code: "invalid_model", operation: "Agent.create" });
}
