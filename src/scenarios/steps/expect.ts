/** Steps that wait for deliveries, calls, a state or quiet. */

import { titleOf } from "../../client/misses.js";
import { BOUNDS } from "../../kernel/bounds.js";
import type { Path } from "../../kernel/json.js";
import type { Difference } from "../../kernel/matching.js";
import type { Problem } from "../../kernel/problems.js";
import { keyProblemAt, problemAt, under } from "../../kernel/problems.js";
import type { Infer } from "../../kernel/schema.js";
import { integer, literal, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { durationSchema, milliseconds } from "../../kernel/units.js";
import { either } from "../../kernel/words.js";
import { deliveryMatchSchema, requestMatchSchema } from "../../service/world/matches.js";
import { StepFailure } from "../report.js";
import type { KnownValues, StepKind, StepResult, StepRun } from "../step.js";
import { step } from "../step.js";
import {
  idSchema,
  matchProblems,
  namesInMatch,
  patternProblemsIn,
  recordProblems,
  withinKey,
} from "./parts.js";

const SUBJECTS = ["request", "delivery", "state", "idle", "none"] as const;
/** The subjects that a key applies to. */
const ONLY_WITH = {
  count: ["request", "delivery"],
  within: ["request", "delivery", "state", "idle"],
  for: ["none"],
} as const;

/** Collections that the system under test may add to. */
const GROWING: readonly string[] = ["threads", "messages", "customers", "webhooks"];

const stateSchema = object({
  collection: string({ minLength: 1 }),
  id: idSchema("the record's id"),
  values: record(unknown(), { description: "MATCH" }),
});

export const EXPECTATIONS: readonly StepKind[] = [
  step({
    key: "expect",
    effect: "observes",
    needsSystem: ({ request }) => request !== undefined && request.by !== "scenario",
    description:
      "waits for a call by the system under test, a delivery, a state, or idleness; or checks that nothing matches",
    long: object({
      request: optional(requestMatchSchema),
      delivery: optional(deliveryMatchSchema),
      state: optional(stateSchema),
      idle: optional(literal(true)),
      none: optional(
        object(
          { request: optional(requestMatchSchema), delivery: optional(deliveryMatchSchema) },
          { minProperties: 1, maxProperties: 1 },
        ),
      ),
      count: optional(
        integer({ minimum: 1, maximum: BOUNDS.matchCount.limit, description: "how many", default: 1 }),
      ),
      within: withinKey,
      for: optional({
        ...durationSchema,
        description:
          "how long `none` must stay without a match, in real time, after looking at what has come since the last step that caused a delivery",
      }),
    }),
    beside: { within: withinKey },
    problems: (input, known) => {
      const named = SUBJECTS.filter((key) => input[key] !== undefined);
      const [subject, second] = named;
      if (subject === undefined || second !== undefined)
        return [problemAt([], `must have ${second === undefined ? "" : "only one of "}${either(SUBJECTS)}`)];
      const { state } = input;
      return [
        ...misplacedKeys(input, subject),
        ...matchesIn(input).flatMap(({ of, match, at }) => matchProblems(known, of, match, at)),
        ...(state === undefined ? [] : stateProblems(state, known).map((found) => under(["state"], found))),
        ...(subject === "none" && input.for === undefined
          ? [problemAt(["for"], "is missing: none needs it")]
          : []),
      ];
    },
    references: (input) => [
      ...matchesIn(input).flatMap(({ match, at }) => namesInMatch(match, at)),
      ...(input.state === undefined || GROWING.includes(input.state.collection)
        ? []
        : [{ collection: input.state.collection, name: input.state.id, at: ["state", "id"] }]),
    ],
    run: async (run, { request, delivery, state, idle, none, count = 1, within: own, for: time = 0 }) => {
      const within = run.within(own);
      if (state !== undefined) return awaitState(run, state, within);
      if (idle !== undefined) return awaitIdle(run, within);
      if (none !== undefined) return awaitNone(run, none, milliseconds(time));
      const wanted = { count, within };
      const { entry } =
        request === undefined
          ? await run.take("deliveries", delivery ?? {}, { ...wanted, what: "No expected delivery" })
          : await run.take("requests", byClient(request), {
              ...wanted,
              what: "No expected call by your program",
            });
      return { outcome: { ...entry }, note: titleOf(entry) };
    },
  }),
];

interface Matches {
  readonly request?: object;
  readonly delivery?: object;
  readonly none?: Omit<Matches, "none">;
}

const matchesIn = (
  { none, ...own }: Matches,
  at: Path = [],
): { readonly of: "request" | "delivery"; readonly match: object; readonly at: Path }[] => [
  ...(["request", "delivery"] as const).flatMap((of) => {
    const { [of]: match } = own;
    return match === undefined ? [] : [{ of, match, at: [...at, of] }];
  }),
  ...(none === undefined ? [] : matchesIn(none, ["none"])),
];

/** Only calls by the system under test count. */
const byClient = (match: object): object => ({ by: "client", ...match });

/** Keys that do not apply to what the step waits for. */
const misplacedKeys = (input: object, subject: string): Problem[] =>
  Object.entries(ONLY_WITH).flatMap(([key, fits]: [string, readonly string[]]) =>
    Object.hasOwn(input, key) && !fits.includes(subject)
      ? [keyProblemAt([key], `applies only to ${either(fits)}`)]
      : [],
  );

/** Of one `POST /wait`, ms. */
const limited = (ms: number): number => Math.min(Math.ceil(ms), BOUNDS.waitMs.limit);

type ExpectedState = Infer<typeof stateSchema>;

const stateProblems = ({ collection, values }: ExpectedState, known: KnownValues): Problem[] => [
  ...patternProblemsIn({ values }, "values"),
  ...recordProblems(known, collection, values),
];

interface WaitedState {
  readonly matches: readonly unknown[];
  readonly nearMisses?: readonly { readonly entry: unknown; readonly differences: readonly Difference[] }[];
}

async function awaitState(
  { transport }: StepRun,
  { collection, id, values }: ExpectedState,
  within: number,
): Promise<StepResult> {
  const state = { collection, id: String(id), values };
  const options = { body: { for: { state }, timeoutMs: limited(within) }, accept: [408] };
  const { status, body } = await transport.answer<WaitedState>("POST", "/wait", options);
  const what = `${collection}/${id}`;
  const [nearest] = body.nearMisses ?? [];
  if (status !== 408) return { outcome: { body: body.matches[0] }, note: `${what} is as expected` };
  if (nearest === undefined) throw new StepFailure(`there is no ${what}`, { expected: values });
  const { entry: seen, differences } = nearest;
  const nearMisses = [{ id: String(id), summary: what, differences }];
  throw new StepFailure(`${what} is not as expected`, { expected: values, seen, nearMisses });
}

async function awaitIdle(run: StepRun, within: number): Promise<StepResult> {
  const { transport } = run;
  const options = { body: { for: "idle", timeoutMs: limited(within) }, accept: [408] };
  const { status, body } = await transport.answer<{ onTheirWay?: string[] }>("POST", "/wait", options);
  if (status !== 408) return { note: "idle" };
  throw new StepFailure(`not idle within ${Math.round(within)} ms`, {
    expected: "no pending call, no due delivery",
    seen: body.onTheirWay,
  });
}

async function awaitNone(
  run: StepRun,
  { request, delivery = {} }: { readonly request?: object; readonly delivery?: object },
  time: number,
): Promise<StepResult> {
  const match = request === undefined ? delivery : byClient(request);
  const entry = await run.quiet(request === undefined ? "deliveries" : "requests", match, time);
  if (entry === undefined) return { note: `none for ${time} ms` };
  throw new StepFailure(`there should have been none for ${time} ms`, {
    expected: { none: match },
    seen: titleOf(entry),
  });
}
