/** Bounds of numbers and durations that are read off a recording without playing it. */

import { getOrInsert, isObject } from "../../kernel/objects.js";
import { durationText, milliseconds } from "../../kernel/units.js";
import { evidenceOf, type Interval } from "./report.js";
import type { Exchange, Trace } from "./trace.js";
import { endOf, eventIdOf, isAccepted, tokenOf } from "./trace.js";

const SECOND_MS = 1_000;

/** The delays between a service's attempts, for how long it accepted a key, and how often. */
export function seenIntervals(trace: Trace): Interval[] {
  const attempts = new Map<string, Exchange[]>();
  const used = new Map<string, Exchange[]>();
  for (const exchange of trace) {
    const [groups, name] =
      exchange.kind === "call"
        ? [used, tokenOf(exchange)]
        : [attempts, `${exchange.kind} ${eventIdOf(exchange)} ${exchange.url}`];
    getOrInsert(groups, name, () => []).push(exchange);
  }
  used.delete("");
  return [...pauses([...attempts.values()]), ...lifetime([...used.values()]), ...rate([...used.values()])];
}

function pauses(attempts: readonly Exchange[][]): Interval[] {
  // Two webhooks may have the same address: a delivery a moment later is not a retry.
  const retried = attempts
    .map((tries) => ({ tries, gaps: tries.slice(1).map((next, index) => pauseBetween(tries[index], next)) }))
    .filter(
      ({ tries, gaps }) =>
        gaps.length > 0 &&
        tries.slice(0, -1).every(({ message }) => message.status >= 300) &&
        gaps.every((gap) => gap >= SECOND_MS),
    );
  const longest = Math.max(0, ...retried.map(({ gaps }) => gaps.length));
  if (longest === 0) return [];
  const gaps = Array.from({ length: longest }, (_, index) =>
    Math.min(...retried.flatMap((each) => each.gaps[index] ?? [])),
  );
  const evidence = retried.slice(0, 2).flatMap(({ tries }) => tries.slice(0, 3).map(evidenceOf));
  return [
    { key: "delivery.attempts", atLeast: longest + 1, evidence },
    { key: "delivery.backoff", atMost: gaps.map((gap) => durationText(gap)), evidence },
  ];
}

function lifetime(used: readonly Exchange[][]): Interval[] {
  const expired = used.flatMap((calls) => {
    const accepted = calls.filter(isAccepted);
    const [first, last, end] = [accepted[0], accepted.at(-1), calls.at(-1)];
    if (first === undefined || last === undefined || end?.message.status !== 401) return [];
    return [{ ms: last.at - endOf(first), evidence: [evidenceOf(last), evidenceOf(end)] }];
  });
  const [longest] = expired.sort((a, b) => b.ms - a.ms);
  if (longest === undefined || longest.ms <= 0) return [];
  return [{ key: "tokens.lifetime", atLeast: durationText(longest.ms), evidence: longest.evidence }];
}

interface Window {
  readonly requests: number;
  readonly least: number;
  readonly most: number;
  readonly end: Exchange;
}

/** A window of a limit begins with the first call after the end that `Retry-After` told, and ends as the next refusal tells. */
function windowsOf(calls: readonly Exchange[]): Window[] {
  const windows: Window[] = [];
  let begun: { readonly first: Exchange; count: number } | undefined;
  let endsBy = Number.POSITIVE_INFINITY;
  for (const call of calls) {
    const after = Number(call.message.responseHeaders["retry-after"]) * SECOND_MS;
    if (call.message.status === 429 && Number.isFinite(after)) {
      if (begun !== undefined) {
        const least = call.at + after - SECOND_MS - endOf(begun.first);
        windows.push({ requests: begun.count, least, most: endOf(call) + after - begun.first.at, end: call });
        begun = undefined;
      }
      endsBy = endOf(call) + after;
    } else if (begun !== undefined) begun.count += 1;
    else if (call.at >= endsBy) begun = { first: call, count: 1 };
    // It may have begun the window on its way.
    else if (endsBy < Number.POSITIVE_INFINITY) endsBy = Number.POSITIVE_INFINITY;
  }
  return windows;
}

/** Two windows that agree: one alone may be the limit of something else. */
function rate(used: readonly Exchange[][]): Interval[] {
  for (const [first, second] of used.map(windowsOf)) {
    if (first === undefined || second === undefined || first.requests !== second.requests) continue;
    const [least, most] = [Math.max(first.least, second.least), Math.min(first.most, second.most)];
    if (least > most || least <= 0) continue;
    const bound = (ms: number) => ({ requests: first.requests, per: durationText(ms) });
    return [
      {
        key: "limits.rate",
        atLeast: bound(least),
        atMost: bound(most),
        evidence: [first, second].map(({ end }) => evidenceOf(end)),
      },
    ];
  }
  return [];
}

/** The first call that a limit of calls would have refused: it has no more than one window for each `per` that has begun. */
export function beyondRate(trace: Trace, limit: unknown): Exchange | undefined {
  if (!isObject(limit)) return undefined;
  const [requests, per] = [Number(limit.requests), milliseconds(limit.per as string)];
  const used = new Map<string, Exchange[]>();
  for (const call of trace) {
    if (call.kind !== "call" || !isAccepted(call)) continue;
    const calls = getOrInsert(used, tokenOf(call), () => []);
    calls.push(call);
    const first = calls.at(-2 * requests - 1);
    if (first !== undefined && endOf(call) - first.at < per) return call;
  }
  return undefined;
}

const pauseBetween = (before: Exchange | undefined, after: Exchange): number =>
  before === undefined ? 0 : Math.floor(after.at - before.at - before.message.durationMs);
