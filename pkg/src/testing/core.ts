// The simulator's WebAssembly behind typed calls, loaded on first use.

import { platformClock, type SimulatorClock, Waiters } from "./clock.js";
import type { SimulatorCore } from "./simulator.js";
import { createCore } from "./source.js";

/** The head of a reply. */
export interface ReplyHead {
  /** When it arrives. */
  at: number;
  status: number;
  headers: [string, string][];
  /** The stream that is its body; none if all of it was in the reply. */
  stream: number | null;
  /** The connection dies instead. */
  reset?: true;
  /** Nothing arrives, ever. */
  never?: true;
}

/** A simulated service with a clock. */
export class Service {
  readonly clock: SimulatorClock;
  readonly waiters: Waiters;
  readonly #config: string;
  #core: Promise<SimulatorCore> | undefined;
  #generation = 0;
  /** Requests without an answer and answers without an end. */
  open = 0;

  constructor(config: string, clock: SimulatorClock = platformClock) {
    this.#config = config;
    this.clock = clock;
    this.waiters = new Waiters(clock);
  }

  load(): Promise<SimulatorCore> {
    if (!this.#core) {
      const core = createCore(this.#config);
      this.#core = core;
      core.catch(() => {
        if (this.#core === core) this.#core = undefined;
      });
    }
    return this.#core;
  }

  async command<T>(name: string, fields: object = {}): Promise<T> {
    const core = await this.load();
    const value = core.command(this.clock.now(), name, JSON.stringify(fields));
    this.#wake(core);
    return JSON.parse(value) as T;
  }

  request(
    core: SimulatorCore,
    method: string,
    path: string,
    headers: [string, string][],
    body: Uint8Array,
  ): { head: ReplyHead; body: Uint8Array<ArrayBuffer> } {
    const head = core.request(this.clock.now(), method, path, JSON.stringify(headers), body);
    const reply = { head: JSON.parse(head) as ReplyHead, body: core.takeBody() };
    this.#wake(core);
    return reply;
  }

  /** Lets waiting streams look again if something has happened that may concern them. */
  #wake(core: SimulatorCore): void {
    if (core.generation === this.#generation) return;
    this.#generation = core.generation;
    this.waiters.wakeAll();
  }
}
