/** Values of behaviour entries: the current ones, others to try, and how they differ from those of an earlier comparison. */
import { isDeepStrictEqual } from "node:util";
import { fromKeys } from "../../kernel/objects.js";
import { instantOf, wallNow } from "../../kernel/realtime.js";
import { counted } from "../../kernel/words.js";
import { alternativesOf } from "../../service/behaviour/alternatives.js";
import type { BehaviourEntry } from "../../service/behaviour/entry.js";
import type { BehaviourKey, BehaviourValues } from "../../service/behaviour/table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, OBSERVED } from "../../service/behaviour/table.js";
import { CHANNELS, THREAD_STATUSES } from "../../service/world/records.js";

/** A value for every entry. */
export type EntryValues = Readonly<Record<BehaviourKey, unknown>>;

/** The entries whose values differ. */
export const changedIn = (values: EntryValues, base: EntryValues): BehaviourKey[] =>
  BEHAVIOUR_KEYS.filter((key) => !isDeepStrictEqual(values[key], base[key]));

/** The values that an entry could have instead of its current one; none if there are too many to try. */
export function otherValues(key: BehaviourKey, current: unknown): unknown[] {
  if (key === "threadStatus.transitions") return oneMoveApart(current);
  const entry: BehaviourEntry = BEHAVIOUR_TABLE[key];
  const items = key === "window.channels" ? CHANNELS : entry.schema.items?.enum;
  const listed = items === undefined ? alternativesOf(entry) : listsOf(items);
  const all = listed === undefined ? [] : [entry.default, ...listed];
  return all.filter((value) => !isDeepStrictEqual(value, current));
}

function listsOf(items: readonly unknown[]): unknown[][] {
  const all: unknown[][] = [[]];
  for (const item of items) all.push(...all.map((some) => [...some, item]));
  return all;
}

/** The current moves of a status with one left out or added, for each of them; `any` stands for all. */
function oneMoveApart(current: unknown): unknown[] {
  const all = fromKeys(THREAD_STATUSES, (from) => THREAD_STATUSES.filter((to) => to !== from));
  const moves = (current === "any" ? all : current) as Readonly<Record<string, readonly string[]>>;
  return THREAD_STATUSES.flatMap((one) => all[one].map((other) => ({ one, other }))).map(({ one, other }) => {
    const has = (from: string, to: string) =>
      (moves[from]?.includes(to) === true) !== (from === one && to === other);
    const changed = fromKeys(THREAD_STATUSES, (from) => all[from].filter((to) => has(from, to)));
    return isDeepStrictEqual(changed, all) ? "any" : changed;
  });
}

const DAY_MS = 86_400_000;

/** Which values of an earlier behaviour file no longer explain the answers of the real service, and how old its evidence is, in words. */
export function observedSince(file: string, before: Partial<BehaviourValues>, now: EntryValues) {
  const newest = Math.max(...Object.values(before[OBSERVED] ?? {}).map(({ at }) => instantOf(at)));
  const days = Math.floor((wallNow() - newest) / DAY_MS);
  const age = days > 0 ? `${counted(days, "day")} old` : "less than a day old";
  const drift = changedIn(now, { ...now, ...before }).map((key) => ({
    ...{ key, expected: before[key] as unknown, seen: now[key] },
  }));
  return { file, age: Number.isFinite(newest) ? age : "of unknown age", drift };
}
