// What a session of the scripted agent has used, and how full its context is. Made up, but it adds up.

const CONTEXT_SIZE = 20_000;
/** What the agent is told before anybody says anything. */
const SYSTEM_PROMPT = 3_200;
/** What a turn brings besides its texts, such as the files around those that are shown. */
const TURN = 900;
const COMPACTED = SYSTEM_PROMPT + 1_000;
/** Dollars a token. */
const [INPUT_PRICE, CACHE_PRICE, OUTPUT_PRICE] = [3e-6, 3e-7, 15e-6];

export class Figures {
  #context = SYSTEM_PROMPT;
  #input = 0;
  #fromCache = 0;
  #output = 0;
  #numbers = 0;

  /** A number that the session has not had. */
  nextNumber() {
    return ++this.#numbers;
  }

  /** A turn begins: the model reads all that there is, most of it from the cache. */
  beginTurn() {
    this.#fromCache += this.#context;
    this.read(TURN);
  }

  /** @param {number} tokens */
  read(tokens) {
    this.#input += tokens;
    this.#context += tokens;
  }

  /** @param {number} tokens */
  wrote(tokens) {
    this.#output += tokens;
    this.#context += tokens;
  }

  /** Reads until there is more than the context holds. */
  fill() {
    this.read(Math.max(0, CONTEXT_SIZE * 1.12 - this.#context));
  }

  compact() {
    this.#context = COMPACTED;
  }

  /** @returns {import("runwire/kit").ContextUsage} */
  get context() {
    const totalTokens = Math.round(this.#context);
    return {
      percentage: Math.round((100 * totalTokens) / CONTEXT_SIZE),
      totalTokens,
      maxTokens: CONTEXT_SIZE,
    };
  }

  /** As members of a turn's result; the session's so far, as the SDK counts. */
  get usage() {
    const [input, fromCache, output] = [this.#input, this.#fromCache, this.#output].map(Math.round);
    const scripted = {
      inputTokens: input,
      outputTokens: output,
      cacheReadInputTokens: fromCache,
      cacheCreationInputTokens: 0,
    };
    const cost = input * INPUT_PRICE + fromCache * CACHE_PRICE + output * OUTPUT_PRICE;
    return { modelUsage: { scripted }, total_cost_usd: cost };
  }
}
