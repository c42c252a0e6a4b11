// What `Cursor.configure` has set, for all calls that do not say otherwise.

import { checkOptions, type RetryOptions } from "../run/follow-options.js";
import type { RequestOptions } from "../run/transport.js";

/** What `Cursor.configure` takes. */
export interface CursorOptions extends Omit<RequestOptions, "lastEventIdIn"> {
  /** When to try again, and when to give up. */
  retry?: RetryOptions | undefined;
}

let defaults: CursorOptions = {};

/** Sets defaults that the options of each call override; in place of those that were set before. */
export function configure(options: CursorOptions): void {
  checkOptions(options, "Cursor.configure");
  defaults = { ...options };
}

/** Options with the defaults for what they leave out. */
export function withDefaults<T extends RequestOptions & { retry?: RetryOptions | undefined }>(options: T): T {
  const all = { ...defaults, ...present(options) };
  all.retry = { ...defaults.retry, ...present(options.retry ?? {}) };
  return all as T;
}

/** What of an object is there. */
export function present<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null)) as T;
}
