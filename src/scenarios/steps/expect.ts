/** The step that waits for a call, a delivery, a state or quiet. */
import { durationSchema, milliseconds } from "../../kernel/duration.js";
import type { Problem } from "../../kernel/problems.js";
import { keyProblemAt, problemAt } from "../../kernel/problems.js";
import { boolean, integer, literal, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { either } from "../../kernel/words.js";
import { awaitIdle, awaitNone, awaitState, byClient } from "../expectations.js";
import { step } from "../step.js";
import { deliveryMatch, idSchema, patternsAt, requestMatch, withinKey } from "./parts.js";

const SUBJECTS = ["request", "delivery", "state", "idle", "none"] as const;
/** Which subjects a key makes sense with. */
const ONLY_WITH = {
  count: ["request", "delivery"],
  within: ["request", "delivery", "state", "idle"],
  for: ["none"],
} as const;

export const expect = step({
  key: "expect",
  words: "waits for a call by the system under test, a delivery, a state, or quiet; or makes sure of none",
  long: object({
    request: optional(requestMatch),
    delivery: optional(deliveryMatch),
    state: optional(
      object({
        collection: string({ minLength: 1 }),
        id: idSchema("of the record"),
        values: optional(record(unknown(), { description: "MATCH" })),
        absent: optional(boolean({ description: "true: there is no such record" })),
      }),
    ),
    idle: optional(literal(true)),
    none: optional(
      object(
        { request: optional(requestMatch), delivery: optional(deliveryMatch) },
        { minProperties: 1, maxProperties: 1 },
      ),
    ),
    count: optional(integer({ minimum: 1, maximum: 100_000, description: "how many; default 1" })),
    within: withinKey,
    for: optional({ ...durationSchema, description: "how long `none` lasts, in real time" }),
  }),
  beside: { within: withinKey },
  problems: (input) => {
    const named = SUBJECTS.filter((key) => input[key] !== undefined);
    if (named.length !== 1)
      return [
        problemAt(
          [],
          `must have ${named.length > 1 ? "only one of" : ""} ${either(SUBJECTS)}`.replace("  ", " "),
        ),
      ];
    const [subject] = named as [(typeof SUBJECTS)[number]];
    return [
      ...strayKeys(input, subject),
      ...patternsAt(input, "request", "delivery"),
      ...(input.none === undefined ? [] : prefixed("none", patternsAt(input.none, "request", "delivery"))),
      ...(input.state === undefined ? [] : prefixed("state", stateProblems(input.state))),
      ...(subject === "none" && input.for === undefined
        ? [problemAt(["for"], "is missing: none needs it")]
        : []),
    ];
  },
  run: async (run, { request, delivery, state, idle, none, count = 1, within, for: time = 0 }) => {
    const wait = run.within(within);
    if (request !== undefined) {
      const what = "an expected call by the system under test";
      const [call] = await run.ledger.take("requests", byClient(run, request), { count, within: wait, what });
      return { outcome: { ...call }, note: run.ledger.summary("requests", call) };
    }
    if (delivery !== undefined) {
      const what = "an expected delivery";
      const [first] = await run.ledger.take("deliveries", delivery, { count, within: wait, what });
      return { outcome: { ...first }, note: run.ledger.summary("deliveries", first) };
    }
    if (state !== undefined) return awaitState(run, state, wait);
    if (idle !== undefined) return awaitIdle(run, wait);
    return awaitNone(run, none ?? {}, milliseconds(time));
  },
});

const prefixed = (key: string, problems: Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, path: `${key}.${problem.path}` }));

const strayKeys = (input: object, subject: string): Problem[] =>
  Object.entries(ONLY_WITH).flatMap(([key, fits]: [string, readonly string[]]) =>
    Object.hasOwn(input, key) && !fits.includes(subject)
      ? [keyProblemAt([key], `makes sense with ${either(fits)} only`)]
      : [],
  );

function stateProblems({ values, absent }: { values?: object; absent?: boolean }): Problem[] {
  if (values === undefined && absent === undefined) return [problemAt(["values"], "is missing")];
  if (values !== undefined && absent === true)
    return [problemAt(["values"], "cannot be there: absent is true")];
  return patternsAt({ values }, "values");
}
