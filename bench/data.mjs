// The bench's input: a seeded run of documented Cloud Agents frames, as text, as bytes and cut into chunks.

export const AGENT_ID = "bc-0f3a6c1e-5b1d-4c57-9a43-2f0f4d6f8b10";
export const RUN_ID = "run-7d1c2a90-8e64-4f0b-b7de-31a5c0e9d2f4";

/** How many mixed events the figures are measured over, and where their random numbers start. */
export const EVENT_COUNT = 100_000;
export const SEED = 20261130;

/** The chunk sizes of the figures, in bytes. */
export const CHUNK_SIZES = [200, 1024, 16 * 1024, 64 * 1024];

/**
 * Share of each kind of event, in per cent; they add up to 100. A call makes two events, so about twenty deltas of
 * text and thinking lie between one call and the next.
 */
export const MIX = { assistant: 70, thinking: 17, tool_call: 8, heartbeat: 5 };

export const WORDS =
  `the a of and to in is that it for on with as this be are from at or by an we if not can will use file test
  function return value parser stream chunk event error module import export const result type string number array
  update read write check build run fix add remove change call option default branch commit path line code handler
  request response client server retry connection status message agent token buffer decoder index config package`.split(
    /\s+/,
  );

// Pieces that JSON has to escape, and pieces beyond ASCII: both occur in real text, neither is the rule.
const ESCAPED = ["\n", "\n\n", '"', ' "quoted"', "\n- ", "```ts\n", "\t", " C:\\tmp", "\\n", ' ("x")'];
const BEYOND_ASCII = [
  "é",
  " naïve",
  " – ",
  "…",
  " “so”",
  " 😀",
  "日本",
  " ✓",
  " Größe",
  " →",
  "№",
  " данные",
];

export const TOOLS = ["read_file", "run_terminal_cmd", "grep", "edit_file", "list_dir"];

/** A small seeded generator of numbers in [0, 1) (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export const pick = (next, list) => list[Math.floor(next() * list.length)];
export const between = (next, low, high) => low + Math.floor(next() * (high - low + 1));

/** A text delta as a model streams it: one to four words, now and then with an escape or beyond ASCII. */
export function delta(next) {
  let text = "";
  for (let words = between(next, 1, 4); words > 0; words--) text += ` ${pick(next, WORDS)}`;
  const dice = next();
  if (dice < 0.14) text += pick(next, ESCAPED);
  else if (dice < 0.2) text += pick(next, BEYOND_ASCII);
  return text;
}

export function sentence(next, words) {
  let text = pick(next, WORDS);
  for (let word = 1; word < words; word++) text += ` ${pick(next, WORDS)}`;
  return text;
}

export function toolArgs(next, name) {
  const path = `src/${pick(next, WORDS)}/${pick(next, WORDS)}.ts`;
  if (name === "read_file") return { path, offset: between(next, 1, 400), limit: 200 };
  if (name === "run_terminal_cmd")
    return { command: `npm test -- ${path}`, timeout: 30000, background: false };
  if (name === "grep")
    return { pattern: `${pick(next, WORDS)}\\b`, path: "src", options: { glob: ["*.ts"], head: 50 } };
  if (name === "edit_file") {
    const edits = [{ old: `const ${pick(next, WORDS)} = 1;\n`, new: `const ${pick(next, WORDS)} = "2";\n` }];
    return { path, edits };
  }
  return { path: "src", depth: 2, ignore: ["node_modules", "dist"] };
}

function toolResult(next, name) {
  const lines = [];
  for (let count = between(next, 2, 8); count > 0; count--) lines.push(sentence(next, between(next, 3, 8)));
  if (name === "read_file")
    return { status: "success", value: { content: lines.join("\n"), totalLines: 812 } };
  if (name === "run_terminal_cmd") {
    const value = {
      exitCode: between(next, 0, 1),
      signal: null,
      stdout: `${lines.join("\n")}\n`,
      stderr: "",
      ms: 1234.5,
    };
    return { status: "success", value };
  }
  if (name === "grep") {
    const matches = lines.map((text, index) => ({
      line: index * 17 + 3,
      text,
      context: { before: [], after: [] },
    }));
    return { status: "success", value: { matches, truncated: next() < 0.2 } };
  }
  if (name === "edit_file")
    return {
      status: "success",
      value: { linesAdded: 1, linesRemoved: 1, diff: `@@ “é” @@\n-${lines[0]}\n` },
    };
  if (next() < 0.3) return { status: "error", error: { message: `no such folder: ${lines[0]}` } };
  return {
    status: "success",
    value: { entries: lines.map((line) => ({ name: line, size: line.length * 97, kind: "file" })) },
  };
}

function frame(event, id, data) {
  const head = id === undefined ? "" : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * The frames of a run, one string each: `status`, then `count` mixed events, then `result` and `done`.
 * Nothing is stored, so a run of any length can be generated.
 */
export function* frames(count, seed = SEED) {
  const next = random(seed);
  let clock = 1713033000000;
  let call = 0;
  const open = [];
  yield frame("status", undefined, { runId: RUN_ID, status: "RUNNING" });
  for (let index = 0; index < count; index++) {
    clock += between(next, 1, 40);
    const id = `${clock}-${index % 3}`;
    const dice = next() * 100;
    if (dice < MIX.assistant) {
      yield frame("assistant", id, { text: delta(next) });
    } else if (dice < MIX.assistant + MIX.thinking) {
      yield frame("thinking", id, { text: delta(next) });
    } else if (dice < MIX.assistant + MIX.thinking + MIX.tool_call) {
      // A call is running first and completed later; about two are open at any time.
      if (open.length > 2 || (open.length > 0 && next() < 0.5)) {
        const running = open.shift();
        yield frame("tool_call", id, {
          ...running,
          status: "completed",
          result: toolResult(next, running.name),
        });
      } else {
        const name = pick(next, TOOLS);
        const running = { callId: `call-${++call}`, name, status: "running", args: toolArgs(next, name) };
        open.push(running);
        yield frame("tool_call", id, running);
      }
    } else {
      yield frame("heartbeat", undefined, {});
    }
  }
  const end = `${clock + 1}-0`;
  yield frame("result", end, {
    runId: RUN_ID,
    status: "FINISHED",
    text: "Done.",
    durationMs: clock - 1713033000000,
  });
  yield frame("done", end, {});
}

/** The bytes of a whole run. */
export function runBytes(count = EVENT_COUNT, seed = SEED) {
  return new TextEncoder().encode([...frames(count, seed)].join(""));
}

/** `bytes` cut every `size` bytes, wherever that falls; each chunk has a buffer of its own, as from a socket. */
export function cut(bytes, size) {
  const chunks = [];
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.slice(start, start + size));
  return chunks;
}

/** A run's chunks of about `size` bytes, generated as they are taken. `onFrames` is told how many frames each holds. */
export function* generatedChunks(count, size, seed = SEED, onFrames = () => {}) {
  const encoder = new TextEncoder();
  let text = "";
  let held = 0;
  for (const piece of frames(count, seed)) {
    text += piece;
    held++;
    if (text.length < size) continue;
    yield encoder.encode(text);
    onFrames(held);
    text = "";
    held = 0;
  }
  if (text !== "") yield encoder.encode(text);
  onFrames(held);
}
