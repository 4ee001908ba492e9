/** Bounds for numbers and durations that a recording does not show exactly. */

import { durationText, milliseconds } from "../../kernel/duration.js";
import { isObject } from "../../kernel/json.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { eventIdOf } from "./deliveries.js";
import type { Interval } from "./report.js";
import type { Exchange, Trace } from "./trace.js";

const SECOND_MS = 1_000;

/** How a value is counted: in integers, starting at one. */
interface Measure {
  readonly key: BehaviourKey;
  readonly countOf: (value: unknown) => number;
  readonly valueAt: (count: number, current: unknown) => unknown;
}

const numeric = (key: BehaviourKey): Measure => ({ key, countOf: Number, valueAt: (count) => count });
const inSeconds = (duration: unknown): number => milliseconds(duration as string) / SECOND_MS;
const secondsText = (count: number): string => durationText(count * SECOND_MS);

export const MEASURES: readonly Measure[] = [
  numeric("limits.textLength"),
  numeric("limits.webhooks"),
  numeric("limits.bodyBytes"),
  { key: "window.duration", countOf: inSeconds, valueAt: secondsText },
  {
    key: "limits.rate",
    countOf: (value) => Number((value as Record<string, unknown>).requests),
    valueAt: (count, current) => ({ ...(current as object), requests: count }),
  },
];

/** No limit in a recording is higher than this. */
const MOST = 2 ** 27;

/**
 * The lowest and the highest count consistent with a recording, by bisection. `objection`: the exchange that rules a count
 * out. If `start` is undefined, the limit was never reached, and only the lowest is searched for.
 */
export async function boundsOf(
  start: number | undefined,
  objection: (count: number) => Promise<number | undefined>,
): Promise<{ least?: number; most?: number; against: readonly number[] }> {
  const against: number[] = [];
  const edge = async (inside: number, outside: number): Promise<number | undefined> => {
    let by = await objection(outside);
    if (by === undefined) return undefined;
    let [near, far] = [inside, outside];
    while (Math.abs(far - near) > 1) {
      const middle = Math.floor((near + far) / 2);
      const index = await objection(middle);
      if (index === undefined) near = middle;
      else [far, by] = [middle, index];
    }
    against.push(by);
    return near;
  };
  if (start === undefined && (await objection(MOST)) !== undefined) return { against };
  const least = await edge(start ?? MOST, 1);
  const most = start === undefined || start >= MOST ? undefined : await edge(start, MOST);
  return { ...(least !== undefined && { least }), ...(most !== undefined && { most }), against };
}

/** The delays between a service's attempts, and for how long it accepted a key, read off deliveries and answers without playing them. */
export function seenIntervals(
  trace: Trace,
  evidenceOf: (exchange: Exchange) => Interval["evidence"][number],
): Interval[] {
  const attempts = new Map<string, Exchange[]>();
  const used = new Map<string, Exchange[]>();
  for (const exchange of trace) {
    const { kind, message } = exchange;
    const [groups, name] =
      kind === "call"
        ? [used, message.headers.token]
        : [attempts, `${kind} ${eventIdOf(exchange)} ${exchange.path}`];
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), exchange]);
  }
  // Two webhooks may have the same address: a delivery a moment later is not a retry.
  const retried = [...attempts.values()]
    .map((tries) => ({ tries, gaps: tries.slice(1).map((next, index) => pauseBetween(tries[index], next)) }))
    .filter(
      ({ tries: [first], gaps }) =>
        gaps.length > 0 && (first?.message.status ?? 0) >= 300 && gaps.every((gap) => gap >= SECOND_MS),
    );
  const longestList = Math.max(0, ...retried.map(({ gaps }) => gaps.length));
  const gaps = Array.from({ length: longestList }, (_, index) =>
    Math.min(...retried.flatMap((each) => each.gaps[index] ?? [])),
  );
  const evidence = retried.slice(0, 2).flatMap(({ tries }) => tries.slice(0, 3).map(evidenceOf));
  const expired = [...used.values()].flatMap((calls) => {
    const taken = calls.filter(({ message }) => message.status < 400);
    const [first, last, end] = [taken[0], taken.at(-1), calls.at(-1)];
    if (first === undefined || last === undefined || end?.message.status !== 401) return [];
    return [{ ms: last.at - first.at, evidence: [evidenceOf(last), evidenceOf(end)] }];
  });
  const [longest] = expired.sort((a, b) => b.ms - a.ms);
  return [
    ...(gaps.length === 0
      ? []
      : [
          { key: "delivery.attempts", atLeast: gaps.length + 1, evidence },
          { key: "delivery.backoff", atMost: gaps.map((gap) => durationText(gap)), evidence },
        ]),
    ...(longest === undefined
      ? []
      : [{ key: "tokens.lifetime", atLeast: durationText(longest.ms), evidence: longest.evidence }]),
  ];
}

const pauseBetween = (before: Exchange | undefined, after: Exchange): number =>
  before === undefined ? 0 : Math.floor(after.at - before.at - before.message.durationMs);

/** Whether an earlier value is outside of the new bounds. */
export function isBeyond(value: unknown, { key, atLeast, atMost }: Interval): boolean {
  const measure = MEASURES.find((one) => one.key === key);
  if (measure === undefined || value === null || value === undefined) return false;
  const [count, least, most] = [value, atLeast, atMost].map((one) =>
    one === undefined || (key === "limits.rate" && !isObject(one)) ? Number.NaN : measure.countOf(one),
  ) as [number, number, number];
  return count < least || count > most;
}
