// Where a session's events come from.

import type { Normalized } from "./normalizer.js";
import type { ContextUsage, SlashCommand } from "./types.js";

/** A session behind whatever it is reached by. */
export interface SessionSource {
  /** The next events, `undefined` at the end; called again only when it has settled. */
  next(): Promise<Normalized | undefined>;
  /** Ends the session: at once, and without throwing. */
  close(): void;
  /** Stops reading, where that is not the session's end. */
  leave?(): void;
  interrupt(): Promise<unknown>;
  supportedCommands(): Promise<SlashCommand[]>;
  contextUsage(): Promise<ContextUsage | null>;
  /** The session's id with its host. */
  readonly sessionId?: Promise<string>;
  /** The place of who has read so many of what {@link next} gave last. */
  token?(read: number): string;
}
