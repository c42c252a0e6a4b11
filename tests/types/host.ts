// What serving sessions looks like to TypeScript: compiled, never run.

import {
  type AgentEvent,
  createSessionHost,
  type HostedSession,
  type SessionHost,
  type SessionHostOptions,
} from "runwire/host";

declare function query(parameters: {
  prompt: string | AsyncIterable<unknown>;
  options?: { cwd?: string };
}): AsyncGenerator<{ type: string }, void> & { interrupt(): Promise<void> };

export async function serve(): Promise<void> {
  const host: SessionHost = createSessionHost({
    query,
    authorize: async (request, access) => {
      if (access.action === "join") access.sessionId satisfies string;
      else access.sessionId satisfies undefined;
      return request.headers.get("x-user") ?? new Response(null, { status: 401 });
    },
    options: async ({ request, user }) => ({ cwd: `/home/${user}`, accept: request.headers.get("accept") }),
    origins: ["https://app.example"],
    describeError: (error) => (error instanceof Error ? error.name : "It failed"),
    onError: (error, { sessionId }) => console.error(sessionId, error),
  });
  // As servers and routers want it.
  const { fetch } = host;
  const handler: (request: Request) => Promise<Response> = fetch;
  await handler(new Request("https://host.example/sessions"));
  const sessions: readonly HostedSession[] = host.sessions;
  sessions.map(({ id, user, status, readers }) => [id, user ?? "", status === "RUNNING", readers + 1]);
  // @ts-expect-error it is told, not set
  host.sessions = [];
  await host.close();
}

/** Options are checked, and may be given as `undefined`. */
export const options: SessionHostOptions[] = [
  { query, authorize: "public" },
  { query, authorize: () => undefined, options: { cwd: "/w" }, basePath: undefined, idleMs: undefined },
  { query, authorize: () => false, maxSessions: 1, keepMs: Number.POSITIVE_INFINITY },
  // @ts-expect-error nobody is let in by default
  { query },
  // @ts-expect-error not a function, and not everybody
  { query, authorize: "private" },
  // @ts-expect-error a number is no identity
  { query, authorize: () => 7 },
  // @ts-expect-error without an agent
  { authorize: "public" },
  // @ts-expect-error there is no such option
  { query, authorize: "public", maxMessages: 3 },
];

export const isText = (event: AgentEvent): boolean => event.type === "text" && event.text !== "";
