// A run whose every string attacks whoever shows it: as markup, as script, as terminal input, by its length.

export const markup = `<img src=x onerror="globalThis.pwned=1"><script>globalThis.pwned=2</script>`;
export const escapes = "\u001b[2J\u001b[31mred\u001b[0m\u001b]0;title\u0007\u009b31m\u0000\u0008\r";
export const turned = "safe\u202egnp.exe\u202c \u2066isolated\u2069";
export const endless = "endless".repeat(400);

export const text = [
  `Markup: ${markup}\n\n`,
  `Escapes: ${escapes}\n\n`,
  `Direction: ${turned}\n\n`,
  `A link: [click](javascript:globalThis.pwned=3) and an image ![x](https://example.invalid/x.png)\n\n`,
  `\`code <b>\` **<i>bold</i>** </p></div></body>\n\n`,
  `# <svg onload=globalThis.pwned=4>\n\n- <iframe src="javascript:globalThis.pwned=5">\n- two\n\n`,
  `| <u>a</u> | b |\n| --- | --- |\n| ${markup} | {{7*7}} \${7*7} |\n\n`,
  `Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞ 👩‍👩‍👧‍👦🏴‍☠️ שלום عليكم\n\n`,
  `${endless}\n\n`,
  "```html\n<script>globalThis.pwned=6</script>\n```\n\nThe end </script><!-- ",
];

const frame = (event, data, delayMs = 250) => ({ event, data, delayMs });
let ids = 0;
const content = (event, data, delayMs) => ({ ...frame(event, data, delayMs), id: `1713033000000-${ids++}` });

const calls = [
  { callId: "__proto__", name: `<b onmouseover="globalThis.pwned=7">tool</b>`, args: { path: markup } },
  { callId: "constructor", name: `tool${escapes}`, args: { command: `${escapes}rm -rf` } },
  { callId: `"><script>globalThis.pwned=8</script>`, name: turned, args: { query: turned } },
  { callId: "call-4", name: endless, args: { pattern: endless, __proto__: null } },
  { callId: "call-5", name: "", args: `"${markup}"` },
];

/** @type {import("runwire/testing").FramesScenario} */
export const hostile = {
  endsAs: "ERROR",
  frames: [
    frame("status", { runId: "$RUN_ID", status: "RUNNING", message: markup }),
    content("thinking", { text: `Thinking in ${markup} and ${escapes}, ${turned}. ` }, 600),
    content("thinking", { text: `${endless} ` }),
    ...text.slice(0, 4).map((piece) => content("assistant", { text: piece }, 400)),
    ...calls.map((call) => content("tool_call", { ...call, status: "running" }, 300)),
    ...calls.map(({ callId, name }, index) =>
      content(
        "tool_call",
        { callId, name, status: index % 2 ? "error" : "completed", result: { error: `${markup}${escapes}` } },
        700,
      ),
    ),
    ...text.slice(4).map((piece) => content("assistant", { text: piece }, 400)),
    // A surrogate without its other half, which JSON can say and UTF-8 cannot.
    { ...content("thinking", undefined), data: '{"text":"lone \\ud800 surrogate"}' },
    { ...content(undefined, undefined), event: "made_up<b>", data: { html: markup } },
    { ...frame("assistant", undefined), data: `{"text": "broken ${"<b>".repeat(10)}` },
    frame("status", { runId: "$RUN_ID", status: "ERROR", message: `${markup}${escapes}` }),
    content("result", {
      runId: "$RUN_ID",
      status: "ERROR",
      error: { code: "<b>code</b>", message: `It failed: ${markup}${escapes}${turned}` },
      git: {
        branches: [
          {
            repoUrl: "javascript:globalThis.pwned=9",
            branch: markup,
            prUrl: "javascript:globalThis.pwned=10",
          },
        ],
      },
    }),
    frame("done", {}),
  ],
};
