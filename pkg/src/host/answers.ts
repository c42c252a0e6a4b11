// The answers that are not streams: JSON, and refusals in the envelope `{"error":{"code","message"}}`.

/** A request that is answered with an error; thrown to where answers are made. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  get response(): Response {
    const { code, message } = this;
    return json({ error: { code, message } }, this.status, this.headers);
  }
}

/** What a session answers is one user's and of this moment: nothing may keep it. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}
