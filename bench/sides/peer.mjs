// The peer: eventsource-parser 4 as its documentation uses it, with JSON.parse making the same messages as ours.

import { createParser } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { AGENT_ID, RUN_ID } from "../data.mjs";
import { eventStream } from "./consume.mjs";

/** The message of an event, or undefined where it makes none. Written for speed: one literal a kind. */
function toMessage(event, agent_id, run_id) {
  switch (event.event) {
    case "assistant": {
      const { text } = JSON.parse(event.data);
      const message = { role: "assistant", content: [{ type: "text", text }] };
      return { type: "assistant", agent_id, run_id, message };
    }
    case "thinking":
      return { type: "thinking", agent_id, run_id, text: JSON.parse(event.data).text };
    case "tool_call": {
      const { callId, name, status, args, result, truncated } = JSON.parse(event.data);
      const message = { type: "tool_call", agent_id, run_id, call_id: callId, name, status };
      if (args !== undefined) message.args = args;
      if (result !== undefined) message.result = result;
      if (truncated !== undefined) message.truncated = truncated;
      return message;
    }
    case "status":
      return { type: "status", agent_id, run_id, status: JSON.parse(event.data).status };
    default:
      return undefined;
  }
}

/** Decode chunks and hand every message to `take` as it is made: no list between, callbacks being its way. */
export function decode(chunks, take) {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent(event) {
      const message = toMessage(event, AGENT_ID, RUN_ID);
      if (message !== undefined) take(message);
    },
  });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
  parser.feed(decoder.decode());
}

/** The documented pipe. It gives events; `messageOf` is for the one who reads them. */
export function openEvents(chunks) {
  return eventStream(chunks)
    .body.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
}

export function messageOf(event) {
  return toMessage(event, AGENT_ID, RUN_ID);
}
