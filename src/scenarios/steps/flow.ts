/** Steps about time and order. */
import type { Duration } from "../../kernel/duration.js";
import { durationSchema, milliseconds } from "../../kernel/duration.js";
import { sleep } from "../../kernel/realtime.js";
import { anyOf, array, integer, object, string, unknown } from "../../kernel/schema.js";
import { step } from "../step.js";

export const advance = step({
  key: "advance",
  words: "moves the sandbox's clock on; what falls due runs in order",
  short: { schema: durationSchema, words: "how far", long: (by: Duration) => ({ by }) },
  long: object({ by: durationSchema }),
  run: async (run, { by }) => {
    const outcome = await run.call("POST", "/clock/advance", { by });
    run.setClock(outcome.body);
    return { outcome, note: `time moves on by ${by}` };
  },
});

export const wait = step({
  key: "wait",
  words: "lets real time pass",
  short: { schema: durationSchema, words: "how long", long: (time: Duration) => ({ for: time }) },
  long: object({ for: durationSchema }),
  run: async (_run, { for: time }) => {
    await sleep(milliseconds(time));
    return { note: `waited ${time}` };
  },
});

export const log = step({
  key: "log",
  words: "writes a line into the report",
  short: {
    schema: anyOf([string(), integer()]),
    words: "the text",
    long: (text: string | number) => ({ text }),
  },
  long: object({ text: anyOf([string(), integer()]) }),
  run: (_run, { text }) => ({ note: typeof text === "object" ? JSON.stringify(text) : String(text) }),
});

export const repeat = step({
  key: "repeat",
  words: "runs steps several times; `${round}` in them counts from 1",
  long: object({
    times: integer({ minimum: 0, maximum: 100_000 }),
    steps: array(unknown()),
  }),
  run: (run, { times }, { steps = [] }) => run.repeat(times, steps),
});
