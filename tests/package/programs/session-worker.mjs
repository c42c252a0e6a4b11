// Makes the tour of sessions inside a request to a worker, of the host that the request names, and answers with what came.

import { agent } from "./lib/tool-session.mjs";
import { sessionTour } from "./session-tour.mjs";

export default {
  async fetch(request) {
    try {
      const host = new URL(request.url).searchParams.get("service");
      return Response.json(await sessionTour(host, agent()));
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
