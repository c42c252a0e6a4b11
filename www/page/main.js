// The page: starts runs, follows one at a time, and shows what is known of it once an animation frame.

import { showOnOneLine } from "../shared/controls.mjs";
import { byId, setText } from "./dom.js";
import { FollowedRun } from "./follow.js";
import { frameLoop } from "./frames.js";
import { RunModel } from "./model.js";
import { expectedOf, injectFault, startRun } from "./service.js";
import { forget, remember, remembered } from "./session.js";
import { Announcer, Milestones } from "./views/announcer.js";
import { Controls } from "./views/controls.js";
import { ending } from "./views/ending.js";
import { Gauges, stateOf, stateWord } from "./views/gauges.js";
import { setUpTheme } from "./views/theme.js";
import { Timeline, TimelineTable } from "./views/timeline.js";
import { ToolList } from "./views/tools.js";
import { Transcript } from "./views/transcript.js";

/** The run that is shown, and what it was started with. */
let followed;
let chosen;
/** The page is being left or reloaded. */
let leaving = false;
/** How often Start was pressed: only the last counts. */
let starts = 0;

const announcer = new Announcer(byId("announcer"));
const milestones = new Milestones(announcer);
const gauges = new Gauges();
const transcript = new Transcript(byId("transcript"), byId("latest"));
const tools = new ToolList(byId("tools"), byId("tally"));
const timeline = new Timeline(byId("chart"));
const table = new TimelineTable(byId("table-details"), byId("table"), () => followed?.model);
const controls = new Controls({ start, stop, fault });
setUpTheme(byId("theme"));

const frames = frameLoop(() => {
  if (!followed) return;
  gauges.update(followed);
  transcript.update();
  tools.update();
  timeline.update(followed);
  milestones.update(followed);
  document.title = `${stateWord(stateOf(followed))} – runwire`;
});

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

/** @param {import("./session.js").Remembered} from */
async function follow({ ids, scenario, pace, token, ...earlier }) {
  chosen = { scenario, pace };
  const model = token === undefined ? undefined : RunModel.from(earlier.model);
  const mine = new FollowedRun(ids, model ? { ...earlier, model } : {});
  followed = mine;
  remember({ ids, ...chosen });
  gauges.reset();
  transcript.reset(mine.model);
  tools.reset(mine.model);
  timeline.reset();
  milestones.reset();
  controls.update(true);
  announcer.say("Run started");
  frames.start();
  const { kind, error } = await mine.follow(model ? token : undefined);
  if (followed !== mine || leaving) return;
  forget();
  controls.update(false);
  if (kind === "lost") complain(`The run could not be followed to its end: ${messageOf(error)}`);
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
  announcer.say(`${stateWord(stateOf(mine))}. ${byId("checksum").textContent}`);
}

async function stop() {
  announcer.say("Stopping");
  try {
    await followed?.stop();
  } catch (error) {
    complain(`The run could not be stopped: ${messageOf(error)}`);
  }
}

async function fault(id) {
  try {
    await injectFault(followed.ids.runId, id);
  } catch (error) {
    complain(`That did not work: ${messageOf(error)}`);
  }
}

/** What went wrong, where all can see it; nothing takes it away. @param {string | undefined} text */
function complain(text) {
  const notice = byId("notice");
  notice.hidden = text === undefined;
  setText(notice, text === undefined ? "" : showOnOneLine(text));
}

function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** A reload goes on where this page is; without a token the run is followed from its start again. */
addEventListener("pagehide", () => {
  // What fails from now on fails because the browser takes the page down.
  leaving = true;
  if (!followed || followed.outcome) return;
  const { ids, resumeToken: token, model, elapsed, bytes } = followed;
  const seen = token === undefined ? {} : { token, model: model.snapshot(), elapsed, bytes };
  remember({ ids, ...chosen, ...seen });
});

addEventListener("pageshow", () => {
  leaving = false;
});

const earlier = remembered();
if (earlier) {
  controls.choose(earlier.scenario, earlier.pace);
  follow(earlier);
}
