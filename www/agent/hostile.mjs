// A turn whose every string attacks whoever shows it.

import { endless, escapes, markup, text, turned } from "../server/hostile.mjs";
import { info, init, localCommand } from "../../tests/lib/scripted-query.mjs";

/** @type {import("runwire/kit").SlashCommand} */
export const hostileCommand = {
  name: `hostile"><b>`,
  description: `${markup}${escapes}`,
  argumentHint: `<i>${turned}</i>`,
};

const levels = ["info", "notice", "suggestion", "warning"];

/** @param {import("./stage.mjs").Stage} stage */
export async function* hostileTurn(stage) {
  yield init({ mcp_servers: [{ name: `${markup}${escapes}`, status: "failed" }] });
  for (const level of levels) yield info(`${level}: ${markup}${escapes}${turned}`, level);
  yield localCommand(`<script>globalThis.pwned=11</script>\n${endless}`);
  for (const piece of text) yield* stage.say(piece);
  const input = { file_path: markup, command: escapes, [`<b>${turned}</b>`]: [markup] };
  yield* stage.use(`<b onmouseover="globalThis.pwned=7">tool</b>`, input, `${markup}${escapes}`, { ms: 300 });
  yield* stage.use(endless, { query: endless }, endless, { isError: true, ms: 300 });
  yield* stage.use("", {}, turned, { ms: 300 });
  yield* stage.delegate(markup, [[`<u>${escapes}</u>`, { path: markup }]], `${markup}${turned}`);
  const errors = [`It failed: ${markup}`, `${escapes}${turned}`];
  return { suggestion: markup, result: { subtype: "error_<b>made_up</b>", is_error: true, errors } };
}
