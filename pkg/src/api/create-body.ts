// Options → the bodies of the requests that create agents and runs.

import { ConfigurationError } from "../errors/api.js";
import type { AgentOptions, SDKUserMessageInput, SendOptions } from "./types.js";

/** Only for agents that run on one's own machine. */
const LOCAL = ["local", "tools", "disallowedTools", "systemPrompt", "customTools", "sandbox"];

/** Refuses what only agents on one's own machine can do. */
export function cloudOnly(options: object, operation: string): void {
  const name = LOCAL.find((name) => (options as Record<string, unknown>)[name] !== undefined);
  if (name === undefined) return;
  const message = `\`${name}\` is not supported for cloud agents yet: leave it out`;
  throw new ConfigurationError(message, { code: "cloud_only", operation });
}

/** The body of `POST /v1/agents`. What is `undefined` in it is not sent. */
export function createBody(
  agentId: string,
  message: SDKUserMessageInput,
  agent: AgentOptions,
  send: SendOptions,
) {
  const { cloud, name } = agent;
  return {
    ...cloud,
    // The service does not take both.
    agentId: cloud?.envVars ? undefined : agentId,
    prompt: promptOf(message),
    model: send.model ?? agent.model,
    name,
    mcpServers: named(send.mcpServers ?? agent.mcpServers, "agent.send"),
    customSubagents: named(agent.agents),
    runEnvVars: send.cloud?.envVars,
    mode: send.mode ?? agent.mode,
  };
}

/** The body of `POST /v1/agents/{id}/runs`. */
export function followUpBody(message: SDKUserMessageInput, agent: AgentOptions, send: SendOptions) {
  return {
    agentId: undefined,
    prompt: promptOf(message),
    mcpServers: named(send.mcpServers ?? agent.mcpServers, "agent.send"),
    model: send.model,
    envVars: send.cloud?.envVars,
    mode: send.mode,
  };
}

function promptOf(message: SDKUserMessageInput): { text: string; images?: unknown } {
  if (typeof message === "string") return { text: message };
  if (typeof message?.text === "string") return { text: message.text, images: message.images };
  throw new ConfigurationError("A message is a text, or { text, images }", {
    code: "invalid_option",
    operation: "agent.send",
  });
}

/** A map as a list, with the names among the rest. */
function named(map: Record<string, object> | undefined, operation?: string): object[] | undefined {
  if (!map) return undefined;
  return Object.entries(map).map(([name, value]) => {
    if (operation && (value as { cwd?: unknown })?.cwd !== undefined) {
      const message = `The tool server ${name} has a \`cwd\`, which cloud agents do not support: leave it out`;
      throw new ConfigurationError(message, { code: "cloud_only", operation });
    }
    return { ...value, name };
  });
}
