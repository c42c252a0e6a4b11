// Sessions with the installed package, in each of the ways in which there are sessions, in Node and in workerd; before a
// release in Deno and Bun, which then also are the host.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { before, describe, test } from "node:test";
import { plainEnv } from "../lib/packed.mjs";
import { assertSessionToured, withSessionService } from "../lib/session-service.mjs";
import { inProject, printedBy } from "./project.mjs";
import { commands, installRuntimes } from "./runtimes.mjs";
import { answerOfWorker } from "./worker.mjs";

const skip = process.env.RUNWIRE_TEST_RELEASE !== "1" && "before a release only";

test("sessions are in Node what they are to be", () =>
  inProject("session-node", (dir) =>
    withSessionService(({ url }) => printedBy(dir, [process.execPath, "--no-warnings", "session.mjs", url])),
  ));

test("sessions are in workerd what they are in Node", () =>
  inProject("session-workerd", (dir) =>
    withSessionService(({ url }) => answerOfWorker(dir, "session-worker.mjs", `?service=${url}`)),
  ));

/** Does `work` with the address of a host that runs in another runtime. */
async function withHostOf(dir, [command, ...args], work) {
  const child = spawn(command, [...args, "session-host.mjs"], { cwd: dir, env: plainEnv() });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints += text;
  });
  const ended = new Promise((_, reject) => {
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`it ended with code ${code}: ${complaints}`)));
  });
  ended.catch(() => {});
  try {
    const printed = new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
    const address = await Promise.race([printed, ended]);
    return await Promise.race([work(address), ended]);
  } finally {
    child.kill("SIGKILL");
  }
}

describe("in the other runtimes", { skip }, () => {
  before(installRuntimes);

  for (const [name, command] of Object.entries(commands)) {
    test(`sessions are in ${name} what they are in Node`, () =>
      inProject(`session-${name.toLowerCase()}`, (dir) =>
        withSessionService(({ url }) => printedBy(dir, [...command, "session.mjs", url])),
      ));

    test(`a host in ${name} serves a client in Node`, () =>
      inProject(`session-host-${name.toLowerCase()}`, (dir) =>
        withHostOf(dir, command, async (address) => {
          const client = [process.execPath, "--no-warnings", "session.mjs", `${address}/agent`];
          await assertSessionToured(await printedBy(dir, client));
          // Whoever has gone is no reader any more.
          const left = async () => (await fetch(`${address}/of-the-host`)).json();
          const deadline = Date.now() + 10_000;
          for (let sessions = await left(); ; sessions = await left()) {
            assert.equal(sessions.length, 3);
            if (sessions.every(({ status, readers }) => status === "FINISHED" && readers === 0)) break;
            assert.ok(Date.now() < deadline, JSON.stringify(sessions));
          }
        }),
      ));
  }
});
