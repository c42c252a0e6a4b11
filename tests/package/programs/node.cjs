// Follows the run from CommonJS: require() of the package works because nothing in it awaits at the top level.

const { Agent } = require("runwire");
const { createSimulator } = require("runwire/testing");

import("./follow.mjs").then(async ({ follow }) => {
  console.log(JSON.stringify(await follow({ Agent, createSimulator })));
});
