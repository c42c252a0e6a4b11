// What the API takes and gives, under the official SDK's names.
// Reference: https://cursor.com/docs/cloud-agent/api/endpoints and https://cursor.com/docs/sdk/typescript

import type { RunCallbacks } from "../conversation/types.js";
import type { FollowOptions } from "../run/follow-options.js";
import type { RunWarning } from "../messages/types.js";
import type { CallOptions } from "./call.js";

/** A model, with its parameters. */
export interface ModelSelection {
  id: string;
  params?: { id: string; value: string }[] | undefined;
}

/** An image beside a prompt's text: where it is, or the image itself. At most 5 of at most 15 MB each. */
export type SDKImage = (
  | { url: string }
  | {
      /** In base64. */
      data: string;
      mimeType: string;
    }
) & { dimension?: { width: number; height: number } | undefined };

/** What to say to the agent: text, or text with images. */
export type SDKUserMessageInput = string | { text: string; images?: SDKImage[] | undefined };

/** How a tool server is reached: a command in the agent's machine, or an address. */
export type McpServerConfig =
  | {
      type?: "stdio" | undefined;
      command: string;
      args?: string[] | undefined;
      env?: Record<string, string> | undefined;
    }
  | {
      type?: "http" | "sse" | undefined;
      url: string;
      headers?: Record<string, string> | undefined;
      auth?: unknown;
    };

/** An agent that the agent may call. */
export interface AgentDefinition {
  description: string;
  prompt: string;
  /** A model, or `"inherit"`. */
  model?: string | ModelSelection | undefined;
}

/** What a cloud agent works on, and how. */
export interface CloudAgentOptions {
  /** At most 20. */
  repos?: { url: string; startingRef?: string | undefined; prUrl?: string | undefined }[] | undefined;
  workOnCurrentBranch?: boolean | undefined;
  autoCreatePR?: boolean | undefined;
  skipReviewerRequest?: boolean | undefined;
  openAsCursorGithubApp?: boolean | undefined;
  env?: { type: "cloud" | "pool" | "machine"; name?: string | undefined } | undefined;
  /** The agent's environment, at most 50 variables. The service gives the agent its id then. */
  envVars?: Record<string, string> | undefined;
  metadata?: Record<string, string> | undefined;
  agentServeAgent?: string | undefined;
}

/** Options of {@link Agent.create}. */
export interface AgentOptions extends CallOptions, FollowOptions {
  /** Asked for before anything is created: one that the service does not offer is an error. */
  model?: ModelSelection | undefined;
  name?: string | undefined;
  cloud?: CloudAgentOptions | undefined;
  mode?: "agent" | "plan" | undefined;
  /** By name. They are sent with each prompt again. At most 50. */
  mcpServers?: Record<string, McpServerConfig> | undefined;
  /** By name. At most 20. */
  agents?: Record<string, AgentDefinition> | undefined;
  /** The agent's id, `bc-<uuid>`. @defaultValue a new one */
  agentId?: string | undefined;
  /** The key under which the agent is created at most once. @defaultValue a new one */
  idempotencyKey?: string | undefined;
  /** Called when something was not as it should be and things went on. */
  onWarning?: ((warning: RunWarning) => void) | undefined;
}

/** Options of {@link SDKAgent.send}. */
export interface SendOptions extends RunCallbacks {
  model?: ModelSelection | undefined;
  mode?: "agent" | "plan" | undefined;
  /** In place of the agent's, by name. */
  mcpServers?: Record<string, McpServerConfig> | undefined;
  /** Of this run alone. */
  cloud?: { envVars?: Record<string, string> | undefined } | undefined;
  /** The key under which the run is created at most once. @defaultValue a new one */
  idempotencyKey?: string | undefined;
  /** Aborts the call, and the run's streams with it; the run goes on. */
  signal?: AbortSignal | undefined;
  /** How long the call may take in all, in milliseconds. @defaultValue no limit */
  timeoutMs?: number | undefined;
}

/** What is known of an agent. */
export interface SDKAgentInfo {
  agentId: string;
  name?: string;
  /** The same as `name`. */
  summary?: string;
  /** In milliseconds since 1970. */
  lastModified?: number;
  /** In milliseconds since 1970. */
  createdAt?: number;
  archived: boolean;
  runtime: "cloud";
  /** `ACTIVE`, `IDLE`, `ARCHIVED`, or what the service says. */
  status?: string;
  env?: { type: string; name?: string };
  /** The addresses of its repositories. */
  repos?: string[];
  metadata?: Record<string, string>;
  /** Where people look at it. */
  url?: string;
  latestRunId?: string;
}

/** A page of a list; an async iterable over the items of this and all later pages. */
export interface ListResult<T> extends AsyncIterable<T> {
  items: T[];
  /** For the option `cursor`; absent on the last page. */
  nextCursor?: string;
}

/** Which page of a list. */
export interface ListOptions extends CallOptions {
  /** How many items a page has, 1 to 100. @defaultValue 20 */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

/** What runs have used. */
export interface UsageAmounts {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  totalTokens: number;
}

/** What it costs, in cents and fractions of them; may come some time after the run's end. */
export interface UsageCost {
  rawCostCents: number;
  chargedCents: number;
}

/** What an agent has used. */
export interface AgentUsage {
  usage: UsageAmounts;
  cost?: UsageCost;
  runs: { runId: string; usage: UsageAmounts; cost?: UsageCost }[];
}

/** A file that an agent has made. */
export interface SDKArtifact {
  path: string;
  sizeBytes: number;
  updatedAt: string;
}

/** Whose key it is. */
export interface SDKUser {
  apiKeyName: string;
  userId?: number | string;
  userEmail?: string;
  userFirstName?: string;
  userLastName?: string;
  createdAt: string;
}

/** A model that the service offers. */
export interface SDKModel {
  id: string;
  displayName: string;
  description?: string;
  aliases?: string[];
  parameters?: { id: string; displayName?: string; values: { value: string; displayName?: string }[] }[];
  variants?: {
    params: { id: string; value: string }[];
    displayName: string;
    description?: string;
    isDefault?: boolean;
  }[];
}

/** A repository that the key can reach. */
export interface SDKRepository {
  url: string;
}

/** A key for one user, good for an hour: the kind that a page may have. */
export interface SubToken {
  accessToken: string;
  expiresAt: string;
  userId: number | string;
  teamId: number | string;
}
