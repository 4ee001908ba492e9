/** The values worth trying for a recording: all of entries with few values, and otherwise those that the recording suggests. */

import { durationText, milliseconds } from "../../kernel/duration.js";
import { isObject } from "../../kernel/json.js";
import { alternativesOf } from "../../service/behaviour/alternatives.js";
import { ANSWERS } from "../../service/behaviour/answers.js";
import type { Entry } from "../../service/behaviour/entry.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";
import { CHANNELS, SUBSCRIPTIONS, THREAD_STATUSES } from "../../service/world/records.js";
import { eventOf } from "./deliveries.js";
import type { Trace } from "./trace.js";
import { threadIn } from "./world.js";

type Candidates = (trace: Trace, current: unknown) => readonly unknown[];

/** How many instants of a trace are combined, which limits the work for a hostile recording. */
const MAX_TRIED = 60;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

const toggled = (items: readonly string[], current: unknown): string[][] => {
  const list = Array.isArray(current) ? (current as string[]) : [];
  return items.map((item) => (list.includes(item) ? list.filter((one) => one !== item) : [...list, item]));
};

const refused = ({ message }: Trace[number]): boolean => message.status >= 400;
const fieldOf = ({ message: { request } }: Trace[number], name: string): unknown =>
  isObject(request.value) ? request.value[name] : undefined;
const unique = <T>(values: readonly T[]): T[] => [...new Set(values)].slice(0, MAX_TRIED);

/** A duration in the usual unit of a messaging window: hours, not days. */
const inHours = (ms: number): string => (ms % HOUR_MS === 0 ? `${ms / HOUR_MS}h` : durationText(ms));

/** The thread in which a customer wrote. */
function openedBy(one: Trace[number]): string | undefined {
  if (one.kind === "message" || one.kind === "legacy")
    return eventOf(one).fromCustomer === true ? String(eventOf(one).customerThreadId) : undefined;
  const { value } = one.message.response;
  const made =
    one.operation === "sendMessageToBusiness" && isObject(value) ? value.customerThreadId : undefined;
  return made === undefined ? undefined : String(made);
}

/** The numbers in an answer, one of which may be a limit. */
const numbersBelow = (length: number, { message }: Trace[number]): number[] =>
  (message.response.text?.slice(0, 1_000).match(/\b\d{1,7}\b/g) ?? [])
    .map(Number)
    .filter((number) => number > 0 && number < length);

type Moves = Readonly<Record<string, readonly string[]>>;
const ALL_MOVES: Moves = Object.fromEntries(
  THREAD_STATUSES.map((from) => [from, THREAD_STATUSES.filter((to) => to !== from)]),
);

/** Suggested values for entries with too many to list. */
const SUGGESTED: Partial<Record<BehaviourKey, Candidates>> = {
  "window.channels": (_, current) => toggled(CHANNELS, current),
  "templates.channels": (_, current) => toggled(CHANNELS, current),
  "webhooks.graphqlEvents": (_, current) =>
    [...toggled(SUBSCRIPTIONS, current), [...SUBSCRIPTIONS], []].filter(
      (list) => JSON.stringify(list) !== JSON.stringify(current),
    ),
  "customers.unknownType": (trace, current) => [
    ...unique(
      trace.flatMap((one) =>
        one.kind === "call" ? [] : [eventOf(one).customerType].filter((type) => typeof type === "string"),
      ),
    ).filter((type) => type !== current),
    `${current}~`,
  ],
  "threadStatus.transitions": (_, current) => {
    const moves = isObject(current) ? (current as Moves) : ALL_MOVES;
    return Object.entries(ALL_MOVES).flatMap(([from, targets]) =>
      targets.map((to) => {
        const own = moves[from] ?? [];
        return { ...moves, [from]: own.includes(to) ? own.filter((one) => one !== to) : [...own, to] };
      }),
    );
  },
  "limits.textLength": (trace) =>
    unique(
      trace.flatMap((one) => {
        const text = fieldOf(one, "text") ?? fieldOf(one, "message");
        return typeof text === "string" && refused(one) && text.length > 1
          ? [...numbersBelow(text.length, one), text.length - 1, [...text].length - 1]
          : [];
      }),
    ),
  "limits.webhooks": (trace) => {
    const made = trace.filter(
      ({ operation }) =>
        operation === "createWebhook" || operation === "updateHookUrl" || operation === "graphql",
    );
    return Array.from({ length: Math.min(made.length + 1, MAX_TRIED) }, (_, index) => index + 1);
  },
  "limits.bodyBytes": (trace) =>
    unique(
      trace.flatMap((one) =>
        refused(one) && one.message.request.bytes > 1 ? [one.message.request.bytes - 1] : [],
      ),
    ),
  "limits.rate": (trace) => {
    const limited =
      trace.find(({ message }) => message.status === 429) ??
      trace.find(({ message }) => message.responseHeaders["retry-after"] !== undefined);
    if (limited === undefined) return [];
    const own = trace.filter(
      (one) =>
        one.kind === "call" &&
        one.message.headers.token === limited.message.headers.token &&
        one.at <= limited.at,
    );
    const after = Number(limited.message.responseHeaders["retry-after"] ?? 1) * SECOND_MS;
    return own
      .slice(0, -1)
      .slice(-MAX_TRIED)
      .flatMap((first, index, all) => {
        const per = Math.floor((limited.at - first.at + after) / SECOND_MS) * SECOND_MS;
        return per < SECOND_MS ? [] : [{ requests: all.length - index, per: durationText(per) }];
      })
      .reverse();
  },
  "window.duration": (trace) => {
    const opened = new Map<string, number[]>();
    const lengths = new Set<number>();
    for (const one of trace) {
      const thread = openedBy(one);
      if (thread !== undefined) opened.set(thread, [...(opened.get(thread) ?? []), one.at].slice(-3));
      for (const start of (one.kind === "call" && opened.get(threadIn(one) ?? "")) || [])
        if (one.at - start >= SECOND_MS) lengths.add(Math.floor((one.at - start) / SECOND_MS) * SECOND_MS);
      if (lengths.size >= MAX_TRIED) break;
    }
    return unique([...lengths]).map(inHours);
  },
};

/** The neighbouring values of a number or duration. */
function neighbours(key: BehaviourKey, current: unknown): unknown[] | undefined {
  if (key === "limits.textLength" || key === "limits.webhooks" || key === "limits.bodyBytes")
    return typeof current === "number" ? [current - 1, current + 1].filter((value) => value > 0) : [];
  if (key === "window.duration") {
    if (current === null) return undefined;
    const length = milliseconds(current as string);
    return [length - SECOND_MS, length + SECOND_MS].filter((value) => value > 0);
  }
  if (key === "limits.rate" && isObject(current)) {
    const requests = Number(current.requests);
    const per = milliseconds(current.per as string);
    return [
      { requests: requests + 1, per },
      { requests: requests - 1, per },
      { requests, per: per + SECOND_MS },
      { requests, per: per - SECOND_MS },
    ].filter((one) => one.requests > 0 && one.per > 0);
  }
  return undefined;
}

/** Whether an exchange could reveal another value of an entry with many; other entries are tried everywhere. */
export function isRelevant(key: BehaviourKey, { operation, message }: Trace[number]): boolean {
  if (key === "limits.bodyBytes") return message.status === 413;
  if (key.startsWith("limits.") && key !== "limits.textUnit") return message.status >= 400;
  if (key === "threadStatus.transitions") return operation === "updateThreadStatus";
  if (key !== "window.duration") return true;
  return operation === "getCustomerThreadDetails" || operation === "sendMessageToCustomerThread";
}

/** Whether an entry's value is a whole answer, which is read off instead of searched. */
const isAnswerKey = (key: string): boolean => Object.hasOwn(ANSWERS, key);

/** Entries that cannot be decided by playing a recording. */
const NOT_PLAYED: ReadonlySet<string> = new Set([
  "tokens.lifetime",
  "permissions.required",
  "cors.origins",
  "widget.knownLocale",
  "limits.overloadError",
]);

/** Values to try in place of `current`. */
export function candidatesFor(key: BehaviourKey, trace: Trace, current: unknown): readonly unknown[] {
  if (isAnswerKey(key) || NOT_PLAYED.has(key)) return [];
  const entry = BEHAVIOUR_TABLE[key] as Entry;
  const suggested = SUGGESTED[key];
  if (suggested !== undefined)
    return suggested(trace, current).filter((value) => JSON.stringify(value) !== JSON.stringify(current));
  const { default: preset } = entry;
  const listed = alternativesOf(entry);
  return typeof listed === "string" ? [] : [preset, ...listed].filter((value) => value !== current);
}

/**
 * The values that must be ruled out before `current` counts as measured. Undefined if no recording can rule out all others: a
 * limit that was never reached may be arbitrarily high.
 */
export function rivalsOf(key: BehaviourKey, trace: Trace, current: unknown): readonly unknown[] | undefined {
  const { default: preset } = BEHAVIOUR_TABLE[key] as Entry;
  const near = neighbours(key, current);
  if (near !== undefined) return near.length === 0 || current === preset ? undefined : [preset, ...near];
  const rivals = candidatesFor(key, trace, current);
  return rivals.length === 0 || (current === null && SUGGESTED[key] !== undefined) ? undefined : rivals;
}
