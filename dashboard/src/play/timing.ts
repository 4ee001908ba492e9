import { getOrInsert } from "../../../src/kernel/objects.js";
import { asksBot } from "../model/entries";
import type { DeliveryRecord, RequestRecord } from "../model/types";
import type { Turn } from "../story/turns";

/** What a turn spends its time with, in the order in which it usually happens. */
const PHASES = ["event", "attempts", "bot", "calls", "reply"] as const;
export type Phase = (typeof PHASES)[number];

/** A stretch of a turn, ms. */
interface Stretch {
  readonly phase: Phase;
  readonly ms: number;
}

/** Where the time of a turn went, from the customer's message to the reply. */
export interface Timing {
  readonly key: string;
  /** When the customer wrote, ms of the sandbox's time. */
  readonly at: number;
  readonly text: string;
  readonly hasReply: boolean;
  /** One after the other, without a gap. */
  readonly stretches: readonly Stretch[];
  /** Whether the clock stood still: durations one after the other are all that is known. */
  readonly isFrozen: boolean;
}

/** Looks up what a turn names by its ids. */
interface Logs {
  readonly request: (id: string) => RequestRecord | undefined;
  readonly delivery: (id: string) => DeliveryRecord | undefined;
  /** The call that wrote a message. */
  readonly writerOf: (messageId: string) => string | undefined;
}

interface Interval {
  readonly phase: Phase;
  readonly from: number;
  readonly to: number;
}

/** Which of two that happen at the same time counts: the reply before other calls, and those before an open attempt. */
const FIRST: readonly Phase[] = ["reply", "calls", "attempts"];

/** Where the time of a turn went; undefined where no customer wrote in it, or the logs tell nothing of it. */
export function timingOf({ key, steps }: Turn, logs: Logs): Timing | undefined {
  const [opening] = steps.flatMap((step) => (step.kind === "message" ? [step.message] : []));
  if (opening === undefined || !opening.fromCustomer) return undefined;
  const start = opening.timestamp;
  const until = steps.findIndex((step) => step.kind === "message" && step.answeredAfter !== undefined);
  const answer = steps[until];
  const writer = answer?.kind === "message" ? logs.writerOf(answer.message.id) : undefined;
  const ids = steps
    .slice(0, until === -1 ? steps.length : until)
    .flatMap((step) => (step.kind === "events" ? step.folds.flatMap((fold) => fold.ids) : []));
  const intervals = intervalsOf(ids, writer, logs);
  if (intervals.length === 0) return undefined;
  const reply = intervals.find(({ phase }) => phase === "reply");
  const answered = answer?.kind === "message" ? answer.message.timestamp : undefined;
  const end = reply?.to ?? answered ?? Math.max(start, ...intervals.map(({ to }) => to));
  const isFrozen = intervals.every(({ from }) => from <= start) && (answered ?? start) <= start;
  const stretches = isFrozen
    ? FIRST.toReversed().flatMap((phase) => {
        const own = intervals.filter((one) => one.phase === phase);
        return own.length === 0 ? [] : [{ phase, ms: own.reduce((sum, { from, to }) => sum + to - from, 0) }];
      })
    : stretchesOf(intervals, start, end);
  return { key, at: start, text: opening.text, hasReply: answer !== undefined, stretches, isFrozen };
}

function intervalsOf(ids: readonly string[], writer: string | undefined, logs: Logs): Interval[] {
  const deliveries = ids.flatMap((id) => logs.delivery(id) ?? []);
  const toBot = deliveries.filter(asksBot);
  const attempts = (toBot.length === 0 ? deliveries : toBot).flatMap((delivery) => delivery.attempts);
  const calls = ids.flatMap((id) => logs.request(id) ?? []);
  return [
    ...attempts.map(({ at, durationMs }) => ({ phase: "attempts" as const, from: at, to: at + durationMs })),
    ...calls.map(({ id, at, durationMs }) => ({
      phase: id === writer ? ("reply" as const) : ("calls" as const),
      from: at,
      to: at + (durationMs ?? 0),
    })),
  ];
}

/** Each instant belongs to one phase: `event` before the first attempt, `bot` where nothing is under way. */
function stretchesOf(intervals: readonly Interval[], start: number, end: number): Stretch[] {
  const attempts = intervals.filter(({ phase }) => phase === "attempts");
  const first = attempts.length === 0 ? start : Math.min(...attempts.map(({ from }) => from));
  const inside = intervals.flatMap(({ from, to }) => [from, to]).filter((at) => at > start && at < end);
  const cuts = [...new Set([start, ...inside, end])].sort((one, other) => one - other);
  const stretches: { phase: Phase; ms: number }[] = [];
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    const to = cuts[index + 1] ?? end;
    const under = intervals.filter((one) => one.from < to && one.to > from).map(({ phase }) => phase);
    const phase = FIRST.find((one) => under.includes(one)) ?? (to <= first ? "event" : "bot");
    const last = stretches.at(-1);
    if (last?.phase === phase) last.ms += to - from;
    else stretches.push({ phase, ms: to - from });
  }
  return stretches;
}

/** The time of each phase, in the order of {@link PHASES}; without those that took none. */
export const sumsOf = (stretches: readonly Stretch[]): Stretch[] =>
  PHASES.map((phase) => ({
    phase,
    ms: stretches.reduce((sum, one) => (one.phase === phase ? sum + one.ms : sum), 0),
  })).filter(({ ms }) => ms > 0);

/** How the attempts of a webhook went over time. */
export interface Attempts {
  readonly count: number;
  /** How many succeeded, percent. */
  readonly rate: number;
  /** Ms that 95 % of them took at most. */
  readonly p95: number;
}

/** The attempts of a webhook together, and in equal spans of the sandbox's time. */
export interface WebhookTiming extends Attempts {
  readonly hookId: string;
  /** The middle of each span, s since 1970, with what was attempted in it; spans without attempts are left out. */
  readonly spans: readonly (Attempts & { readonly at: number })[];
}

const MAX_SPANS = 30;

/** The attempts to each webhook, by the order in which the webhooks were called first. */
export function webhookTimings(deliveries: readonly DeliveryRecord[]): WebhookTiming[] {
  return [...groupsOf(deliveries, ({ hookId }) => hookId)].flatMap(([hookId, own]) => {
    const attempts = own.flatMap((delivery) => delivery.attempts).sort((one, other) => one.at - other.at);
    const [first, last] = [attempts[0], attempts.at(-1)];
    if (first === undefined || last === undefined) return [];
    const count = Math.min(MAX_SPANS, attempts.length);
    const span = Math.max(1, (last.at - first.at) / count);
    const spans = groupsOf(attempts, ({ at }) => Math.min(count - 1, Math.floor((at - first.at) / span)));
    const points = [...spans].map(([index, part]) => ({
      at: (first.at + (index + 0.5) * span) / 1_000,
      ...measured(part),
    }));
    return [{ hookId, ...measured(attempts), spans: points }];
  });
}

function groupsOf<Key, T>(items: readonly T[], keyOf: (item: T) => Key): ReadonlyMap<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) getOrInsert(groups, keyOf(item), () => []).push(item);
  return groups;
}

function measured(attempts: DeliveryRecord["attempts"]): Attempts {
  const count = attempts.length;
  const good = attempts.filter(({ status }) => status !== null && status >= 200 && status < 300).length;
  const sorted = attempts.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  return { count, rate: (100 * good) / count, p95: sorted[Math.ceil(0.95 * count) - 1] ?? 0 };
}
