// Imports every entry, and says what that alone called.

import * as main from "runwire";
import * as host from "runwire/host";
import * as kit from "runwire/kit";
import * as sse from "runwire/sse";
import * as testing from "runwire/testing";

globalThis.outcome = {
  calls: [...(globalThis.callsAtImport ?? ["nothing was watched"])],
  exported: [main, host, kit, sse, testing].map((entry) => Object.keys(entry).length),
};
globalThis.process?.stdout.write(JSON.stringify(globalThis.outcome));

/** In workerd, which itself refuses such calls outside a request, getting this far is the test. */
export default { fetch: () => Response.json(globalThis.outcome.exported) };
