// The page of api-tour.test.mjs: all calls, by the relay's path on the page's own origin.

import { tour } from "../../package/programs/api-tour.mjs";
import { report } from "./report.mjs";

await report(() => tour("/api"));
