// Whether this version of runwire reconnects: what needs that is offered only then.

import * as runwire from "runwire";

/** `openRunStream` came together with it. */
export const canResume = "openRunStream" in runwire;
