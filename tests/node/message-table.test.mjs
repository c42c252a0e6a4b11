// The engine's list of message codes and the facade's are one list.

import { test } from "node:test";
import { compareCodes } from "../lib/tables.mjs";

test("OP in pkg/src/messages/build.ts agrees with Op in src/cloud/message.rs", () => {
  compareCodes("src/cloud/message.rs", "pkg/src/messages/build.ts", 10);
});
