// The events of `openRunStream`: the stream's frames as the service sends them.

import type { RunState } from "./types.js";

interface EventBase<Type extends string, Data> {
  type: Type;
  /** The frame's own id, `null` when it had none. Ids are opaque, and frames may share one. */
  id: string | null;
  data: Data;
}

/** A frame of a run's stream, told apart by `type`. `data` is as the service sent it. */
export type RunEvent =
  | EventBase<"status", { runId?: string; status: RunState; message?: string }>
  | EventBase<"assistant", { text: string }>
  | EventBase<"thinking", { text: string }>
  | EventBase<
      "tool_call",
      {
        callId: string;
        name: string;
        status: "running" | "completed" | "error";
        args?: unknown;
        result?: unknown;
        truncated?: { args?: boolean; result?: boolean };
      }
    >
  | EventBase<"interaction_update", { type: string; [member: string]: unknown }>
  | EventBase<"heartbeat", Record<string, never>>
  | EventBase<
      "result",
      {
        runId?: string;
        status?: RunState;
        text?: string;
        durationMs?: number;
        git?: { branches: { repoUrl: string; branch?: string; prUrl?: string }[] };
        error?: { message: string; code?: string };
      }
    >
  | EventBase<"error", { code: string; message: string }>
  | EventBase<"done", Record<string, never>>
  | EventBase<"user" | "system" | "task" | "request" | "usage", Record<string, unknown>>
  | (EventBase<"unknown", unknown> & {
      /** The frame's name, `"message"` when it had none. */
      event: string;
    });
