// Resume tokens in the middle of what was handed over: how far in, and skipping so far again.
//
// The engine's token stands between two hand-overs. What was read of the later one is put before it
// as amounts, not as a count of messages: the service may divide text differently next time.

import type { SDKAssistantMessage, SDKMessage } from "../messages/types.js";
import type { RunEvent } from "../messages/wire.js";

type Item = SDKMessage | RunEvent;

/** What was read. */
export interface Amounts {
  /** UTF-16 units of the text of each of {@link CHANNELS}, and numbers of other items. */
  counts: number[];
  /** The last status, empty without one. */
  status: string;
}

/** What text is told apart: by message or frame, and by `type` in updates. */
const CHANNELS: readonly string[] = ["assistant", "thinking", "text-delta", "thinking-delta"];
/** Where items without a text of their own are counted. */
const OTHERS = CHANNELS.length;
/** And those of unknown names, which may be the connection's: they must not stand for what is the run's. */
const UNKNOWN = OTHERS + 1;

/** The longest status that a token keeps. */
const LONGEST_STATUS = 64;

/** How far a run's status has come, beginning without one; what is not here is further. */
const STATUSES = ["", "CREATING", "RUNNING"];

/** A token's two parts. What is damaged is left whole: the engine will not know it. */
export function partsOf(token: string): [engine: string, amounts: Amounts | undefined] {
  const parts = token.split(".");
  const [check, counts, status, engine] = parts as [string, string, string, string];
  if (parts.length !== 4 || check !== checksum(parts.slice(1))) return [token, undefined];
  return [engine, { counts: counts.split("-").map(Number), status: decodeURIComponent(status) }];
}

/** The token of who has read so much since `token`. */
export function addAmounts(token: string, amounts: Amounts | undefined): string {
  if (!amounts || isNothing(amounts)) return token;
  const [engine, before = nothing()] = partsOf(token);
  const counts = before.counts.map((count, at) => count + amounts.counts[at]!).join("-");
  const status = encodeURIComponent(amounts.status || before.status);
  const parts = [counts, status.length > LONGEST_STATUS ? "" : status, engine];
  return [checksum(parts), ...parts].join(".");
}

/** How much it is that was read. */
export function amountsOf(items: readonly Item[]): Amounts {
  const amounts = nothing();
  for (const item of items) {
    const text = textOf(item);
    const status = statusOf(item);
    if (text) amounts.counts[text.channel]! += text.holder.text.length;
    else if (status !== undefined) amounts.status = status;
    else if (!isOfConnection(item)) amounts.counts[kindOf(item)]!++;
  }
  return amounts;
}

function nothing(): Amounts {
  return { counts: Array(UNKNOWN + 1).fill(0), status: "" };
}

export function isNothing({ counts, status }: Amounts): boolean {
  return status === "" && !counts.some(Boolean);
}

/** What is left of `items` when so much has been skipped, which is taken off `amounts`. */
export function skip<T extends Item>(items: readonly T[], amounts: Amounts): T[] {
  return items.filter((item) => {
    const text = textOf(item);
    const status = statusOf(item);
    if (text) {
      const { holder, channel } = text;
      const skipped = Math.min(amounts.counts[channel]!, holder.text.length);
      amounts.counts[channel]! -= skipped;
      if (skipped > 0) holder.text = holder.text.slice(skipped);
      return holder.text !== "";
    }
    if (status !== undefined) {
      if (rank(status) < rank(amounts.status)) return false;
      if (status !== amounts.status) return true;
      amounts.status = "";
      return false;
    }
    const kind = kindOf(item);
    if (isOfConnection(item) || !amounts.counts[kind]) return true;
    amounts.counts[kind]--;
    return false;
  });
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

function kindOf(item: Item): number {
  return item.type === "unknown" ? UNKNOWN : OTHERS;
}

/** A frame that each connection may bring again. */
function isOfConnection(item: Item): boolean {
  return ("id" in item && item.type === "unknown" && !item.id) || /^(heartbeat|error|done)$/.test(item.type);
}

/** Tells a token from what it has become on its way. */
function checksum(parts: string[]): string {
  let hash = 0;
  for (const char of parts.join()) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) + 1;
  return `${hash >>> 0}`;
}
