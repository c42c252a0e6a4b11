// Who may do what.

import { ConfigurationError } from "../errors/api.js";
import { Refusal } from "./answers.js";

/** What a request wants: to begin a session, or anything about one that there may be. */
export type SessionAccess =
  | { action: "create"; sessionId: undefined }
  | { action: "join"; sessionId: string };

/**
 * A user's identity, as a text that is not empty; `true` for somebody without one; nothing or `false` refuses with
 * 403; a `Response` is the answer.
 */
export type Authorization = string | boolean | Response | undefined | null;

/**
 * Decides about a request by its headers: whoever it is from. The request's body must be left unread. When it throws,
 * the answer is 500 and `onError` is told.
 */
export type Authorize = (request: Request, access: SessionAccess) => Authorization | Promise<Authorization>;

/** Who asks; `undefined` is somebody without an identity. */
export interface Visitor {
  user: string | undefined;
}

/** Who asks, or the answer instead. */
export type Gate = (request: Request, access: SessionAccess) => Promise<Visitor | Response>;

export function gateOf(authorize: Authorize | "public" | undefined): Gate {
  if (authorize === "public") return async () => ({ user: undefined });
  if (typeof authorize === "function") {
    return async (request, access) => judge(await authorize(request, access));
  }
  throw new ConfigurationError(
    "A session host needs `authorize`: a function of the request that gives the user's identity, or false. " +
      'To let everybody who reaches the host run the agent, write authorize: "public"',
    { code: "invalid_option", operation: "createSessionHost" },
  );
}

/** Whatever else it gives, such as an empty text for a user that was not found, allows nothing. */
function judge(verdict: unknown): Visitor | Response {
  if (verdict === true) return { user: undefined };
  if (typeof verdict === "string" && verdict !== "") return { user: verdict };
  if (verdict instanceof Response) return verdict;
  throw new Refusal(403, "forbidden", "You may not do that");
}
