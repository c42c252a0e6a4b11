// What a session has said, as frames under ids: bounded, and kept for readers who come late or come back.

const encoder = new TextEncoder();

interface Frame {
  text: string;
  bytes: number;
}

export class EventLog {
  readonly #maxBytes: number;
  readonly #frames = new Map<number, Frame>();
  #bytes = 0;
  #last = 0;
  #dropped = 0;
  #ended = false;
  /** Called when something has come, was dropped, or no more comes. */
  readonly listeners = new Set<() => void>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The id of the newest frame; 0 before there is one. */
  get last(): number {
    return this.#last;
  }

  /** The id of the newest frame that is no longer kept; 0 as long as all are. */
  get dropped(): number {
    return this.#dropped;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Adds a frame; `event` names what is no event of the session. */
  append(data: unknown, event?: "failed"): void {
    // JSON has no line breaks: one line of data holds it.
    const json = JSON.stringify(data);
    const id = ++this.#last;
    const text = `id: ${id}\n${event ? `event: ${event}\n` : ""}data: ${json}\n\n`;
    const bytes = encoder.encode(text).length;
    this.#frames.set(id, { text, bytes });
    this.#bytes += bytes;
    // The newest stays, however large: who keeps up gets it.
    while (this.#bytes > this.#maxBytes && this.#frames.size > 1) this.#drop();
    this.#changed();
  }

  end(): void {
    this.#ended = true;
    this.#changed();
  }

  /** Some of the frames after `id`, of which none must have been dropped: at least one, and about `bytes`. */
  read(id: number, bytes: number): { text: string; last: number } {
    let text = "";
    let last = id;
    for (let size = 0; size < bytes && last < this.#last; ) {
      const frame = this.#frames.get(++last)!;
      text += frame.text;
      size += frame.bytes;
    }
    return { text, last };
  }

  #drop(): void {
    const id = ++this.#dropped;
    this.#bytes -= this.#frames.get(id)!.bytes;
    this.#frames.delete(id);
  }

  #changed(): void {
    for (const listener of this.listeners) listener();
  }
}
