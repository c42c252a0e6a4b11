// Lists: a page, which is also all items of it and of the pages after it.

import { call } from "./call.js";
import { present } from "./defaults.js";
import type { ListOptions, ListResult } from "./types.js";

/** What a list is of. */
export interface ListSpec<T> {
  operation: string;
  path: string;
  agentId?: string | undefined;
  /** More of the query. */
  query?: Record<string, string | number | boolean | undefined> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: items as the service sent them
  item(sent: any): T;
}

/** Asks for a page. */
export async function list<T>(options: ListOptions, spec: ListSpec<T>): Promise<ListResult<T>> {
  const { path, operation, agentId, item } = spec;
  const query = new URLSearchParams();
  const { limit, cursor } = options;
  for (const [name, value] of Object.entries(present({ limit, cursor, ...spec.query })))
    query.set(name, `${value}`);
  const address = query.size > 0 ? `${path}?${query}` : path;
  const page = await call(options, { method: "GET", path: address, operation, agentId, has: "items" });
  const items: T[] = page.items.map(item);
  const nextCursor: string | undefined = page.nextCursor ?? undefined;
  const result = present({ items, nextCursor }) as ListResult<T>;
  // Not a property that anybody sees who looks at the page.
  Object.defineProperty(result, Symbol.asyncIterator, {
    async *value() {
      yield* items;
      for (let next = nextCursor; next !== undefined; ) {
        const more: ListResult<T> = await list({ ...options, cursor: next }, spec);
        yield* more.items;
        // A service that gives the same page again would never come to an end.
        next = more.nextCursor === next ? undefined : more.nextCursor;
      }
    },
  });
  return result;
}
