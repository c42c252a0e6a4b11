// The models, apart: creating an agent asks for them, too.

import { type CallOptions, call } from "./call.js";
import type { SDKModel } from "./types.js";

/** The models that an agent can be created with. */
export function listModels(options: CallOptions = {}): Promise<SDKModel[]> {
  return items(options, "/v1/models", "Cursor.models.list");
}

/** The items of a list that comes whole. */
export async function items<T>(options: CallOptions, path: string, operation: string): Promise<T[]> {
  return (await call(options, { method: "GET", path, operation, has: "items" })).items;
}
