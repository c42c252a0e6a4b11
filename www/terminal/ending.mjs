// How a followed run ended: the last lines in the terminal.

import { showOnOneLine } from "../shared/controls.mjs";
import { formatBytes, formatChecksum, formatDuration, plural } from "../shared/format.mjs";
import { fit } from "./width.mjs";

const marks = { finished: ["green", "✓"], error: ["red", "✗"], cancelled: ["yellow", "■"] };

/**
 * @param {import("./screen.mjs").Screen} screen
 * @param {ReturnType<typeof import("./paint.mjs").painter>} paint
 * @param {{ result: import("runwire").RunResult, ms: number, events: number, bytes: number, checksum: import("../shared/checksum.mjs").RunningChecksum,
 *   expected: { length: number, checksum: number }, tools: { completed: number, error: number } }} figures
 */
export function showEnding(screen, paint, { result, ms, events, bytes, checksum, expected, tools }) {
  const [colour, mark] = marks[result.status] ?? ["yellow", "…"];
  const line = (text, style = (same) => same) => screen.line(style(`    ${fit(text, screen.columns - 4)}`));
  screen.line();
  screen.line(
    `  ${paint[colour](mark)} ${paint.bold(result.status)} ${paint.dim(`in ${formatDuration(ms)}`)}`,
  );
  if (result.error) line(showOnOneLine(result.error.message), paint.red);
  for (const { repoUrl, branch, prUrl } of result.git?.branches ?? []) {
    if (branch) line(`${showOnOneLine(repoUrl)}  ${showOnOneLine(branch)}`);
    if (prUrl) line(showOnOneLine(prUrl));
  }
  const failed = tools.error > 0 ? ` (${tools.error} failed)` : "";
  const calls = plural(tools.completed + tools.error, "tool call") + failed;
  line([plural(events, "event"), formatBytes(bytes), formatDuration(ms), calls].join(" · "), paint.dim);
  const same = checksum.equals(expected);
  const verdict = same ? "as the scenario" : `the scenario's is ${formatChecksum(expected.checksum)}`;
  line(`text checksum ${formatChecksum(checksum.checksum)}, ${verdict}`, same ? paint.dim : paint.red);
}
