// Sessions in a browser, in each of the ways in which there are sessions: from a page to a host on its own origin.

import { join } from "node:path";
import { test } from "node:test";
import { outcomeInPage } from "../lib/bundled-page.mjs";
import { withSessionService } from "../lib/session-service.mjs";

const page = join(import.meta.dirname, "pages", "session-tour.mjs");

test("sessions are in a page what they are in Node", () =>
  // What is left, and what is not there, shows on the browser's console.
  withSessionService(({ serve: answer }) =>
    outcomeInPage(page, { answer, expected: ["/agent/sessions", "status of", "net::ERR"] }),
  ));
