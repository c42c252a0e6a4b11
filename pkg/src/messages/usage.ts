// Tokens used: of a turn, and added up along a run.

import type { TokenUsage } from "./types.js";

const COUNTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

/** The usage that these counts make, in the order of {@link COUNTS}. */
export function usageOf(counts: number[]): TokenUsage {
  const [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = counts as [
    number,
    number,
    number,
    number,
  ];
  const totalTokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, totalTokens };
}

/** The usage that a turn's end reports; nothing where counts are missing, as `update` in src/cloud/message.rs has it. */
// biome-ignore lint/suspicious/noExplicitAny: it is as the service sent it
export function usageIn(reported: any): TokenUsage | undefined {
  const counts = COUNTS.map((name) => reported?.[name]);
  if (counts.some((count) => typeof count !== "number")) return undefined;
  const usage = usageOf(counts);
  if (typeof reported.reasoningTokens === "number") usage.reasoningTokens = reported.reasoningTokens;
  return usage;
}

/** What turns have used together. Never changed: who counts on makes another. */
export interface Tally {
  /** How many turns have reported. */
  readonly turns: number;
  readonly usage: TokenUsage | undefined;
}

export const NO_TURNS: Tally = { turns: 0, usage: undefined };

/** With one turn more. */
export function tallied(tally: Tally, turn: TokenUsage): Tally {
  const usage = { ...tally.usage } as TokenUsage;
  for (const name of Object.keys(turn) as (keyof TokenUsage)[])
    usage[name] = (usage[name] ?? 0) + turn[name]!;
  return { turns: tally.turns + 1, usage };
}

/** Is told what a turn used; without it, that all turns are told again from the run's start. */
export type Used = (turn?: TokenUsage) => void;
