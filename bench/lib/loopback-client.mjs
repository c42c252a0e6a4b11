// Reads the run of the loopback case, for its parent: what each way costs in CPU time, or one of them in memory.

import { createParser } from "eventsource-parser";
import { Agent, init } from "runwire";
import { AGENT_ID, RUN_ID } from "../data.mjs";
import { weigh } from "../sides/consume.mjs";
import { messageOf } from "../sides/peer.mjs";
import { interleave, NO_SUM } from "./interleave.mjs";

function sidesAt(baseUrl) {
  const url = `${baseUrl}/v1/agents/${AGENT_ID}/runs/${RUN_ID}/stream`;
  return {
    /** A loop that only drains the body: what any reader pays. */
    async drain() {
      const reader = (await fetch(url)).body.getReader();
      for (;;) if ((await reader.read()).done) return NO_SUM;
    },
    async ours() {
      let sum = 0;
      const run = await Agent.getRun(RUN_ID, { runtime: "cloud", agentId: AGENT_ID, baseUrl, apiKey: "key" });
      for await (const message of run.stream()) sum += weigh(message);
      return sum;
    },
    async peer() {
      let sum = 0;
      const parser = createParser({
        onEvent(event) {
          const message = messageOf(event);
          if (message !== undefined) sum += weigh(message);
        },
      });
      const decoder = new TextDecoder();
      const reader = (await fetch(url)).body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        parser.feed(decoder.decode(value, { stream: true }));
      }
      parser.feed(decoder.decode());
      return sum;
    },
  };
}

/** What all of this process has used, in milliseconds. */
function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Each side begins without garbage of the one before. */
function collected(run) {
  return () => {
    globalThis.gc();
    return run;
  };
}

process.once("message", async ({ port, rounds, side }) => {
  try {
    await init();
    const sides = sidesAt(`http://127.0.0.1:${port}`);
    if (side === undefined) {
      const fresh = Object.fromEntries(Object.entries(sides).map(([name, run]) => [name, collected(run)]));
      process.send({ result: await interleave(fresh, rounds, cpuTime) });
    } else {
      for (let round = 0; round < rounds; round++) await sides[side]();
      process.send({ result: process.resourceUsage().maxRSS * 1024 });
    }
  } catch (error) {
    process.send({ error: error.stack });
  }
  process.disconnect();
});
