/** What a load came to: the schema of its JSON report, and the type. */
import {
  array,
  boolean,
  type InferReadonly,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from "../kernel/schema.js";

const ms = (description: string) => nullable(number({ description: `${description}, ms` }));
const lag = (of: string) =>
  object(
    {
      p50: number({ description: "ms" }),
      p99: number({ description: "ms" }),
      max: number({ description: "over the whole run, ms" }),
    },
    { description: `event loop lag of the ${of}: percentiles within a second, those of the middle second` },
  );

const point = object(
  {
    s: number({ description: "end of the stretch, s since the start" }),
    length: number({ description: "of the stretch, s" }),
    customers: integer(),
    messages: integer(),
    replies: integer(),
    failures: integer(),
    p50: ms("reply latency"),
    p99: ms("reply latency"),
    simulatorLag: number({ description: "99th percentile, ms" }),
    generatorLag: number({ description: "99th percentile, ms" }),
  },
  { title: "point" },
);
/** One stretch of time. */
export type Point = InferReadonly<typeof point>;

export const loadReportSchema = object(
  {
    ok: boolean({ description: "every expectation holds" }),
    expectations: array(
      object({ expectation: string(), ok: boolean(), seen: string() }, { title: "judged expectation" }),
    ),
    model: oneOf(["closed", "open"], {
      description: "so many customers at once, or so many arrivals a second",
    }),
    customers: optional(integer({ description: "closed: how many at once" })),
    arrivalsPerSecond: optional(number({ description: "open" })),
    forMs: number(),
    rampMs: number(),
    startedAt: string({ format: "date-time" }),
    durationMs: number({ description: "until the last customer was through" }),
    endedEarly: boolean({ description: "by Ctrl+C" }),
    scenarios: array(object({ name: string(), file: optional(string()) }, { title: "scenario played" })),
    conversations: object(
      {
        started: integer(),
        done: integer({ description: "every step did what it should" }),
        failed: integer(),
        unfinished: integer({ description: "the load was over before they were" }),
        turnedAway: integer({ description: "arrivals for which there was no room" }),
        peak: integer({ description: "the most at once" }),
      },
      { description: "each customer's way through a scenario" },
    ),
    messages: integer({ description: "what customers and employees wrote" }),
    messagesPerSecond: number(),
    replies: integer({ description: "visible messages of the system under test that a step took" }),
    timeouts: integer({ description: "conversations that failed because no reply came in time" }),
    wrong: integer({ description: "conversations that failed because a reply did not fit" }),
    unasked: integer({
      description:
        "visible messages of the system under test that no step asked for, such as those that came late",
    }),
    latency: object(
      {
        count: integer(),
        mean: ms("mean"),
        p50: ms("half were as fast"),
        p90: ms("of ten, nine were as fast"),
        p99: ms("of a hundred, 99 were as fast"),
        max: ms("the slowest"),
        curve: array(object({ percentile: number(), ms: number() }, { title: "percentile" })),
      },
      { description: "of replies, from when the message was due that they answer" },
    ),
    sending: object(
      { p50: ms("half were as fast"), p99: ms("of a hundred, 99 were as fast") },
      { description: "from when a message was due until the simulator had taken it: a part of the latency" },
    ),
    failures: array(
      object(
        {
          kind: oneOf(["timeout", "wrong", "other"]),
          step: string(),
          place: string(),
          count: integer(),
          message: string({ description: "of the first" }),
        },
        { title: "failures of a step" },
      ),
    ),
    calls: record(integer(), {
      description: "calls to the simulated API, by operation and status class, as the simulator counts them",
    }),
    deliveries: record(integer(), { description: "deliveries that came to their end, by outcome" }),
    pendingPeak: integer({ description: "the most deliveries that were on their way at once" }),
    lag: object({
      simulator: lag("simulator"),
      generator: lag("generator"),
      sameProcess: boolean({ description: "both are one process, and have one event loop" }),
    }),
    notes: array(string(), { description: "what of the figures is the simulator's or the generator's own" }),
    timeline: array(point, { description: "a point for each second; in long runs for several" }),
  },
  { title: "load report" },
);
export type LoadReport = InferReadonly<typeof loadReportSchema>;

/** `18 of 400` as a share, per cent. */
export const shareOf = (part: number, whole: number): string =>
  whole === 0 ? "0 %" : `${Number(((100 * part) / whole).toPrecision(2))} %`;

/** A latency for readers. */
export function msText(value: number | null): string {
  if (value === null) return "none";
  if (value < 10) return `${value.toFixed(1)} ms`;
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(2)} s`;
}
