/** Steps about events, time and order. */

import { BOUNDS } from "../../kernel/bounds.js";
import { maskedAddress } from "../../kernel/masking.js";
import {
  anyOf,
  array,
  boolean,
  integer,
  object,
  optional,
  record,
  string,
  unknown,
} from "../../kernel/schema.js";
import { durationSchema, milliseconds } from "../../kernel/units.js";
import { DELIVERY_MATCH } from "../../service/world/matches.js";
import type { StepKind } from "../step.js";
import { MAX_STEPS_LISTED, MAX_STEPS_RUN, step } from "../step.js";
import { eventName, fieldProblems, matchProblems, namesInMatch, withinKey } from "./parts.js";

const emitting = { route: "POST /events", fields: { event: "eventType" }, noun: "event" } as const;

/** Adds the scenario's thread in the type that the event uses. */
function withThread(eventType: string, thread: string | undefined, data: object): object {
  if (thread === undefined) return data;
  return { customerThreadId: eventType === "message" ? Number(thread) : thread, ...data };
}

export const EVENTS: readonly StepKind[] = [
  step({
    key: "emit",
    effect: "emits",
    description:
      "emits an event without changing state; missing fields are filled in, and a message is from the customer unless `fromCustomer` says otherwise",
    long: object({
      event: eventName,
      data: optional(record(unknown(), { description: "fields of the payload's data" })),
      times: optional(integer({ minimum: 1, maximum: 10_000 })),
      legacy: optional(boolean({ description: "true: only to legacy webhooks; false: only to others" })),
    }),
    problems: ({ data }, { names }) => fieldProblems(names.deliveryFields, data, ["data"]),
    send: emitting,
    run: async (run, { event, data = {}, times = 1, legacy }) => {
      const input = { event, data: withThread(event, run.thread, data), legacy };
      let outcome = {};
      for (let sent = 0; sent < times; sent += 1) outcome = await run.send(emitting, input);
      return { outcome, note: `emitted ${event}${times > 1 ? ` ${times} times` : ""}` };
    },
  }),
  step({
    key: "delivered",
    effect: "observes",
    description: "waits for a successful delivery",
    short: {
      schema: eventName,
      long: (eventType) => ({ eventType }),
    },
    long: object({ ...DELIVERY_MATCH, within: withinKey }),
    beside: { within: withinKey },
    problems: ({ within: _, ...match }, known) => matchProblems(known, "delivery", match, []),
    references: (match) => namesInMatch(match, []),
    run: async (run, { within, ...match }) => {
      const wanted = { within: run.within(within), what: "No successful delivery" };
      const { entry } = await run.take("deliveries", { status: "delivered", ...match }, wanted);
      return { outcome: { ...entry }, note: `to ${entry.hookId} (${maskedAddress(entry.url)})` };
    },
  }),
  step({
    key: "advance",
    effect: "controls",
    description: "advances the sandbox's clock; everything that falls due runs in order",
    short: "by",
    long: object({ by: { ...durationSchema, description: "how far" } }),
    send: { route: "POST /clock/advance" },
    say: async ({ by }, run) => {
      await run.readClock();
      return { note: `advanced by ${by}` };
    },
  }),
  step({
    key: "wait",
    effect: "passes",
    description: "lets real time pass",
    short: "for",
    long: object({ for: { ...durationSchema, description: "how long" } }),
    run: async (run, { for: time }) => {
      await run.pause(milliseconds(time));
      return { note: `waited ${time}` };
    },
  }),
  step({
    key: "log",
    effect: "passes",
    description: "adds a line to the report",
    short: "text",
    long: object({ text: anyOf([string(), integer()], { description: "the text" }) }),
    run: (_run, { text }) => ({ note: typeof text === "object" ? JSON.stringify(text) : String(text) }),
  }),
  step({
    key: "repeat",
    effect: "groups",
    description: `repeats steps; \`\${round}\` counts from 1; a run executes at most ${MAX_STEPS_RUN} steps, counting each round`,
    long: object({
      times: integer({ minimum: 0, maximum: BOUNDS.repeatTimes.limit }),
      steps: array(unknown(), { maxItems: MAX_STEPS_LISTED }),
    }),
    run: async (run, { times }, { steps = [] }) => {
      await run.repeat(times, steps);
      return undefined;
    },
  }),
];
