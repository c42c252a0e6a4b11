// Runs that are cut at every byte: the server's side, and the follower's, which runs in Node and in pages.

/** Two streams of at most 2 kB: twins with shared ids, and frames without ids under odd text. */
export const scenarios = {
  twins: {
    frames: [
      { event: "status", data: { runId: "$RUN_ID", status: "RUNNING" } },
      ...["Hel", "lo, ", "wörld 😀", "\n"].flatMap((text, at) => [
        { event: "interaction_update", id: `7-${at}`, data: { type: "text-delta", text } },
        { event: "assistant", id: `7-${at}`, data: { text } },
      ]),
      {
        event: "tool_call",
        id: "8-0",
        data: { callId: "c1", name: "read", status: "running", args: { path: "a" } },
      },
      { event: "heartbeat", data: {} },
      { event: "thinking", id: "8-1", data: { text: "hm" } },
      {
        event: "tool_call",
        id: "8-2",
        data: { callId: "c1", name: "read", status: "completed", result: [1] },
      },
      { event: "assistant", id: "9-0", data: { text: "Done." } },
      { event: "result", id: "9-1", data: { runId: "$RUN_ID", status: "FINISHED", text: "Done." } },
      { event: "done", id: "9-1", data: {} },
    ],
  },
  bare: {
    frames: [
      { event: "status", data: { runId: "$RUN_ID", status: "RUNNING" } },
      ...["ha", "ha", "ha", "日本", "語"].map((text) => ({ event: "assistant", data: { text } })),
      { event: "note", id: "n1", data: { unknown: true } },
      ...["a", "b"].map((text) => ({ event: "thinking", data: { text } })),
      { event: "assistant", id: "n2", data: { text: "!" } },
      { event: "result", id: "n3", data: { runId: "$RUN_ID", status: "FINISHED", text: "ha" } },
      { event: "done", id: "n3", data: {} },
    ],
  },
};

/**
 * Starts each scenario once uncut and once for each of its bytes, cut there on the first connection.
 * @returns {Promise<{ name: string, agentId: string, runId: string, cut: number | undefined }[]>}
 */
export async function startRuns(simulator) {
  const runs = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    const start = async (cut) => {
      const cuts =
        cut === undefined ? null : [{ connection: 1, afterBytes: cut, how: cut % 2 ? "reset" : "end" }];
      const ids = await simulator.startRun({ scenario, pace: "demand", faults: { stream: { cuts } } });
      runs.push({ ...ids, name, cut });
      return ids;
    };
    const { agentId, runId } = await start(undefined);
    const path = `/v1/agents/${agentId}/runs/${runId}/stream`;
    const request = new Request(`http://localhost${path}`, { headers: { authorization: "Bearer key" } });
    const { byteLength } = await (await simulator.fetch(request)).arrayBuffer();
    if (byteLength > 2_000) throw new Error(`${name} is ${byteLength} bytes long`);
    for (let cut = 0; cut < byteLength; cut++) await start(cut);
  }
  return runs;
}

/**
 * Follows all runs, some at a time.
 * @returns {Promise<{ followed: number, wrong: string[] }>} what differs from the uncut run
 */
export async function followAll(Agent, runs, options) {
  const uncut = new Map();
  const wrong = [];
  const follow = async ({ name, agentId, runId, cut }) => {
    const run = await Agent.getRun(runId, {
      ...options,
      runtime: "cloud",
      agentId,
      apiKey: "key",
      retry: { minDelayMs: 0 },
      onWarning: ({ code }) => wrong.push(`${name} cut at ${cut}: ${code}`),
    });
    const seen = { text: "", thought: "", others: [], statuses: [] };
    for await (const { agent_id, run_id, ...message } of run.stream()) {
      if (message.type === "assistant") seen.text += message.message.content[0].text;
      else if (message.type === "thinking") seen.thought += message.text;
      else if (message.type === "status") seen.statuses.push(message.status);
      else seen.others.push(message);
    }
    const { statuses, ...content } = seen;
    const said = JSON.stringify(content);
    if (cut === undefined) uncut.set(name, { said, last: statuses.at(-1) });
    const expected = uncut.get(name);
    if (said !== expected.said) wrong.push(`${name} cut at ${cut}: ${said} instead of ${expected.said}`);
  };
  const left = [...runs];
  // The uncut ones first, to compare with.
  for (const run of left.filter(({ cut }) => cut === undefined)) await follow(run);
  const queue = left.filter(({ cut }) => cut !== undefined);
  const worker = async () => {
    for (let run = queue.shift(); run; run = queue.shift()) await follow(run);
  };
  await Promise.all(Array.from({ length: 5 }, worker));
  return { followed: runs.length, wrong };
}
