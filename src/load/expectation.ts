/** What a load is expected to come to: `p99<2s`, `failures<0.1%`. */
import { milliseconds } from "../kernel/duration.js";
import { unknownKey } from "../kernel/words.js";
import type { Latency } from "./latency.js";
import { msText, shareOf } from "./report.js";
import type { Tally } from "./tally.js";

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
