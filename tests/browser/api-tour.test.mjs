// Every kind of call of the API in a browser, from a page to its own server.

import { join } from "node:path";
import { test } from "node:test";
import { withTourService } from "../lib/api-tour-service.mjs";
import { outcomeInPage } from "../lib/bundled-page.mjs";

const page = join(import.meta.dirname, "pages", "api-tour.mjs");

test("the API's calls do in a page what they do in Node", () =>
  // What is refused, cut and given up shows on the browser's console.
  withTourService(
    ({ serve: answer }) => outcomeInPage(page, { answer, expected: ["/api/v1/", "status of", "net::ERR"] }),
    {
      isPage: true,
    },
  ));
