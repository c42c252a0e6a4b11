// Every kind of call of the API, over HTTP: what each runtime and browser is asked to do, and what it must have seen.
// The service is ../../lib/api-tour-service.mjs.

import {
  Agent,
  AgentBusyError,
  AgentNotFoundError,
  AuthenticationError,
  ConfigurationError,
  Cursor,
  NetworkError,
} from "runwire";

export const apiKey = "key-of-the-tour";
const headers = { "x-mine": "sk-of-the-caller" };

/**
 * @param {string} baseUrl
 * @returns {Promise<Record<string, unknown>>} what came of each part, as JSON
 */
export async function tour(baseUrl) {
  const requests = [];
  const onRequest = ({ method, path, attempt, status }) =>
    void requests.push(`${method} ${path.replace(/(bc|run)-[0-9a-f-]{36}/g, "$1")} #${attempt}: ${status}`);
  const given = { apiKey, baseUrl, retry: { minDelayMs: 1, maxDelayMs: 2 } };
  const cloud = { runtime: "cloud", ...given };
  const seen = { me: (await Cursor.me({ ...given, onRequest })).apiKeyName };

  const agent = await Agent.create({ ...given, model: { id: "composer-2" }, name: "Ada" });
  seen.created = await followed(await agent.send("Hello"));
  const { agentId } = agent;
  Object.assign(seen, await leftAndCancelled(await agent.send("Go on"), agent));
  seen.records = [(await agent.reload()).status, (await Agent.get(agentId, given)).archived];

  const page = await Agent.listRuns(agentId, { ...cloud, limit: 1 });
  seen.firstPage = page.items.length;
  const runs = [];
  for await (const { status } of page) runs.push(status);
  seen.runs = runs;
  seen.artifacts = await artifacts(agent);
  const { usage } = await agent.getUsage();
  seen.tokens = usage.totalTokens > 0;

  // The same GET again, where the service moved it on the same origin.
  seen.moved = await failure(Cursor.models.list(given).then((models) => models.length > 0));
  seen.elsewhere = {
    key: await failure(Cursor.repositories.list(given)),
    headers: await failure(Cursor.repositories.list({ ...given, headers })),
  };
  seen.errors = {
    key: await failure(Cursor.me({ ...given, apiKey: "another" }), AuthenticationError),
    agent: await failure(Agent.get("bc-00000000-0000-4000-8000-000000000000", given), AgentNotFoundError),
    id: await failure(Agent.get("agent", given), AgentNotFoundError),
    option: await failure(Cursor.me({ ...given, auth: "digest" }), ConfigurationError),
    unavailable: await failure(Agent.archive(agentId, { ...given, onRequest }), NetworkError),
    lost: await failure(Agent.unarchive(agentId, { ...given, onRequest }), NetworkError),
    late: await failure(Agent.delete(agentId, { ...given, timeoutMs: 100 }), NetworkError),
    aborted: await aborted(agentId, given),
  };
  seen.requests = requests;
  await agent[Symbol.asyncDispose]();
  return JSON.parse(JSON.stringify(seen));
}

/** A run whose connection breaks on the way. */
async function followed(run) {
  const statuses = [];
  run.onDidChangeStatus((status) => statuses.push(status));
  let text = "";
  let tools = 0;
  for await (const message of run.stream()) {
    if (message.type === "tool_call") tools++;
    if (message.type !== "assistant") continue;
    for (const block of message.message.content) if (block.type === "text") text += block.text;
  }
  const { status, result } = await run.wait();
  return { text, tools: tools > 5, status, last: statuses.at(-1), result: typeof result };
}

/** A run that goes on for a minute unless it is stopped. */
async function leftAndCancelled(run, agent) {
  for await (const _ of run.stream()) break;
  const busy = await failure(agent.send("And this"), AgentBusyError);
  await run.cancel();
  return { busy, cancelled: (await run.wait()).status };
}

async function artifacts(agent) {
  const files = [];
  for (const { path, sizeBytes } of await agent.listArtifacts()) {
    const bytes = await agent.downloadArtifact(path);
    const chunks = [];
    const stream = await agent.downloadArtifact(path, { stream: true });
    const reader = stream.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(...read.value);
    const isSame = chunks.length === sizeBytes && bytes.every((byte, at) => byte === chunks[at]);
    const text = path.endsWith(".md") ? new TextDecoder().decode(bytes) : undefined;
    files.push({
      path,
      isBytes: bytes instanceof Uint8Array,
      isWhole: bytes.length === sizeBytes,
      isSame,
      text,
    });
  }
  return files;
}

/** A call that is given up while it is under way. */
async function aborted(agentId, given) {
  const controller = new AbortController();
  const reason = new Error("mine");
  const leaving = (url, init) => {
    const answer = fetch(url, init);
    controller.abort(reason);
    return answer;
  };
  const deleting = Agent.delete(agentId, { ...given, fetch: leaving, signal: controller.signal });
  return (await deleting.catch((error) => error)) === reason;
}

/** What a call fails with: in words, and whether it is of its class. */
async function failure(promise, ErrorClass = ConfigurationError) {
  try {
    return await promise;
  } catch (error) {
    const { name, code, status, operation, isRetryable } = error;
    if (operation === undefined) throw error;
    return { name, code, status, operation, isRetryable, isOfItsClass: error instanceof ErrorClass };
  }
}
