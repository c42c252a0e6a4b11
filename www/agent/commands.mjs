// The slash commands of the scripted agent, as `supportedCommands()` lists them, and what they do.

import { info, localCommand } from "../../tests/lib/scripted-query.mjs";
import { hostileCommand, hostileTurn } from "./hostile.mjs";
import { review } from "./scripts.mjs";

/** @type {import("runwire/kit").SlashCommand[]} */
export const commands = [
  { name: "help", description: "List what can be typed", argumentHint: "", builtin: true },
  {
    name: "compact",
    description: "Make room in the context",
    argumentHint: "[what to keep]",
    aliases: ["shrink"],
    builtin: true,
  },
  { name: "cost", description: "What the session has used", argumentHint: "", builtin: true },
  { name: "review", description: "Have a subagent review the change", argumentHint: "[path]" },
  { name: "fill", description: "Read more than the context holds", argumentHint: "" },
  { name: "fail", description: "A turn that the model's service refuses", argumentHint: "" },
  { name: "hostile", description: "A turn whose every string attacks the page", argumentHint: "" },
];

const REFUSED = "API Error: 529 Overloaded. The model's service has no room at the moment";

/**
 * The turn of a command: its messages; gives a suggestion, or members of its result.
 * @param {string} name @param {string} rest what follows it
 * @param {import("./demo.mjs").DemoSession} session @param {import("./stage.mjs").Stage} stage
 */
export async function* runCommand(name, rest, session, stage) {
  const { figures } = session;
  const known = commands.find((command) => command.name === name || command.aliases?.includes(name));
  switch (known?.name) {
    case "help":
      yield localCommand(commands.map((command) => `/${command.name}: ${command.description}`).join("\n"));
      return { suggestion: "How are columns counted?" };
    case "cost": {
      const { total_cost_usd: cost } = figures.usage;
      yield localCommand(`$${cost.toFixed(4)}, context ${figures.context.percentage} % full`);
      return {};
    }
    case "compact": {
      const before = figures.context.totalTokens;
      await stage.pause(1500);
      figures.compact();
      yield info(`Compacted: ${before} tokens are ${figures.context.totalTokens} now`, "notice");
      return { suggestion: "What do you remember?" };
    }
    case "review":
      return { suggestion: yield* review(stage, rest || "the last change") };
    case "fill":
      figures.fill();
      yield* stage.say("I have read all of the repository, which is more than fits.");
      yield info("The context is full: /compact makes room", "suggestion");
      return { suggestion: "/compact" };
    case "fail":
      yield* stage.say("I'll ask the model.\n");
      return { result: { is_error: true, result: REFUSED } };
    case "hostile":
      session.commands = [...commands, hostileCommand];
      return yield* hostileTurn(stage);
    default:
      yield info(`Unknown command: /${name}. Type /help for what there is`, "warning");
      return { suggestion: "/help" };
  }
}
