// What the page and the terminal must have received of a scenario, asked of a simulator of the test's own.

import { createSimulator } from "runwire/testing";
import { formatChecksum, plural } from "../../www/shared/format.mjs";

/**
 * The text of a scenario in figures, as the page and the terminal write them.
 * @param {import("runwire/testing").Scenario} scenario
 * @returns {Promise<{ checksum: string, characters: string }>}
 */
export async function textFigures(scenario) {
  const simulator = createSimulator({ scenario, pace: "instant" });
  const { runId } = await simulator.startRun();
  const { assistant } = await simulator.expected(runId);
  return { checksum: formatChecksum(assistant.checksum), characters: plural(assistant.length, "character") };
}
