// Every kind of call of the API with the installed package, over HTTP, in Node and in workerd.

import { test } from "node:test";
import { withTourService } from "../lib/api-tour-service.mjs";
import { inProject, printedBy } from "./project.mjs";
import { answerOfWorker } from "./worker.mjs";

test("the API's calls do in Node what they are to do", () =>
  inProject("tour-node", (dir) =>
    withTourService(({ baseUrl }) =>
      printedBy(dir, [process.execPath, "--no-warnings", "tour.mjs", baseUrl]),
    ),
  ));

test("the API's calls do in workerd what they do in Node", () =>
  inProject("tour-workerd", (dir) =>
    withTourService(({ baseUrl }) => answerOfWorker(dir, "tour-worker.mjs", `?service=${baseUrl}`)),
  ));
