/** Steps about events and their deliveries. */
import { maskedAddress } from "../../kernel/masking.js";
import { boolean, integer, object, optional, record, unknown } from "../../kernel/schema.js";
import { DELIVERY_MATCH } from "../../world/matches.js";
import { takeEntry } from "../entries.js";
import { fieldProblems, nearMissesIn } from "../near-misses.js";
import { step, UNMET } from "../step.js";
import { sendStep } from "../step-call.js";
import { closedProblemsIn, eventName, namesInMatch, patternProblemsIn, withinKey } from "./parts.js";

const emitting = { route: "POST /events", fields: { event: "eventType" }, noun: "event" } as const;

export const emit = step({
  key: "emit",
  effect: "emits",
  description: "emits an event as given, without touching state; missing fields are filled in",
  long: object({
    event: eventName,
    data: optional(record(unknown(), { description: "fields of the payload's data" })),
    times: optional(integer({ minimum: 1, maximum: 10_000 })),
    legacy: optional(boolean({ description: "to legacy webhooks only, or to none of them" })),
  }),
  problems: ({ data }, { names }) => fieldProblems(names.deliveryFields, data, ["data"]),
  call: emitting,
  run: async (context, { event, data = {}, times = 1, legacy }) => {
    const input = { event, data: withThread(event, context.thread, data), legacy };
    let outcome = {};
    for (let sent = 0; sent < times; sent += 1) outcome = await sendStep(context, emitting, input);
    return { outcome, note: `emitted ${event}${times > 1 ? ` ${times} times` : ""}` };
  },
});

export const delivered = step({
  key: "delivered",
  effect: "observes",
  log: () => "deliveries",
  failure: () => UNMET,
  description: "waits for a delivery with a success",
  short: {
    schema: eventName,
    description: "the event's type",
    long: (eventType) => ({ eventType }),
  },
  long: object({ ...DELIVERY_MATCH, within: withinKey }),
  siblingKeys: { within: withinKey },
  problems: (input, { delivery, names }) => [
    ...nearMissesIn(names, "delivery", input),
    ...patternProblemsIn(input, ...Object.keys(DELIVERY_MATCH)),
    ...closedProblemsIn(delivery, input),
  ],
  references: (match) => namesInMatch(match, []),
  run: async (context, { within, ...match }) => {
    const wanted = { within: context.within(within), what: "a successful delivery" };
    const delivery = await takeEntry(context, "deliveries", { status: "delivered", ...match }, wanted);
    return { outcome: { ...delivery }, note: `to ${delivery.hookId} (${maskedAddress(delivery.url)})` };
  },
});

/** The data with the scenario's thread in it, in the type that the event carries it in. */
function withThread(eventType: string, thread: string | undefined, data: object): object {
  if (thread === undefined) return data;
  return { customerThreadId: eventType === "message" ? Number(thread) : thread, ...data };
}
