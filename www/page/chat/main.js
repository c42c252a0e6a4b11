// The view of a session with an agent: begins one or joins the one that was left, and shows what is known of it.

import { sessionFaults } from "../../scenarios.mjs";
import { messageOf } from "../../shared/reason.mjs";
import { byId, el, enable, isEnabled, showNotice } from "../dom.js";
import { frameLoop } from "../frames.js";
import { whenLeaving } from "../leaving.js";
import { setTitle } from "../place.js";
import { injectSessionFault } from "../service.js";
import { tabStorage } from "../tab-storage.js";
import { Announcer, ConnectionNews } from "../views/announcer.js";
import { Transcript } from "../views/transcript.js";
import { ChatSession } from "./session.js";
import { Composer } from "./views/composer.js";
import { Figures, stateWord } from "./views/figures.js";
import { TurnNews } from "./views/news.js";
import { viewOf } from "./views/parts.js";

/** @type {ReturnType<typeof tabStorage<import("./session.js").Seen>>} */
const { remember, remembered, forget } = tabStorage("runwire:chat", ({ session, mode }) => ({
  session,
  mode,
}));

/** The session that is shown. @type {ChatSession} */
let chat;
/** There is something new to show. */
let isNew = false;

const leaving = whenLeaving(rememberSeen);
const announcer = new Announcer(byId("announcer"));
const connectionNews = new ConnectionNews(announcer);
const turnNews = new TurnNews(announcer);
const transcript = new Transcript(byId("chat-transcript"), byId("chat-latest"), viewOf);
const figures = new Figures();
const composer = new Composer({ say, stop, plan }, announcer);
const end = byId("chat-end");
const faults = sessionFaults.map(({ id, label, about }) => {
  const button = el("button", { type: "button", title: about, "data-session-fault": id }, label);
  button.addEventListener("click", () => isEnabled(button) && fault(id, label));
  return button;
});

const frames = frameLoop(draw);

function changed() {
  isNew = true;
  frames.start();
}

/** Goes on for a frame after the last change, and while the time until the next attempt runs out. */
function draw() {
  const goesOn = isNew || chat.connection.current.state === "waiting";
  isNew = false;
  figures.update(chat);
  transcript.update();
  composer.update(chat);
  connectionNews.update(chat.connection);
  turnNews.update(chat.model);
  for (const button of [end, ...faults]) enable(button, !chat.outcome);
  setTitle("chat", `${stateWord(chat.state)} – runwire`);
  return goesOn;
}

/** @param {import("./session.js").Seen} [seen] by an earlier page */
async function begin(seen) {
  chat?.leave();
  complain(undefined);
  const mine = new ChatSession(() => mine === chat && changed(), seen);
  chat = mine;
  transcript.reset(mine.model);
  connectionNews.reset();
  turnNews.reset(mine.model);
  announcer.say(seen ? "Joined the session again" : "Session begun");
  changed();
  const { kind, error } = await mine.follow(rememberSeen);
  if (mine !== chat || leaving.now) return;
  forget();
  if (kind === "gone") complain("The host no longer has this session. Begin a new one to go on.");
  if (kind === "failed") complain(`The session has failed: ${messageOf(error)}. Begin a new one to go on.`);
  if (kind === "over") announcer.say("The session has ended");
}

function say(text) {
  chat.say(text);
  rememberSeen();
  complain(undefined);
}

async function stop() {
  announcer.say("Stopping");
  await attempt(chat.stop(), "The turn could not be stopped");
}

function plan(on) {
  chat.mode.set(on ? "plan" : "interactive");
  announcer.say(on ? "Plan mode from the next message on" : "Plan mode is over with the next message");
  changed();
}

async function fault(id, label) {
  await attempt(injectSessionFault(id), "That did not work");
  announcer.say(`Done: ${label}`);
}

/** Says so when something fails, unless nobody wants to hear of it any more. */
async function attempt(work, failure) {
  const mine = chat;
  try {
    await work;
  } catch (error) {
    if (mine === chat && !leaving.now) complain(`${failure}: ${messageOf(error)}`);
  }
}

/** @param {string | undefined} text */
function complain(text) {
  showNotice(byId("chat-notice"), text);
}

/** A reload goes on where this page is. */
function rememberSeen() {
  const seen = chat.outcome ? undefined : chat.snapshot();
  if (seen) remember(seen);
}

byId("chat-new").addEventListener("click", () => {
  chat.end();
  forget();
  begin();
  composer.focus();
});
end.addEventListener("click", () => isEnabled(end) && chat.end());
byId("chat-faults").append(...faults);

begin(remembered());
