// The root of all errors this package throws.

/** What every error of this package has. */
export class RunwireError extends Error {
  /** Machine-readable: what went wrong. */
  readonly code: string | undefined;

  constructor(name: string, message: string, code?: string, options?: ErrorOptions) {
    super(message, options);
    // Written out, because a minifier may rename the class.
    Object.defineProperty(this, "name", { value: name, configurable: true, writable: true });
    this.code = code;
  }
}
