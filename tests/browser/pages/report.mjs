// How a page of a test tells what came of it.

/** Runs `work` and leaves its result, or what it failed with, in `globalThis.outcome`. */
export async function report(work) {
  try {
    globalThis.outcome = { result: await work() };
  } catch (error) {
    globalThis.outcome = { error: `${error?.stack ?? error}` };
  }
}
