import { string } from "../../kernel/schema.js";
import { ControlError } from "../control-error.js";
import { route } from "../route.js";
import { EventStream, MAX_STREAMS } from "../stream.js";

export const STREAM_ROUTES = [
  route("stream", "GET /stream", {
    summary: "Server-sent events about everything that happens, live",
    success: {
      status: 200,
      contentType: "text/event-stream",
      schema: string({
        description:
          "events, each with JSON data: hello { sandbox, version, clock, run } first; request, delivery and warning with " +
          "the record as the lists show it, again whenever it has changed; state { changes: [{ collection, id, " +
          "before, after, causedBy }] }, or { all: true } where too much has changed to be told, and events of the turn may be left out; faults { changed, counts: [{ id, seen, fired }] }; " +
          'clock { now, frozen }; cleared { log: requests or warnings }; ran {} when a posted scenario has ended; sandboxes {} when one has come or gone; reset { run }, or { run, loaded: ["fixtures", "behaviour", "faults"] } with what of the start ' +
          "was loaded anew; run is another number after each reset: ids begin again with each run",
      }),
    },
    refusals: ["streams.tooMany", "streams.pipelined"],
    handle: ({ sandbox, services, response }) => {
      // Node gives an answer its connection when those before it are over: this one would fill up unsent.
      if (response.socket === null) throw new ControlError("streams.pipelined");
      if (sandbox.streams.count >= MAX_STREAMS)
        throw new ControlError("streams.tooMany", { limit: MAX_STREAMS });
      return {
        write: (response) =>
          void new EventStream(sandbox, services.feeds.of(sandbox), response, services.version),
      };
    },
  }),
];
