import type { IncomingMessage } from "node:http";
import { problemAt } from "../../kernel/problems.js";
import { object, optional, string } from "../../kernel/schema.js";
import { unknownKey } from "../../kernel/words.js";
import { ControlError, unusable } from "../control-error.js";
import { EVENT_NAMES, type EventName } from "../event-text.js";
import { route } from "../route.js";
import { EventStream, MAX_STREAMS } from "../stream.js";

export const STREAM_ROUTES = [
  route("stream", "GET /stream", {
    summary: "Server-sent events about everything that happens, live",
    query: object({
      events: optional(
        string({
          description: `only these, with commas between: ${EVENT_NAMES.join(", ")}; \`hello\` comes always`,
        }),
      ),
    }),
    success: {
      status: 200,
      contentType: "text/event-stream",
      schema: string({
        description:
          "events, each with JSON data: hello { sandbox, version, clock, run } first; request, delivery, warning, control and change with " +
          "the record as the lists show it, again whenever it has changed; state { changes: [{ collection, id, " +
          "before, after, causedBy }] }, or { all: true } where too much has changed to be told, and events of the turn may be left out; faults { changed, counts: [{ id, seen, fired }] }; " +
          'clock { now, frozen }; cleared { log: requests or warnings }; step with the report of each step of a posted scenario as it ends; ran {} when the scenario has ended; sandboxes {} when one has come or gone; moved {} at the end, when another process has the sandbox; reset { run }, or { run, loaded: ["fixtures", "behaviour", "faults"] } with what of the start ' +
          "was loaded anew; run is another number after each reset: ids begin again with each run",
      }),
    },
    refusals: ["streams.tooMany", "streams.pipelined"],
    handle: ({ sandbox, services, request, response, query, showsSecrets }) => {
      const events = namesIn(query.events);
      const lastId = lastIdOf(request);
      // Node gives an answer its connection when those before it are over: this one would fill up unsent.
      if (response.socket === null) throw new ControlError("streams.pipelined");
      if (sandbox.streams.count >= MAX_STREAMS)
        throw new ControlError("streams.tooMany", { limit: MAX_STREAMS });
      return {
        write: (response) =>
          void new EventStream(sandbox, services.feeds.of(sandbox), response, services.version, events, {
            lastId,
            showsSecrets,
          }),
      };
    },
  }),
];

/** The id of the last event that a client has heard, where it opens a stream again that broke off. */
function lastIdOf({ headers }: IncomingMessage): number {
  const last = Number(headers["last-event-id"]);
  return Number.isSafeInteger(last) && last > 0 ? last : 0;
}

/** The events that a query names; undefined for all. @throws ControlError for one that there is not */
function namesIn(text: string | undefined): ReadonlySet<EventName> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",");
  const known = names.filter((name): name is EventName => EVENT_NAMES.some((event) => event === name));
  const unknown = names.find((name) => !known.some((event) => event === name));
  if (unknown !== undefined)
    throw unusable([problemAt(["events"], unknownKey("event", unknown, EVENT_NAMES))]);
  return new Set(known);
}
