// Cursor: the account behind the key.

import { type CallOptions, call } from "./call.js";
import { configure } from "./defaults.js";
import { items, listModels } from "./models.js";
import type { SDKRepository, SDKUser, SubToken } from "./types.js";

/** The account behind the key, and defaults for everything. */
export const Cursor = {
  /** Sets defaults that the options of each call override; in place of those that were set before. */
  configure,

  /** Whose key it is. */
  me: (options: CallOptions = {}): Promise<SDKUser> =>
    call(options, { method: "GET", path: "/v1/me", operation: "Cursor.me" }),

  models: {
    /** The models that an agent can be created with. */
    list: listModels,
  },

  repositories: {
    /** The repositories that an agent can work on. The service allows one call a minute, and takes its time. */
    list: (options: CallOptions = {}): Promise<SDKRepository[]> =>
      items(
        { ...options, connectTimeoutMs: options.connectTimeoutMs ?? 120_000 },
        "/v1/repositories",
        "Cursor.repositories.list",
      ),
  },

  subTokens: {
    /** A key for one user, good for an hour: the kind that a page may have. To be called where the team's key is. */
    create: (
      user: { forUserEmail: string } | { forUserId: number | string },
      options: CallOptions = {},
    ): Promise<SubToken> =>
      call(options, {
        method: "POST",
        path: "/v1/sub-tokens",
        body: JSON.stringify(user),
        operation: "Cursor.subTokens.create",
      }),
  },
};
