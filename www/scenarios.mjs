// Which runs the page offers and how fast they may go: read by the page for its menu and by the server as its list.

/**
 * @typedef {object} Offer
 * @property {string} id
 * @property {string} label
 * @property {string} about one sentence for people
 */

/** @type {readonly Offer[]} */
export const scenarios = [
  {
    id: "coding",
    label: "Coding run",
    about: "A minute of work: thinking, text, parallel tools, one of which fails.",
  },
  { id: "example", label: "Documented example", about: "The short stream of the API's documentation." },
  { id: "error", label: "Run that fails", about: "The run itself ends in an error. Following it succeeds." },
  { id: "cancelled", label: "Run cancelled elsewhere", about: "Somebody else stops the run half-way." },
  { id: "expired", label: "Run that expires", about: "The service gives the run up." },
  {
    id: "hostile",
    label: "Hostile strings",
    about: "Markup, scripts, terminal escapes and endless words in every field. All of it must show as text.",
  },
  {
    id: "long",
    label: "Long run, 100,000 frames",
    about: "Generated frames. At full speed they come as fast as the page takes them.",
  },
  {
    id: "status-only",
    label: "No result frame",
    about: "The stream ends without a result: the run's record has to be asked.",
  },
  {
    id: "warm-up",
    label: "Stream not there yet",
    about: "The first two connections say that there is no stream.",
  },
];

/** @typedef {{ id: string, label: string, about: string, pace: number | "demand" }} PaceOffer */

/** @type {readonly PaceOffer[]} */
export const paces = [
  { id: "1", label: "1×", about: "real time", pace: 1 },
  { id: "5", label: "5×", about: "five times as fast", pace: 5 },
  { id: "20", label: "20×", about: "twenty times as fast", pace: 20 },
  { id: "full", label: "Full speed", about: "as fast as the page reads", pace: "demand" },
];

/** What can be done to a run's connection while it is followed. */
export const faults = [
  { id: "cut", label: "Cut the connection", about: "The socket dies now." },
  { id: "stall", label: "Stall", about: "The connection stays open and goes silent." },
  {
    id: "unavailable",
    label: "503 for 10 s",
    about: "The connection is cut and every request fails for ten seconds.",
  },
  {
    id: "expire",
    label: "Expire the stream",
    about: "The connection is cut and the stream is gone for good.",
  },
  {
    id: "refuse-id",
    label: "Refuse the id",
    about: "The connection is cut and the next resume is refused once.",
  },
];

/** What can be done to the connection of an agent's session: two of the above. */
export const sessionFaults = faults.filter(({ id }) => id === "cut" || id === "unavailable");
