// init: loading the engine on purpose. Apart from the instance, so that public types stay small.

import { load, ready } from "./instance.js";
import type { EngineInput } from "./source.js";

/**
 * Loads the engine. Only needed to load it early, to load it from elsewhere, or before something
 * synchronous such as `new EventStreamDecoder()`: everything asynchronous does it by itself.
 *
 * @param input where to load it from; by default what the package's entry for this runtime knows
 */
export async function init(input?: EngineInput): Promise<void> {
  if (input !== undefined) await load(input);
  else await ready();
}
