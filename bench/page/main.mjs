// The page of the bench: it waits to be told which case to run.

import { runCase } from "../lib/in-engine.mjs";

globalThis.runCase = runCase;
