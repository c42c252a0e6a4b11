// The page of session-tour.test.mjs.

import { agent } from "../../lib/tool-session.mjs";
import { sessionTour } from "../../package/programs/session-tour.mjs";
import { report } from "./report.mjs";

await report(() => sessionTour("/agent", agent()));
