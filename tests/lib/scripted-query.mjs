// An agent without a model: a `query()` of the agent SDK's shape, whose turns are scripts.

/** Members that all of the SDK's messages have. */
const common = (uuid = crypto.randomUUID()) => ({ uuid, session_id: "scripted" });

export const init = (more = {}) => ({
  type: "system",
  subtype: "init",
  cwd: "/w",
  tools: ["Read"],
  mcp_servers: [],
  model: "scripted",
  permissionMode: "default",
  slash_commands: [],
  ...common(),
  ...more,
});

export const info = (content, level = "info") => ({
  type: "system",
  subtype: "informational",
  content,
  level,
  ...common(),
});

/** What a command that needs no model prints. */
export const localCommand = (content) => ({
  type: "system",
  subtype: "local_command_output",
  content,
  ...common(),
});

const streamEvent = (event) => ({ type: "stream_event", event, parent_tool_use_id: null, ...common() });

export const messageStart = (id) =>
  streamEvent({ type: "message_start", message: { id, type: "message", role: "assistant", content: [] } });

export const textDelta = (text, index = 0) =>
  streamEvent({ type: "content_block_delta", index, delta: { type: "text_delta", text } });

export const assistant = (id, ...content) => ({
  type: "assistant",
  message: { id, type: "message", role: "assistant", model: "scripted", content, stop_reason: null },
  parent_tool_use_id: null,
  ...common(),
});

export const toolUse = (id, name, input) => assistant(`msg_${id}`, { type: "tool_use", id, name, input });

export const toolResult = (id, content, isError = false) => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
  parent_tool_use_id: null,
  ...common(),
});

/** The end of a turn that went well. */
export const result = (text, more = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: text,
  num_turns: 1,
  duration_ms: 1,
  duration_api_ms: 1,
  total_cost_usd: 0.01,
  usage: { input_tokens: 1, output_tokens: 1 },
  modelUsage: {
    scripted: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  },
  permission_denials: [],
  ...common(),
  ...more,
});

/** The end of a turn that was interrupted. */
export const interrupted = (more) => {
  const { result: _, ...rest } = result("", more);
  const errors = ["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"];
  return { ...rest, subtype: "error_during_execution", is_error: true, errors };
};

export const suggestion = (text) => ({ type: "prompt_suggestion", suggestion: text, ...common() });

/** A text as it comes: word for word, then the whole message. */
export function* spoken(id, text) {
  yield messageStart(id);
  for (const word of text.match(/\S+\s*/g) ?? []) yield textDelta(word);
  yield assistant(id, { type: "text", text });
}

/** What a user's message says. */
export const wordsOf = ({ message: { content } }) =>
  typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");

let turns = 0;

/** The usual turn: says what it was told. */
export function* echo(message) {
  const words = `You said: ${wordsOf(message)}`;
  yield init();
  yield* spoken(`msg_${++turns}`, words);
  yield result(words);
}

/**
 * A scripted agent. `turn(message, agent, signal)` gives the SDK's messages of a turn, from a generator that may be
 * async; the signal aborts when they are not wanted any more, and `cut()` gives the turn's end where that is an
 * interruption. `agents` are the runs that were begun, each with what it was given and what was done to it.
 */
export function scriptedQuery({ turn = echo, ...controls } = {}) {
  const agents = [];
  const query = ({ prompt, options }) => {
    const agent = new ScriptedAgent(prompt, options, turn, controls);
    agents.push(agent);
    return agent;
  };
  return {
    query,
    agents,
    /** The run that was begun last. */
    get agent() {
      return agents.at(-1);
    },
  };
}

const CLOSED = Symbol("closed");
const INTERRUPTED = Symbol("interrupted");

class ScriptedAgent {
  /** Messages that a turn has taken up. */
  received = [];
  interrupts = 0;
  closed = false;
  #messages;
  #signals = [];
  /** A turn goes on, also while nobody pulls it. */
  #isInTurn = false;
  /** It is to be interrupted, which the next pull shows. */
  #isInterrupted = false;
  #commands;
  #usage;
  #interrupt;
  #cut;

  constructor(prompt, options, turn, { commands = [], usage, interrupt, cut = interrupted }) {
    this.prompt = prompt;
    this.options = options;
    this.#commands = commands;
    this.#usage = usage;
    this.#interrupt = interrupt;
    this.#cut = cut;
    this.#messages = this.#play(turn);
  }

  [Symbol.asyncIterator]() {
    return this.#messages;
  }

  async *#input() {
    if (typeof this.prompt !== "string") return yield* this.prompt;
    yield { type: "user", message: { role: "user", content: this.prompt }, parent_tool_use_id: null };
  }

  async *#play(turn) {
    const input = this.#input();
    for (;;) {
      // Between turns there is nothing to interrupt.
      const next = await this.#unless(input.next(), CLOSED);
      if (next === CLOSED || next.done) return;
      this.received.push(next.value);
      const unwanted = new AbortController();
      const script = turn(next.value, this, unwanted.signal);
      this.#isInTurn = true;
      for (;;) {
        const step = await this.#unless(script.next(), CLOSED, INTERRUPTED);
        if (step === CLOSED || step === INTERRUPTED) unwanted.abort();
        if (step === CLOSED) return;
        if (step === INTERRUPTED) {
          this.#isInTurn = false;
          yield this.#cut();
        }
        if (step === INTERRUPTED || step.done) break;
        yield step.value;
      }
      this.#isInTurn = false;
      this.#isInterrupted = false;
    }
  }

  /** What is waited for, or a signal that comes before. */
  async #unless(work, ...names) {
    const signal = {};
    const signalled = new Promise((resolve) => {
      signal.give = (name) => names.includes(name) && resolve(name);
    });
    this.#signals.push(signal);
    if (this.closed) signal.give(CLOSED);
    if (this.#isInterrupted) signal.give(INTERRUPTED);
    try {
      return await Promise.race([work, signalled]);
    } finally {
      this.#signals.splice(this.#signals.indexOf(signal), 1);
    }
  }

  async interrupt() {
    this.interrupts++;
    this.#isInterrupted ||= this.#isInTurn;
    for (const { give } of [...this.#signals]) give(INTERRUPTED);
    return this.#interrupt ? this.#interrupt() : { still_queued: [] };
  }

  close() {
    this.closed = true;
    for (const { give } of [...this.#signals]) give(CLOSED);
  }

  async supportedCommands() {
    return typeof this.#commands === "function" ? this.#commands() : this.#commands;
  }

  async getContextUsage() {
    if (!this.#usage) throw new Error("cannot tell");
    return typeof this.#usage === "function" ? this.#usage() : this.#usage;
  }
}

/** Holds a turn at a place until it is let go. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
