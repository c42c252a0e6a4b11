// What several ask for at the same time, asked once.

/** A promise that is settled from elsewhere, shared by all who ask for the same thing at the same time. */
export class Shared<T> {
  #promise: Promise<T> | undefined;
  #resolve: ((value: T) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  /** The pending promise; `begin` is called when there was none. */
  get(begin: () => void): Promise<T> {
    if (this.#promise) return this.#promise;
    const promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#promise = promise;
    begin();
    return promise;
  }

  get pending(): boolean {
    return this.#promise !== undefined;
  }

  resolve(value: T): void {
    this.#promise = undefined;
    this.#resolve?.(value);
  }

  reject(error: unknown): void {
    this.#promise = undefined;
    this.#reject?.(error);
  }
}
