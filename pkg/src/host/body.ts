// The bodies of requests: JSON objects, bounded while they are read.

import { Refusal } from "./answers.js";

export type Body = Record<string, unknown>;

/**
 * The body of a request, empty where it has none. Only `application/json`: the other types are what forms of foreign
 * pages can send without asking.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Body> {
  if (!request.body) return {};
  const type = request.headers.get("content-type");
  if (type !== null && !isJson(type)) throw unsupported();
  const bytes = await readBytes(request, request.body, maxBytes);
  if (bytes.length === 0) return {};
  if (type === null) throw unsupported();
  return parse(bytes);
}

const isJson = (type: string) => /^application\/json\s*(;|$)/i.test(type.trim());

const unsupported = () =>
  new Refusal(415, "unsupported_media_type", "A body must have the Content-Type application/json");

const tooLarge = (maxBytes: number) =>
  new Refusal(413, "body_too_large", `A body may have at most ${maxBytes} bytes`);

async function readBytes(
  request: Request,
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length")) > maxBytes) {
    // Nobody waits for what becomes of the rest.
    body.cancel().catch(() => {});
    throw tooLarge(maxBytes);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Refusal(400, "invalid_body", "The body could not be read to its end");
    });
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function parse(bytes: Uint8Array): Body {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal(400, "invalid_body", "The body is not JSON in UTF-8");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Refusal(400, "invalid_body", "The body is not a JSON object");
  }
  return value as Body;
}

/** So many are remembered that their length matters. */
const MAX_CLIENT_ID = 200;

/** The id that the client gave what it asks for, so that it can ask again without having it twice. */
export function clientIdOf({ clientId }: Body): string {
  if (typeof clientId === "string" && clientId !== "" && clientId.length <= MAX_CLIENT_ID) return clientId;
  throw invalid(`"clientId" must be a text of 1 to ${MAX_CLIENT_ID} characters`);
}

/** The prompt of a run that has one; absent for a session. */
export function promptOf({ prompt }: Body): string | undefined {
  if (prompt === undefined || typeof prompt === "string") return prompt;
  throw invalid('"prompt" must be a text');
}

/** What a message says: a text, or the content blocks of the SDK's messages. */
export function contentOf({ text, content }: Body): string | unknown[] {
  if (typeof text === "string" && content === undefined) return text;
  if (text === undefined && Array.isArray(content) && content.length > 0) return content;
  throw invalid('A message has either "text", a text, or "content", an array of content blocks');
}

const invalid = (message: string) => new Refusal(400, "invalid_body", message);
