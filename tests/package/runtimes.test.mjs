// Before a release: every kind of call of the API with the installed package in the other runtimes.

import { before, describe, test } from "node:test";
import { withTourService } from "../lib/api-tour-service.mjs";
import { inProject, printedBy } from "./project.mjs";
import { commands, installRuntimes } from "./runtimes.mjs";

const skip = process.env.RUNWIRE_TEST_RELEASE !== "1" && "before a release only";

describe("the API's calls do what they do in Node", { skip }, () => {
  before(installRuntimes);

  for (const [name, command] of Object.entries(commands)) {
    test(`in ${name}`, () =>
      inProject(`tour-${name.toLowerCase()}`, (dir) =>
        withTourService(({ baseUrl }) => printedBy(dir, [...command, "tour.mjs", baseUrl])),
      ));
  }
});
