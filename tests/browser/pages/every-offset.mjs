// The page of every-offset.test.mjs.

import { Agent } from "runwire";
import { followAll } from "../../lib/every-offset.mjs";
import { report } from "./report.mjs";

await report(async () => {
  const runs = await (await fetch("/runs")).json();
  return followAll(Agent, runs, { baseUrl: "" });
});
