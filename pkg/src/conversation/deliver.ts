// onDelta and onStep: called in order, one at a time, each awaited before the run is read on for them.

import { buildFrames } from "../messages/frames.js";
import type { RunWarning } from "../messages/types.js";
import type { RunCore } from "../run/core.js";
import { MessageStream } from "../run/stream.js";
import { unlessAborted } from "../run/transport.js";
import { StepMaker } from "./steps.js";
import type { ConversationStep, RunCallbacks } from "./types.js";

/** How long callbacks may take over one thing, or wait for the next, when the run is over, in milliseconds. */
const STALL = 5_000;

/** How far the callbacks are. It does not hold on to them: one that never answers may be collected. */
export class Progress {
  readonly #warn: (warning: RunWarning) => void;
  /** So many wait. */
  #waiting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** They have seen the end, or nobody waits for them any more. */
  end: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  constructor(warn: (warning: RunWarning) => void) {
    this.#warn = warn;
  }

  /** They have taken one thing more. */
  step(): void {
    clearTimeout(this.#timer);
    if (this.#waiting === 0) return;
    this.#timer = setTimeout(() => {
      this.end();
      const message = "onDelta or onStep has not come to the run's end, and wait() did not wait longer";
      this.#warn({ code: "callbacks_stalled", message });
    }, STALL);
  }

  /** Resolves when the callbacks have seen the run's end, which is known, or have stalled. */
  async ended(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting++ === 0) this.step();
    try {
      await unlessAborted(this.#ended, signal);
    } finally {
      if (--this.#waiting === 0) this.step();
    }
  }
}

/**
 * Reads the run from its start for `onDelta` and `onStep`, beginning now; nothing where there is neither. `wait()` of
 * `core`'s handle waits for them, too.
 *
 * @param signal stops it: neither is called any more
 */
export function deliver(core: RunCore, callbacks: RunCallbacks, signal?: AbortSignal | undefined): void {
  const { onDelta, onStep } = callbacks;
  if (!onDelta && !onStep) return;
  const { warn } = core;
  const progress = new Progress(warn);
  core.callbacks = progress;
  const stream = new MessageStream(core.consumer({ build: buildFrames }), signal);

  async function tell<T>(callback: ((args: T) => unknown) | undefined, args: T): Promise<void> {
    if (!callback || signal?.aborted) return;
    try {
      await callback(args);
    } catch (error) {
      warn({ code: "callback_threw", message: "onDelta or onStep threw; the run goes on", error });
    }
    progress.step();
  }

  let steps: ConversationStep[] = [];
  const sink = {
    step: (step: ConversationStep) => void steps.push(step),
    turn: () => {},
    restart: () => {
      steps = [];
    },
  };
  const maker = new StepMaker(sink, warn);

  async function read(): Promise<void> {
    for await (const frame of stream) {
      if (frame.type === "heartbeat") continue;
      progress.step();
      // A simplified frame's update may be the next.
      const held = steps.length;
      const update = maker.push(frame);
      // Who listens to steps is not to wait for the next turn.
      if (update?.type === "step-completed" || update?.type === "turn-ended") maker.flush();
      for (const step of steps.splice(0, maker.isSimple ? held : steps.length)) await tell(onStep, { step });
      if (update) await tell(onDelta, { update });
    }
    maker.flush();
    for (const step of steps) await tell(onStep, { step });
  }

  read()
    .catch((error: unknown) => {
      if (signal?.aborted) return;
      const message = "The stream failed: onDelta and onStep have not come to the run's end";
      warn({ code: "callbacks_cut_short", message, error });
    })
    .then(() => progress.end());
}
