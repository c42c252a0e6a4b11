// Makes the tour inside a request to a worker, of the service that the request names, and answers with what came.

import { tour } from "./api-tour.mjs";

export default {
  async fetch(request) {
    try {
      return Response.json(await tour(new URL(request.url).searchParams.get("service")));
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
