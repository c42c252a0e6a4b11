// Follows a simulated coding run through the built package, over HTTP, and prints it as it comes.

import { Agent } from "runwire";
import { createSimulator } from "runwire/testing";
import { listen } from "runwire/testing/node";
import { RunningChecksum } from "./shared/checksum.mjs";
import { meteredFetch } from "./shared/meter.mjs";
import { showEnding } from "./terminal/ending.mjs";
import { painter } from "./terminal/paint.mjs";
import { Screen } from "./terminal/screen.mjs";
import { RunView } from "./terminal/view.mjs";
import { fit } from "./terminal/width.mjs";

/** How many times as fast as its own time the run passes; that is about a minute. */
const PACE = 5;
const PACE_ONCE = 12;
/** The connection is cut in the middle of the text that comes then: what is shown has nothing of it. */
const CUT = { connection: 1, afterFrames: 45 };

/**
 * @param {object} [options]
 * @param {boolean} [options.once] nothing comes after it: a little faster
 * @param {import("runwire/testing").Scenario} [options.scenario]
 * @param {NodeJS.WriteStream} [options.output]
 */
export async function followInTerminal({ once = false, scenario = "coding", output = process.stdout } = {}) {
  const screen = new Screen(output);
  const paint = painter({ isTTY: screen.isTTY });
  const faults = { stream: { cuts: [CUT] } };
  const simulator = createSimulator({ scenario, pace: once ? PACE_ONCE : PACE, faults });
  const service = await listen(simulator);
  try {
    const { agentId, runId } = await simulator.startRun();
    screen.line();
    const title = fit(" follows a simulated run, whose connection is cut once", screen.columns - 12);
    screen.line(`  ${paint.cyan("●─")} ${paint.bold("runwire")}${title}`);
    screen.line(paint.dim(`     ${fit(`${runId} at ${service.url}`, screen.columns - 5)}`));
    screen.line();
    const followed = await follow({ runId, agentId, baseUrl: service.url, view: new RunView(screen, paint) });
    const { assistant } = await simulator.expected(runId);
    showEnding(screen, paint, { ...followed, expected: assistant });
    screen.line();
  } finally {
    await service.close();
  }
}

async function follow({ runId, agentId, baseUrl, view }) {
  const began = performance.now();
  const checksum = new RunningChecksum();
  let [events, bytes] = [0, 0];
  const fetch = meteredFetch((count) => {
    bytes += count;
  });
  const onWarning = (warning) => view.note(warning.message);
  // Any key is right for the simulator; a page would have none and go through a relay.
  const options = { runtime: "cloud", agentId, apiKey: "simulated", baseUrl, fetch, onWarning };
  try {
    const run = await Agent.getRun(runId, options);
    run.onDidChangeConnection((change) => view.connection(change));
    for await (const message of run.stream()) {
      events++;
      if (message.type === "assistant") {
        for (const block of message.message.content) if (block.type === "text") checksum.update(block.text);
      }
      view.show(message);
    }
    const result = await run.wait();
    return { result, ms: performance.now() - began, events, bytes, checksum, tools: view.tools };
  } finally {
    view.end();
  }
}
