// The view of runs: starts them, follows one at a time, and shows what is known of it once an animation frame.

import { faults } from "../scenarios.mjs";
import { messageOf } from "../shared/reason.mjs";
import { byId, showNotice } from "./dom.js";
import { FollowedRun } from "./follow.js";
import { frameLoop } from "./frames.js";
import { whenLeaving } from "./leaving.js";
import { setTitle, whenFirstShown } from "./place.js";
import { expectedOf, injectFault, startRun } from "./service.js";
import { tabStorage } from "./tab-storage.js";
import { Announcer, Milestones } from "./views/announcer.js";
import { Controls } from "./views/controls.js";
import { ending } from "./views/ending.js";
import { Gauges, stateOf, stateWord } from "./views/gauges.js";
import { viewOf } from "./views/run-parts.js";
import { setUpTheme } from "./views/theme.js";
import { Timeline, TimelineTable } from "./views/timeline.js";
import { ToolList } from "./views/tools.js";
import { Transcript } from "./views/transcript.js";

/**
 * @typedef {object} Remembered
 * @property {{ agentId: string, runId: string }} ids
 * @property {string} scenario
 * @property {string} pace
 * @property {import("./follow.js").Seen} [seen] what had been seen of it; without it is replayed from its start
 */

/** @type {ReturnType<typeof tabStorage<Remembered>>} */
const { remember, remembered, forget } = tabStorage("runwire:run", ({ seen, ...rest }) => rest);

/** The run that is shown, and what it was started with. */
let followed;
let chosen;
/** How often Start was pressed: only the last counts. */
let starts = 0;

const leaving = whenLeaving(rememberSeen);
const announcer = new Announcer(byId("announcer"));
const milestones = new Milestones(announcer);
const gauges = new Gauges();
const transcript = new Transcript(byId("transcript"), byId("latest"), viewOf);
const tools = new ToolList(byId("tools"), byId("tally"));
const timeline = new Timeline(byId("chart"));
const table = new TimelineTable(byId("table-details"), byId("table"), () => followed?.model);
const controls = new Controls({ start, stop, fault });
setUpTheme(byId("theme"));

const frames = frameLoop(draw);

function draw() {
  if (!followed) return;
  gauges.update(followed);
  transcript.update();
  tools.update();
  timeline.update(followed);
  controls.update(followed);
  milestones.update(followed);
  setTitle("run", `${stateWord(stateOf(followed))} – runwire`);
}

async function start(scenario, pace) {
  complain(undefined);
  followed?.leave();
  const mine = ++starts;
  try {
    const ids = await startRun(scenario, pace);
    if (mine === starts) await follow({ ids, scenario, pace });
  } catch (error) {
    complain(`The run could not be started: ${messageOf(error)}`);
  }
}

/** @param {Remembered} from */
async function follow({ ids, scenario, pace, seen }) {
  chosen = { scenario, pace };
  const mine = new FollowedRun(ids, seen);
  followed = mine;
  remember({ ids, ...chosen, seen });
  gauges.reset(controls.describe(scenario, pace));
  transcript.reset(mine.model);
  tools.reset(mine.model);
  timeline.reset();
  milestones.reset(mine.model);
  announcer.say(seen ? "Going on with the run" : "Run started");
  frames.start();
  const { kind, error } = await mine.follow((reason) => {
    if (followed === mine && !leaving.now) complain(streamLost(reason));
  });
  if (followed !== mine || leaving.now) return;
  forget();
  if (kind === "ended" && mine.streamError) complain(streamLost(mine.streamError, "told how it ended"));
  if (kind === "lost") complain(`How the run ends could not be found out: ${messageOf(error)}`);
  gauges.expect(
    await expectedOf(ids.runId).then(
      ({ assistant }) => assistant,
      () => undefined,
    ),
  );
  if (followed !== mine) return;
  frames.stop();
  if (kind === "ended") transcript.append(ending(mine));
  table.update(mine.model);
  announcer.say(gauges.summary(mine));
}

function streamLost(reason, record = "is asked how it ends") {
  const why =
    reason?.name === "StreamExpiredError"
      ? "The service no longer keeps this run's stream"
      : messageOf(reason);
  return `${why}: the rest of its text is missing here. The run's record ${record}.`;
}

async function stop() {
  const mine = followed;
  announcer.say("Stopping");
  try {
    const stopped = mine.stop();
    draw();
    await stopped;
    if (mine === followed && !mine.streamError) complain(undefined);
  } catch (error) {
    // Of a run that is no longer followed nobody wants to hear.
    if (mine === followed && !leaving.now) complain(`The run could not be stopped: ${messageOf(error)}`);
  }
}

async function fault(id) {
  try {
    await injectFault(followed.ids.runId, id);
    const { label } = faults.find((offer) => offer.id === id);
    announcer.say(`Done: ${label}`);
  } catch (error) {
    complain(`That did not work: ${messageOf(error)}`);
  }
}

/** @param {string | undefined} text */
function complain(text) {
  showNotice(byId("notice"), text);
}

/** A reload goes on where this page is. */
function rememberSeen() {
  if (!followed || followed.outcome) return;
  remember({ ids: followed.ids, ...chosen, seen: followed.snapshot() });
}

const earlier = remembered();
if (earlier) {
  controls.choose(earlier.scenario, earlier.pace);
  follow(earlier);
}

// Nothing of it is loaded before somebody wants to see it.
whenFirstShown("chat", () => import("./chat/main.js"));
