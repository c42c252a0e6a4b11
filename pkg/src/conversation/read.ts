// conversation(): the run read again from its start.

import { buildFrames } from "../messages/frames.js";
import type { RunCore } from "../run/core.js";
import { MessageStream } from "../run/stream.js";
import { StepMaker } from "./steps.js";
import type { AgentConversationTurn, ConversationTurn } from "./types.js";

/** Reads the run to its end and gives its turns. */
export async function readConversation(
  core: RunCore,
  signal: AbortSignal | undefined,
): Promise<ConversationTurn[]> {
  let turns: AgentConversationTurn[] = [];
  const begin = (turn: AgentConversationTurn["turn"]): typeof turn => {
    turns.push({ type: "agentConversationTurn", turn });
    return turn;
  };
  const maker = new StepMaker(
    {
      // What comes before the user said anything is a turn, too.
      step: (step) => void (turns.at(-1)?.turn ?? begin({ steps: [] })).steps.push(step),
      turn: (userMessage) => void begin({ userMessage, steps: [] }),
      restart: () => {
        turns = [];
      },
    },
    core.warn,
  );
  for await (const frame of new MessageStream(core.consumer({ build: buildFrames }), signal))
    maker.push(frame);
  maker.flush();
  return turns;
}
