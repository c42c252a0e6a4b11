// A run over loopback HTTP, Node only: CPU time above draining the body, and the most memory of each side's process.

import { fork } from "node:child_process";
import { join } from "node:path";
import { median } from "./stats.mjs";

/** How often each side's memory is measured. */
const MEMORY_ROUNDS = 7;

function start(file, execArgv = []) {
  const child = fork(join(import.meta.dirname, file), {
    execArgv,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const answer = new Promise((resolve, reject) => {
    child.once("message", (message) => (message.error ? reject(new Error(message.error)) : resolve(message)));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${file} ended with code ${code}`)));
  });
  return { child, answer };
}

async function client(message) {
  const { child, answer } = start("loopback-client.mjs", ["--expose-gc"]);
  child.send(message);
  return (await answer).result;
}

/** @returns {Promise<object[]>} rows as the cases give them */
export async function measureLoopback({ rounds, events }) {
  const server = start("loopback-server.mjs");
  server.child.send({ events });
  try {
    const { port } = await server.answer;
    const times = await client({ port, rounds });
    const peaks = { ours: [], peer: [] };
    for (let round = 0; round < MEMORY_ROUNDS; round++) {
      for (const side of ["ours", "peer"]) peaks[side].push(await client({ port, rounds: 3, side }));
    }
    return [
      { name: "loopback", ...times },
      { name: "loopbackPeak", ours: median(peaks.ours), peer: median(peaks.peer) },
    ];
  } finally {
    server.child.kill();
  }
}
