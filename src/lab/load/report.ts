/** The report of a load test: its JSON Schema and type, judged expectations, and notes. */
import { BOUNDS } from "../../kernel/bounds.js";
import type { InferReadonly } from "../../kernel/schema.js";
import {
  array,
  boolean,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
} from "../../kernel/schema.js";
import { milliseconds } from "../../kernel/units.js";
import { unknownKey } from "../../kernel/words.js";
import type { Latency, Tally } from "./tally.js";

const ms = (description: string) => nullable(number({ description: `${description}, ms` }));
const lag = (of: string) =>
  object(
    {
      p50: number({ description: "ms" }),
      p99: number({ description: "ms" }),
      max: number({ description: "over the whole run, ms" }),
    },
    { description: `event loop lag of the ${of}: percentiles of the median second` },
  );

const point = object(
  {
    s: number({ description: "end of the interval, s since the start" }),
    length: number({ description: "of the interval, s" }),
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
export type Point = InferReadonly<typeof point>;

export const loadReportSchema = object(
  {
    ok: boolean({ description: "every expectation holds" }),
    expectations: array(
      object({ expectation: string(), ok: boolean(), seen: string() }, { title: "judged expectation" }),
    ),
    model: oneOf(["closed", "open"], {
      description: "a number of concurrent customers, or a rate of arrivals",
    }),
    customers: optional(integer({ description: "closed: the number of concurrent customers" })),
    arrivalsPerSecond: optional(number({ description: "open" })),
    forMs: number(),
    rampMs: number(),
    startedAt: string({ format: "date-time" }),
    durationMs: number({ description: "until the last conversation ended" }),
    endedEarly: boolean({ description: "true if Ctrl+C ended it" }),
    scenarios: array(object({ name: string(), file: optional(string()) }, { title: "scenario played" })),
    conversations: object(
      {
        started: integer(),
        done: integer({ description: "every step passed" }),
        failed: integer(),
        unfinished: integer({ description: "unfinished when the load test ended" }),
        turnedAway: integer({ description: "arrivals above the limit on customers" }),
        peak: integer({ description: "the maximum at once" }),
      },
      { description: "customers' runs of scenarios" },
    ),
    messages: integer({ description: "messages by customers and employees" }),
    messagesPerSecond: number(),
    replies: integer({ description: "visible messages by the system under test that a step expected" }),
    timeouts: integer({ description: "conversations that failed because no reply came in time" }),
    wrong: integer({ description: "conversations that failed because of a wrong reply" }),
    unasked: integer({
      description: "visible messages by the system under test that no step expected, such as late ones",
    }),
    latency: object(
      {
        count: integer(),
        mean: ms("mean"),
        p50: ms("half were at most this"),
        p90: ms("90 % were at most this"),
        p99: ms("99 % were at most this"),
        max: ms("the slowest"),
        curve: array(object({ percentile: number(), ms: number() }, { title: "percentile" })),
      },
      {
        description:
          "of replies, from the due time of the message that they answer; for a missing reply, the time waited",
      },
    ),
    sending: object(
      { p50: ms("half were at most this"), p99: ms("99 % were at most this"), max: ms("the slowest") },
      { description: "from the due time of a message until the simulator accepted it: part of the latency" },
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
    deliveries: record(integer(), { description: "completed deliveries, by outcome" }),
    pendingPeak: integer({ description: "the most pending deliveries" }),
    lag: object({
      simulator: lag("simulator"),
      generator: lag("generator"),
      sameProcess: boolean({ description: "both share one process and its event loop" }),
    }),
    notes: array(string(), {
      description: "warnings about figures that do not reflect the system under test",
    }),
    timeline: array(point, { description: "a point for each second, or for several in long runs" }),
  },
  { title: "load report" },
);
export type LoadReport = InferReadonly<typeof loadReportSchema>;

/** A share in per cent. */
export const shareOf = (part: number, whole: number): string =>
  whole === 0 ? "0 %" : `${Number(((100 * part) / whole).toPrecision(2))} %`;

export function msText(value: number | null): string {
  if (value === null) return "none";
  if (value < 10) return `${value.toFixed(1)} ms`;
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(2)} s`;
}

export interface Expectation {
  readonly text: string;
  judge(figures: Judged): { readonly ok: boolean; readonly seen: string };
}

type Judged = Pick<Tally, "done" | "failed" | "timeouts" | "wrong"> & {
  readonly latency: Pick<Latency, "at" | "figures">;
};

const COMPARED = {
  "<": (seen: number, limit: number) => seen < limit,
  "<=": (seen: number, limit: number) => seen <= limit,
  ">": (seen: number, limit: number) => seen > limit,
  ">=": (seen: number, limit: number) => seen >= limit,
} as const;

const COUNTED = { failures: "failed", timeouts: "timeouts", wrong: "wrong" } as const;
const NAMES = ["p50", "p90", "p99", "max", "mean", ...Object.keys(COUNTED)];

/** Parses an expectation such as `p99<2s` or `failures<0.1%`. @returns an error message if it is none */
export function readExpectation(text: string): Expectation | string {
  const [, name = "", operator = "", limit = ""] = /^\s*([\w.]+)\s*(<=|>=|<|>)\s*(.*?)\s*$/.exec(text) ?? [];
  if (operator === "")
    return `must be a figure, one of < <= > >=, and a limit, such as p99<2s, but is "${text}"`;
  const holds = COMPARED[operator as keyof typeof COMPARED];
  const percentile = percentileOf(name);
  if (percentile !== undefined || name === "mean") return ofLatency(text, percentile, holds, limit);
  if (!Object.hasOwn(COUNTED, name)) return `"${text}": ${unknownKey("figure", name, NAMES)}`;
  return ofConversations(text, COUNTED[name as keyof typeof COUNTED], holds, limit);
}

/** The percentile of `p99.9` or `max`. */
function percentileOf(name: string): number | undefined {
  if (name === "max") return 100;
  const [, digits] = /^p(\d+(?:\.\d+)?)$/.exec(name) ?? [];
  return digits === undefined || Number(digits) > 100 ? undefined : Number(digits);
}

type Holds = (seen: number, limit: number) => boolean;

function ofLatency(text: string, percentile: number | undefined, holds: Holds, limit: string) {
  const limitMs = milliseconds(limit);
  if (!(limitMs >= 0))
    return `"${text}": the limit must be a duration such as 2s or 500ms, but is "${limit}"`;
  const judge = ({ latency, timeouts }: Judged) => {
    const { count, mean } = latency.figures;
    const seen = percentile === undefined ? mean : latency.at(percentile);
    if (seen === null) return { ok: false, seen: "no reply" };
    // How long a reply that did not come would have taken is unknown: no upper limit (0 is below 1) holds for it.
    const isOpen = timeouts > count * (percentile === undefined ? 0 : 1 - percentile / 100);
    if (isOpen && holds(0, 1)) return { ok: false, seen: `${msText(seen)} or more: ${timeouts} timeouts` };
    return { ok: holds(seen, limitMs), seen: msText(seen) };
  };
  return { text, judge };
}

function ofConversations(text: string, key: "failed" | "timeouts" | "wrong", holds: Holds, limit: string) {
  const [, digits, sign] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(limit) ?? [];
  if (digits === undefined)
    return `"${text}": the limit must be a share such as 0.1%, or a number, but is "${limit}"`;
  const judge = (figures: Judged) => {
    const ended = figures.done + figures.failed;
    if (ended === 0) return { ok: false, seen: "no conversation ended" };
    const seen = figures[key];
    const ok = holds(sign === "%" ? (100 * seen) / ended : seen, Number(digits));
    return { ok, seen: `${seen} of ${ended}, ${shareOf(seen, ended)}` };
  };
  return { text, judge };
}

/** Lag and delays matter above this share of the latency. */
const SHARE = 0.25;
/** An idle process has up to this lag too, ms. */
const IDLE_LAG_MS = 2;

/** Figures of latency, the messages and replies that they are about, and the least delay that matters, ms. */
const DELAYS = [
  ["p50", "half", "Half of the replies", IDLE_LAG_MS],
  ["p99", "1 %", "99 % of the replies", 20],
  ["max", "one", "All replies", 100],
] as const;

type Seen = Pick<LoadReport, "lag" | "sending" | "pendingPeak" | "conversations"> & {
  readonly latency: LoadReport["sending"];
  /** How often the event stream broke. */
  readonly breaks: number;
  /** Whether each webhook gets one delivery at a time. */
  readonly isOrdered: boolean;
};

/** Warns of figures that are partly the simulator's or the generator's own. */
export function notesOn(seen: Seen): string[] {
  const { lag, sending, pendingPeak, conversations, latency, breaks, isOrdered } = seen;
  const notes: string[] = [];
  const { p50 } = latency;
  const isOwn = (delay: number, of = p50, least = IDLE_LAG_MS) =>
    of !== null && delay > least && delay > SHARE * of;
  const { simulator, generator, sameProcess } = lag;
  const lags = sameProcess
    ? ([
        ["the simulator's and the generator's", Math.max(simulator.p99, generator.p99), ONE_PROCESS],
      ] as const)
    : ([
        ["the simulator's", simulator.p99, LESS],
        ["the generator's", generator.p99, SEVERAL],
      ] as const);
  for (const [whose, p99, advice] of lags)
    if (isOwn(p99))
      notes.push(
        `Part of the latency is ${whose}: its event loop lagged by ${msText(p99)} (99th percentile, median second), ` +
          `and half of the replies took ${msText(p50)} or less. ${advice}`,
      );
  const delay = DELAYS.find(([key, , , least]) => isOwn(sending[key] ?? 0, latency[key], least));
  if (delay !== undefined) {
    const [key, some, most] = delay;
    notes.push(
      `Messages were late: ${some} took ${msText(sending[key])} or more from their due time until the simulator ` +
        `accepted them. ${most} took ${msText(latency[key])} or less, including that time. ${sameProcess ? ONE_PROCESS : LESS}`,
    );
  }
  const atOnce = isOrdered ? 1 : BOUNDS.webhookConcurrency.limit;
  if (pendingPeak > 2 * atOnce)
    notes.push(
      `Deliveries queued in the simulator: up to ${pendingPeak} were pending, and each webhook gets ${atOnce} at a time. ` +
        (isOrdered
          ? "With the behaviour delivery.order: none, they are sent immediately."
          : "Respond to the webhook before you process it."),
    );
  if (conversations.turnedAway > 0)
    notes.push(
      `${conversations.turnedAway} arrivals were rejected: there were already ${conversations.peak} customers.`,
    );
  if (breaks > 0)
    notes.push(
      `The event stream of the simulator was interrupted ${breaks} times: replies in between were missed.`,
    );
  return notes;
}

const LESS = "Use fewer customers, or give the simulator a core of its own.";
const ONE_PROCESS =
  "Use fewer customers, or start the simulator in its own process (messaging-sim serve) and pass --url; on Node 20 " +
  "and 22 NODE_OPTIONS=--max-semi-space-size=64 saves at least a tenth of the processor time.";
const SEVERAL = "Use fewer customers, or several generators.";
