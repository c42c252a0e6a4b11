// createDeferred: a promise that somebody else resolves.

/** A promise, and what resolves it. */
export interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
}

/** For "this turn is over": who waits has the promise, who reads the events resolves it. */
export function createDeferred(): Deferred {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
