/** Values of behaviour entries: the current ones, others to try, and those observed on the real service, with their evidence, as a file. */
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { fromKeys } from "../../kernel/objects.js";
import { instantOf, isoOf, wallNow } from "../../kernel/realtime.js";
import { counted } from "../../kernel/words.js";
import { alternativesOf } from "../../service/behaviour/alternatives.js";
import type { BehaviourEntry, ValueEvidence } from "../../service/behaviour/entry.js";
import type { BehaviourKey, BehaviourValues } from "../../service/behaviour/table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, OBSERVED } from "../../service/behaviour/table.js";
import { CHANNELS, THREAD_STATUSES } from "../../service/world/records.js";

/** A value for every entry. */
export type EntryValues = Readonly<Record<BehaviourKey, unknown>>;

/** An entry of the table with its value on the real service, and the calls that show it. */
export interface ObservedEntry {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly evidence: readonly ValueEvidence["calls"][number][];
}

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

/** A behaviour file with the observed values and their evidence. @param open the entries that nothing decided */
export function observedFile(observed: readonly ObservedEntry[], open: readonly string[]): string {
  const values = Object.fromEntries(observed.map(({ key, value }) => [key, value]));
  const evidence = observed.map(({ key, evidence: calls }) => [key, { at: calls.at(-1)?.at, calls }]);
  return [
    `# Observed by messaging-sim compare, ${isoOf(wallNow())}. Use it with: messaging-sim serve --behaviour FILE`,
    `# Undecided: ${open.join(", ")}`,
    stringify({ ...values, [OBSERVED]: Object.fromEntries(evidence) }, { aliasDuplicateObjects: false }),
  ].join("\n");
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
