// What mode a session is in, and the notice that tells the agent of a change.

/** How freely the agent may act. */
export type SessionMode = "guided" | "interactive" | "plan" | "autonomous";

/** A session's mode, and who may change it. */
export interface ModeControl {
  readonly mode: SessionMode;
  /** Whether it can be changed: an autonomous session has nobody who could. */
  readonly switchable: boolean;
  /** Changes the mode; gives whether that was possible. */
  set(next: SessionMode): boolean;
  /** What the next message is to tell the agent of the mode, once for each change. */
  takeNotice?(): string | undefined;
  /** Calls `listener` with each new mode, until the function that is given back is called. */
  subscribe?(listener: (mode: SessionMode) => void): () => void;
}

const SWITCHABLE: readonly string[] = ["guided", "interactive", "plan"];

const ON =
  "<system-reminder>Plan mode is on: read, research and plan only. Change nothing and run nothing that has effects " +
  "until you are told that it is over.</system-reminder>";
const OVER = "<system-reminder>Plan mode is over: the plan may be carried out.</system-reminder>";

/** What tells the agent that plan mode has begun or ended, since the last that was taken. */
export class PlanNotice {
  #told = false;

  take(mode: SessionMode): string | undefined {
    const isPlan = mode === "plan";
    if (isPlan === this.#told) return undefined;
    this.#told = isPlan;
    return isPlan ? ON : OVER;
  }
}

/**
 * A control for `createInputQueue({ modeControl })`. Only entering and leaving `plan` is told to the agent, with the
 * next message; in and out again before that is nothing. A session that begins in `plan` says so at first.
 */
export function createModeControl(mode: SessionMode = "interactive"): Required<ModeControl> {
  const switchable = mode !== "autonomous";
  const notice = new PlanNotice();
  const listeners = new Set<{ listener: (mode: SessionMode) => void }>();
  let current = mode;
  return {
    get mode() {
      return current;
    },
    switchable,
    set(next) {
      if (!switchable || !SWITCHABLE.includes(next)) return false;
      if (next === current) return true;
      current = next;
      for (const { listener } of [...listeners]) listener(next);
      return true;
    },
    takeNotice: () => notice.take(current),
    subscribe(listener) {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
