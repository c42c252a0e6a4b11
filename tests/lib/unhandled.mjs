// Rejections that nobody handles, seen as something to judge instead of a failure of the test they fall into.

import { turns } from "./run-service.mjs";

/** The unhandled rejections during `work`, and some turns after it. */
export async function unhandledDuring(work) {
  const complaints = [];
  // The runner's own listener would fail the test: what is collected here is for the test to judge.
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => complaints.push(reason));
  try {
    await work();
    await turns(20);
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
  return complaints;
}
