/** What a load came to: the schema of its JSON report, and the type. */

import { BOUNDS } from "../kernel/bounds.js";
import { milliseconds } from "../kernel/duration.js";
import type { InferReadonly } from "../kernel/schema.js";
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
} from "../kernel/schema.js";
import { unknownKey } from "../kernel/words.js";
import type { Latency, Tally } from "./tally.js";

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

export interface Expectation {
  /** As it was given. */
  readonly text: string;
  /** Whether it holds, and what was seen. */
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

/** Conversations that ended so. */
const COUNTED = { failures: "failed", timeouts: "timeouts", wrong: "wrong" } as const;
const NAMES = ["p50", "p90", "p99", "max", "mean", ...Object.keys(COUNTED)];

/** Reads an expectation. @returns why it cannot be read, in place of it */
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

/** `p99.9`, `max`; undefined for other names. */
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
  const judge = ({ latency }: Judged) => {
    const seen = percentile === undefined ? latency.figures.mean : latency.at(percentile);
    return seen === null ? { ok: false, seen: "no reply" } : { ok: holds(seen, limitMs), seen: msText(seen) };
  };
  return { text, judge };
}

function ofConversations(text: string, key: "failed" | "timeouts" | "wrong", holds: Holds, limit: string) {
  const [, digits, sign] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(limit) ?? [];
  if (digits === undefined)
    return `"${text}": the limit must be a share such as 0.1%, or a number, but is "${limit}"`;
  const judge = (figures: Judged) => {
    const ended = figures.done + figures.failed;
    if (ended === 0) return { ok: false, seen: "no conversation came to its end" };
    const seen = figures[key];
    const ok = holds(sign === "%" ? (100 * seen) / ended : seen, Number(digits));
    return { ok, seen: `${seen} of ${ended}, ${shareOf(seen, ended)}` };
  };
  return { text, judge };
}

/** Lag above this share of the median latency is a part of it that counts. */
const SHARE = 0.25;
/** Less lag than this is what an idle process has too, ms. */
const IDLE_LAG_MS = 2;

type Seen = Pick<LoadReport, "lag" | "sending" | "pendingPeak" | "conversations"> & {
  readonly p50: number | null;
  /** How often what the generator hears of broke off. */
  readonly breaks: number;
  /** Whether deliveries of a webhook go one after the other. */
  readonly isOrdered: boolean;
};

export function notesOn({
  lag,
  sending,
  pendingPeak,
  conversations,
  p50,
  breaks,
  isOrdered,
}: Seen): string[] {
  const notes: string[] = [];
  const isOwn = (p99: number) => p99 > IDLE_LAG_MS && (p50 === null || p99 > SHARE * p50);
  const late = (whose: string, p99: number, advice: string) =>
    `The latencies are ${whose} own in part: in the middle second its event loop came up to ${msText(p99)} late (99th percentile), ` +
    `and half of the replies took ${msText(p50)} or less. ${advice}`;
  const { simulator, generator, sameProcess } = lag;
  if (sameProcess && isOwn(Math.max(simulator.p99, generator.p99)))
    notes.push(
      late("the simulator's and the generator's", Math.max(simulator.p99, generator.p99), ONE_PROCESS),
    );
  if (!sameProcess && isOwn(simulator.p99)) notes.push(late("the simulator's", simulator.p99, LESS));
  if (!sameProcess && isOwn(generator.p99)) notes.push(late("the generator's", generator.p99, SEVERAL));
  if (sending.p50 !== null && isOwn(sending.p50))
    notes.push(
      `Messages were late: half of them took ${msText(sending.p50)} or more from when they were due until the simulator had taken ` +
        `them, and half of the replies took ${msText(p50)} or less, that time included. ${sameProcess ? ONE_PROCESS : LESS}`,
    );
  const atOnce = isOrdered ? 1 : BOUNDS.webhookConcurrency.limit;
  if (pendingPeak > 2 * atOnce)
    notes.push(
      `Deliveries waited in the simulator: up to ${pendingPeak} were on their way, of which each webhook gets ${atOnce} at once. ` +
        (isOrdered
          ? "The behaviour delivery.order: none sends them as they come."
          : "A program that answers its webhook before it does its work gets them sooner."),
    );
  if (conversations.turnedAway > 0)
    notes.push(
      `${conversations.turnedAway} arrivals were turned away: there were ${conversations.peak} customers already.`,
    );
  if (breaks > 0)
    notes.push(
      `The event stream of the simulator broke off ${breaks} times: replies of that time were missed.`,
    );
  return notes;
}

const LESS = "Have fewer customers, or give the simulator a core of its own.";
const ONE_PROCESS =
  "Have fewer customers, or start the simulator as a process of its own (messaging-sim serve) and name it with --url; on Node 20 " +
  "and 22 NODE_OPTIONS=--max-semi-space-size=64 saves a tenth of the work or more.";
const SEVERAL = "Have fewer customers, or several generators.";
