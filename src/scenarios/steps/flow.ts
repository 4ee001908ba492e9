/** Steps about time and order. */
import type { ClockReading } from "../../client/types.js";
import { BOUNDS } from "../../kernel/bounds.js";
import { durationSchema, milliseconds } from "../../kernel/duration.js";
import { anyOf, array, integer, object, string, unknown } from "../../kernel/schema.js";
import { DEFAULT_MAX_STEPS, MAX_STEPS_LISTED, step } from "../step.js";

export const advance = step({
  key: "advance",
  effect: "controls",
  notUnderLoad: "moves the clock, and a load test runs in real time",
  description: "moves the sandbox's clock on; what falls due runs in order",
  short: { schema: durationSchema, description: "how far", long: (by) => ({ by }) },
  long: object({ by: durationSchema }),
  call: { route: "POST /clock/advance" },
  after: (context, { by }, outcome) => {
    context.setClock(outcome.body as ClockReading);
    return { note: `time moves on by ${by}` };
  },
});

export const wait = step({
  key: "wait",
  effect: "passes",
  description: "lets real time pass",
  short: { schema: durationSchema, description: "how long", long: (time) => ({ for: time }) },
  long: object({ for: durationSchema }),
  run: async (context, { for: time }) => {
    await context.pause(milliseconds(time));
    return { note: `waited ${time}` };
  },
});

export const log = step({
  key: "log",
  effect: "passes",
  description: "writes a line into the report",
  short: {
    schema: anyOf([string(), integer()]),
    description: "the text",
    long: (text) => ({ text }),
  },
  long: object({ text: anyOf([string(), integer()]) }),
  run: (_context, { text }) => ({ note: typeof text === "object" ? JSON.stringify(text) : String(text) }),
});

export const repeat = step({
  key: "repeat",
  effect: "groups",
  description: `runs steps several times; \`\${round}\` in them counts from 1; a run executes at most ${DEFAULT_MAX_STEPS} steps, each round counted`,
  long: object({
    times: integer({ minimum: 0, maximum: BOUNDS.repeatTimes.limit }),
    steps: array(unknown(), { maxItems: MAX_STEPS_LISTED }),
  }),
  run: async (context, { times }, { steps = [] }) => {
    await context.repeat(times, steps);
    return undefined;
  },
});
