import { string } from "../../kernel/schema.js";
import { conflict } from "../errors.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";
import { EventStream, MAX_STREAMS } from "../stream.js";

export const STREAM_ROUTES: readonly ControlRoute[] = [
  route({
    id: "stream",
    method: "GET",
    path: "/stream",
    scope: "sandbox",
    summary: "Server-sent events about everything that happens, live",
    success: {
      status: 200,
      contentType: "text/event-stream",
      schema: string({
        description:
          "events, each with JSON data: hello { sandbox, version, clock } first; request, delivery and warning with " +
          "the record as the lists show it, again whenever it has changed; state { changes: [{ collection, id, " +
          "before, after, causedBy }] } or { all: true }; faults { changed, counts: [{ id, seen, fired }] }; " +
          "clock { now, frozen }; reset {}",
      }),
    },
    refusals: { 409: "too many streams are open" },
    raw: true,
    handle: ({ sandbox, response, services }) => {
      if (sandbox.streams.count >= MAX_STREAMS)
        throw conflict(`there are ${MAX_STREAMS} streams open already`);
      new EventStream(sandbox, response, services.version);
    },
  }),
];
