// `onDelta` and `onStep` that write down what they were told, and frames to tell them.

import assert from "node:assert/strict";
import { frame, scriptedRun, whole } from "./scripted-run.mjs";

/** An `interaction_update` under the id `<n>-0`. */
export const update = (n, data) => frame("interaction_update", data, `${n}-0`);
export const delta = (n, text = `${n};`) => update(n, { type: "text-delta", text });
export const shell = { type: "shell", args: { command: "ls" } };
export const call = (n, phase, toolCall = shell) =>
  update(n, { type: phase, callId: "c", toolCall, modelCallId: "m" });

/** Callbacks, and in `deltas`, `steps`, `order` and `warnings` what came; `onDelta` does `work` each time. */
export function recorder(work = () => {}) {
  const told = { deltas: [], steps: [], order: [], warnings: [] };
  return Object.assign(told, {
    options: {
      async onDelta(args) {
        told.order.push(`d:${args.update.type}`);
        told.deltas.push(args.update);
        await work(args);
      },
      onStep({ step }) {
        told.order.push(`s:${step.type}`);
        told.steps.push(step);
      },
      onWarning: (warning) => told.warnings.push(warning),
    },
  });
}

/** What of a run must be the same however it was delivered. */
export const content = ({ deltas, steps, order }) => ({ deltas, steps, order });

/** The run with these frames, told to a recorder until it is over. */
export async function tell(frames, told = recorder()) {
  const service = scriptedRun({ stream: (connection) => void connection.send(...frames, whole) });
  const run = await service.handle(told.options);
  await run.wait();
  assert.equal(service.open, 0);
  return told;
}
