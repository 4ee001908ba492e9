/** Steps about events and their deliveries. */
import { boolean, integer, object, optional, record, unknown } from "../../kernel/schema.js";
import { step } from "../step.js";
import { DELIVERY_FIELDS, eventName, patternsAt, withinKey } from "./parts.js";

export const emit = step({
  key: "emit",
  words: "emits an event as given, without touching state; missing fields are filled in",
  long: object({
    event: eventName,
    data: optional(record(unknown(), { description: "fields of the payload's data" })),
    times: optional(integer({ minimum: 1, maximum: 10_000 })),
    legacy: optional(boolean({ description: "to legacy webhooks only, or to none of them" })),
  }),
  run: async (run, { event: eventType, data = {}, times = 1, legacy }) => {
    const given = threadOf(eventType, run.scenario.thread, data);
    let outcome = {};
    for (let sent = 0; sent < times; sent += 1) {
      outcome = await run.call("POST", "/events", { eventType, data: given, legacy });
    }
    return { outcome, note: `emitted ${eventType}${times > 1 ? ` ${times} times` : ""}` };
  },
});

export const delivered = step({
  key: "delivered",
  words: "waits for a delivery with a success",
  short: {
    schema: eventName,
    words: "the event's type",
    long: (eventType: "message" | "transfer") => ({ eventType }),
  },
  long: object({ ...DELIVERY_FIELDS, within: withinKey }),
  beside: { within: withinKey },
  problems: (input) => patternsAt(input, ...Object.keys(DELIVERY_FIELDS)),
  run: async (run, { within, ...match }) => {
    const [delivery] = await run.ledger.take(
      "deliveries",
      { status: "delivered", ...match },
      {
        within: run.within(within),
        what: "a successful delivery",
      },
    );
    return { outcome: { ...delivery }, note: `to ${delivery.hookId} (${delivery.url})` };
  },
});

/** The data with the scenario's thread in it, in the type that the event carries it in. */
function threadOf(eventType: string, thread: string | undefined, data: object): object {
  if (thread === undefined) return data;
  return { customerThreadId: eventType === "message" ? Number(thread) : thread, ...data };
}
