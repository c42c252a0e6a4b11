// Resume tokens in the middle of what was handed over: how far in, and skipping so far again.
//
// The engine's token stands between two hand-overs. What was read of the later one is put before it
// as amounts, not as a count of messages: the service may divide text differently next time.

import type { SDKAssistantMessage, SDKMessage } from "../messages/types.js";
import type { RunEvent } from "../messages/wire.js";

type Item = SDKMessage | RunEvent;

/** What text is told apart: by message or frame, and by `type` in updates. */
const CHANNELS: readonly string[] = ["assistant", "thinking", "text-delta", "thinking-delta"];
/** How many kinds there are: the last is of items without a text of their own. */
const KINDS = CHANNELS.length + 1;
const OTHERS = KINDS - 1;
/** Where unknown items are counted, which may be the connection's: skipped when they come again, not waited for. */
const UNKNOWN = 2 * KINDS;

/** The longest status that a token keeps. */
const LONGEST_STATUS = 64;

/** How far a run's status has come, beginning without one; what is not here is further. */
const STATUSES = ["", "CREATING", "RUNNING"];

/** What was read. */
export class Amounts {
  /** UTF-16 units of each kind of text, and the number of other items; hashes of what they were; {@link UNKNOWN}. */
  numbers: number[] = Array(UNKNOWN + 1).fill(0);
  /** The last status, empty without one. */
  status = "";

  get isNothing(): boolean {
    return !this.numbers.some(Boolean);
  }

  /** Adds an item, or what of its text there may be `most` of; says how much was added. */
  add(item: Item, most: number[] | undefined): number {
    const { numbers } = this;
    const text = textOf(item);
    const kind = text ? text.channel : item.type === "unknown" ? UNKNOWN : OTHERS;
    const length = text ? text.holder.text.length : 1;
    const added = most ? Math.min(length, most[kind]! - numbers[kind]!) : length;
    const what = text ? text.holder.text.slice(0, added) : JSON.stringify(item);
    if (added > 0 && kind < KINDS) numbers[KINDS + kind] = hash(what, numbers[KINDS + kind]!);
    numbers[kind]! += added;
    return added;
  }
}

/** A token's two parts, if it is one of this run. What is not is left whole: the engine will not know it. */
export function partsOf(token: string, runId: string): [engine: string, amounts: Amounts] {
  const amounts = new Amounts();
  const parts = token.split(".");
  const [check, numbers, status, engine] = parts as [string, string, string, string];
  if (parts.length !== 4 || check !== `${hash(parts.slice(1).join() + runId)}`)
    return [token || "-", amounts];
  amounts.numbers = numbers.split("-").map(Number);
  amounts.status = decodeURIComponent(status);
  return [engine, amounts];
}

/** The token of who stands at the engine's token, and has read so much since. */
export function tokenOf(engine: string, { numbers, status }: Amounts, runId: string): string {
  const text = encodeURIComponent(status);
  const parts = [numbers.join("-"), text.length > LONGEST_STATUS ? "" : text, engine];
  return [hash(parts.join() + runId), ...parts].join(".");
}

/** The token of who has read `items` since `token`. */
export function tokenAfter(token: string, items: readonly Item[], runId: string): string {
  const [engine, amounts] = partsOf(token, runId);
  for (const item of items) {
    const status = statusOf(item);
    if (status !== undefined) amounts.status = status;
    else if (!isOfConnection(item)) amounts.add(item, undefined);
  }
  return tokenOf(engine, amounts, runId);
}

/** Whether an item is a status that says no more than `told`. */
export function isTold(item: Item, told: string): boolean {
  const status = statusOf(item);
  return status !== undefined && (rank(status) < rank(told) || status === told);
}

/**
 * Skips what was read before a token was taken. Nothing is given away before that has proved to be the same: else
 * everything is new, and a warning says so.
 */
export class Skipper<T extends Item> {
  readonly #wanted: Amounts;
  readonly #seen = new Amounts();
  /** All that has come, and what of it is new. */
  #held: T[] = [];
  #rest: T[] = [];

  constructor(wanted: Amounts) {
    this.#wanted = wanted;
  }

  /** What is to be given of `items` now; `undefined` while there is more to skip. */
  take(items: readonly T[]): T[] | undefined {
    const { numbers } = this.#wanted;
    for (const item of items) {
      this.#held.push(item);
      const isOurs = statusOf(item) === undefined && !isOfConnection(item);
      const added = isOurs ? this.#seen.add(item, numbers) : 0;
      const text = textOf(item);
      if (added === 0) this.#rest.push(item);
      else if (text && added < text.holder.text.length) {
        const rest = structuredClone(item);
        textOf(rest)!.holder.text = text.holder.text.slice(added);
        this.#rest.push(rest);
      }
    }
    const seen = this.#seen.numbers;
    if (numbers.slice(0, KINDS).some((count, kind) => seen[kind]! < count)) return undefined;
    return numbers.slice(0, UNKNOWN).join() === seen.slice(0, UNKNOWN).join() ? this.#rest : this.all();
  }

  /** What has come, when it is not what it should be. */
  all(): T[] {
    return this.#held;
  }

  /** Whether what is given is not what was to be skipped. */
  isOther(given: T[]): boolean {
    return given === this.#held && given.length > 0;
  }
}

/** What holds the text of a delta that is nothing else, and which text it belongs to. */
function textOf(item: Item): { holder: { text: string }; channel: number } | undefined {
  const isFrame = "data" in item;
  // biome-ignore lint/suspicious/noExplicitAny: what it is, is looked at here
  let holder: any = isFrame ? item.data : item;
  let { type } = item as { type: string };
  if (type === "interaction_update") type = holder?.type;
  else if (type === "assistant" && !isFrame) {
    const { content } = (item as SDKAssistantMessage).message;
    holder = content.length === 1 && content[0];
  }
  const channel = CHANNELS.indexOf(type);
  const isText = channel >= 0 && typeof holder?.text === "string" && holder.text !== "";
  return isText && !("thinking_duration_ms" in holder) ? { holder, channel } : undefined;
}

function statusOf(item: Item): string | undefined {
  if (item.type !== "status") return undefined;
  return String("data" in item ? item.data?.status : item.status);
}

function rank(status: string): number {
  return STATUSES.indexOf(status) >>> 0;
}

/** A frame that each connection may bring again. */
function isOfConnection(item: Item): boolean {
  return ("id" in item && item.type === "unknown" && !item.id) || /^(heartbeat|error|done)$/.test(item.type);
}

/** Tells what was from what has become of it. */
function hash(text: string, from = 0): number {
  let state = from;
  for (let at = 0; at < text.length; at++)
    state = (Math.imul(state ^ text.charCodeAt(at), 0x01000193) + 1) >>> 0;
  return state;
}
