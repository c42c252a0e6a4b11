// One consumer of a run's stream, as batches: the engine's follower behind a promise.

import { type Engine, ready } from "../engine/instance.js";
import { writeChunk } from "../engine/memory.js";
import { buildMessages } from "../messages/build.js";
import type { RunWarning, SDKMessage } from "../messages/types.js";
import { bytesOf } from "../sse/decoder.js";
import { engineOptions, type FollowOptions } from "./follow-options.js";
import { type RequestOptions, transportOf } from "./transport.js";
import { watchPlatform } from "./waking.js";

export interface FeedOptions extends RequestOptions, FollowOptions {
  agentId: string;
  runId: string;
  warn: (warning: RunWarning) => void;
}

type RawFollower = InstanceType<Engine["RunFollower"]>;
type Reader = ReadableStreamDefaultReader<Uint8Array>;

interface Waiting {
  resolve(batch: SDKMessage[] | undefined): void;
  reject(error: unknown): void;
}

/** Gives a run's messages a chunk at a time; asks for nothing before the first {@link next}. */
export class MessageFeed {
  readonly #options: FeedOptions;
  #follower: RawFollower | undefined;
  /** Takes back what was registered elsewhere. */
  #forget: (() => void)[] = [];
  #waiting: Waiting | undefined;
  /** What reads the connection that is open now. */
  #reader: Reader | undefined;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /**
   * The next messages, `undefined` at the end of the stream or after {@link close}. One call at a
   * time.
   */
  next(): Promise<SDKMessage[] | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#follower) this.#pull(this.#follower);
      else this.#start();
    });
  }

  /** Lets go of the connection. A pending {@link next} gives `undefined`, or `reason` as its error. */
  close(reason?: { error: unknown }): void {
    if (this.#closed) return;
    this.#closed = true;
    const [waiting, follower] = [this.#waiting, this.#follower];
    this.#waiting = undefined;
    this.#follower = undefined;
    this.#reader = undefined;
    for (const forget of this.#forget) forget();
    try {
      follower?.close();
      follower?.free();
    } catch {
      // The engine has crashed: there is nothing left to close.
    }
    if (reason) waiting?.reject(reason.error);
    else waiting?.resolve(undefined);
  }

  async #start(): Promise<void> {
    try {
      const engine = await ready();
      if (this.#closed) return;
      this.#follower = this.#follow(engine);
      this.#forget = [engine.onCrash((error) => this.close({ error })), watchPlatform(this.#follower)];
      this.#pull(this.#follower);
    } catch (error) {
      this.close({ error });
    }
  }

  #pull(follower: RawFollower): void {
    try {
      follower.pull();
    } catch (error) {
      this.close({ error });
    }
  }

  #follow(engine: Engine): RawFollower {
    const { agentId, runId, warn } = this.#options;
    const options = engineOptions(this.#options);
    const path = `/v1/agents/${agentId}/runs/${runId}/stream`;
    const context = { endpoint: `GET ${path}`, operation: "run.stream", maxEventBytes: options[0]! };
    const { memory } = engine;
    // Called by the engine, in the middle of a call into it: nothing here may throw.
    const host = {
      batch: (count: number) => {
        try {
          this.#settle(buildMessages(memory, head, count, agentId, runId, warn));
        } catch (error) {
          this.close({ error });
        }
      },
      body: (reader: Reader | undefined) => {
        this.#reader = reader;
      },
      read: () => {
        if (this.#reader) this.#read(this.#reader, engine, follower, head);
      },
      end: () => this.close(),
      fail: (error: unknown) => this.close({ error }),
    };
    const transport = transportOf(this.#options, engine, context);
    const follower = new engine.RunFollower(agentId, runId, options, transport, host);
    const head = follower.head() >> 2;
    return follower;
  }

  /** Reads once, and hands over what that brings unless the connection has been left meanwhile. */
  async #read(reader: Reader, { memory }: Engine, follower: RawFollower, head: number): Promise<void> {
    try {
      let result: ReadableStreamReadResult<Uint8Array>;
      try {
        result = await reader.read();
      } catch (error) {
        if (this.#reader === reader) follower.broke(error);
        return;
      }
      if (this.#reader !== reader) return;
      if (result.done) {
        follower.ended();
        return;
      }
      const bytes = bytesOf(result.value);
      writeChunk(memory, follower, head, bytes);
      follower.chunk(bytes.length);
    } catch (error) {
      this.close({ error });
    }
  }

  #settle(batch: SDKMessage[]): void {
    const waiting = this.#waiting;
    // Nothing but warnings is nothing to hand over.
    if (batch.length === 0 && this.#follower) {
      this.#pull(this.#follower);
      return;
    }
    this.#waiting = undefined;
    waiting?.resolve(batch);
  }
}
