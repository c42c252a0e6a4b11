// Resume tokens in the middle of what was handed over: how far in, and skipping so far again.
//
// The engine's token stands between two hand-overs. What was read of the later one is added as
// amounts, not as a count of messages: the service may divide text differently next time.

import type { SDKMessage } from "../messages/types.js";
import type { RunEvent } from "../messages/wire.js";

type Item = SDKMessage | RunEvent;

/** What was read: UTF-16 units of text, the number of other messages, and the last status. */
export type Amounts = [assistant: number, thinking: number, others: number, status: string];

/** A token's two parts. */
export function partsOf(token: string): [engine: string, amounts: Amounts | undefined] {
  const [engine = "", assistant, thinking, others, status = ""] = token.split(".");
  const counts = [Number(assistant), Number(thinking), Number(others)] as const;
  if (assistant === undefined || !counts.every(Number.isSafeInteger)) return [engine, undefined];
  return [engine, [...counts, decodeURIComponent(status)]];
}

/** The token of who has read so much since `token`. */
export function addAmounts(token: string, amounts: Amounts | undefined): string {
  if (!amounts || isNothing(amounts)) return token;
  const [engine, before = [0, 0, 0, ""]] = partsOf(token);
  const [assistant, thinking, others] = [0, 1, 2].map((n) => (before[n] as number) + (amounts[n] as number));
  return [engine, assistant, thinking, others, encodeURIComponent(amounts[3] || before[3])].join(".");
}

/** How much it is that was read. */
export function amountsOf(items: readonly Item[]): Amounts {
  const amounts: Amounts = [0, 0, 0, ""];
  for (const item of items) {
    const text = textOf(item);
    const status = statusOf(item);
    if (text) amounts[text.channel] += text.holder.text.length;
    else if (status !== undefined) amounts[3] = status;
    else if (!isOfConnection(item)) amounts[2]++;
  }
  return amounts;
}

export function isNothing(amounts: Amounts): boolean {
  return !amounts.some(Boolean);
}

/** What is left of `items` when so much has been skipped, which is taken off `amounts`. */
export function skip<T extends Item>(items: readonly T[], amounts: Amounts): T[] {
  return items.filter((item) => {
    const text = textOf(item);
    const status = statusOf(item);
    if (text) {
      const { holder, channel } = text;
      const skipped = Math.min(amounts[channel], holder.text.length);
      amounts[channel] -= skipped;
      if (skipped > 0) holder.text = holder.text.slice(skipped);
      return holder.text !== "";
    }
    if (status !== undefined) {
      const same = status === amounts[3];
      if (same) amounts[3] = "";
      return !same;
    }
    if (amounts[2] === 0 || isOfConnection(item)) return true;
    amounts[2]--;
    return false;
  });
}

/** What holds the text of a delta that is nothing else, and which text it belongs to. */
function textOf(item: Item): { holder: { text: string }; channel: 0 | 1 } | undefined {
  let holder: { text?: unknown } | undefined;
  if (item.type === "assistant") {
    const blocks = "message" in item ? item.message.content : [item.data];
    if (blocks.length === 1) holder = blocks[0] as { text?: unknown };
  } else if (item.type === "thinking") {
    holder = "data" in item ? item.data : item;
    if ("thinking_duration_ms" in holder) return undefined;
  }
  if (typeof holder?.text !== "string" || holder.text === "") return undefined;
  return { holder: holder as { text: string }, channel: item.type === "assistant" ? 0 : 1 };
}

function statusOf(item: Item): string | undefined {
  if (item.type !== "status") return undefined;
  return String("data" in item ? item.data?.status : item.status);
}

/** A frame that each connection may bring again. */
function isOfConnection(item: Item): boolean {
  return "data" in item && ["heartbeat", "error", "done"].includes(item.type);
}
