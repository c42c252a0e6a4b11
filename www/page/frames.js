// Calls a function once an animation frame while there is something to show; in a hidden page, now and then.

const HIDDEN_MS = 1000;

/**
 * @param {() => unknown} draw gives `false` when it need not be called before the next start
 * @returns {{ start(): void, stop(): void }}
 */
export function frameLoop(draw) {
  let running = false;
  let frame;
  let timer;
  const step = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    if (!running) return;
    running = draw() !== false;
    if (!running) return;
    frame = requestAnimationFrame(step);
    // Frames do not come in a hidden page, and its title and live region still count.
    timer = setTimeout(step, HIDDEN_MS);
  };
  return {
    start() {
      if (running) return;
      running = true;
      step();
    },
    /** Draws once more. */
    stop() {
      running = false;
      step();
      draw();
    },
  };
}
