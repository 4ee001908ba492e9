/** Runs a rule in process and tells what became of the world. */
import { expect } from "vitest";
import { omitUndefined } from "../../src/kernel/objects.js";
import { type BehaviourKey, type BehaviourValues, PROFILES } from "../../src/service/behaviour/table.js";
import type { DomainEvent } from "../../src/service/domain/events.js";
import { InvalidInput, Refusal } from "../../src/service/domain/refusals.js";
import { type Note, type Rule, Transaction, type WorldView } from "../../src/service/domain/transaction.js";
import type { Counters } from "../../src/service/world/state.js";
import type { RecordChange, World } from "../../src/service/world/world.js";
import { documentOf } from "../support/document.js";
import { NOW, worldWith } from "./records.js";

export interface Circumstances {
  readonly world?: World;
  readonly behaviour?: Partial<BehaviourValues>;
  readonly now?: number;
  readonly seed?: number;
  /** When the world began, ms; left out: `now`. */
  readonly began?: number;
}

/** What a rule did; what it did not do is not there, so that one comparison also says what did not happen. */
export interface Outcome<Result> {
  result?: Result | undefined;
  refusal?: { key: string; scope: object } | readonly { property: string; message: string }[];
  /** The entry of the behaviour table that led to the refusal, where it names one. */
  decidedBy?: BehaviourKey;
  /** By collection and id: a new record, null for one that is gone, else the fields that are different now. */
  changes?: Record<string, object | null>;
  events?: readonly DomainEvent[];
  notes?: readonly Note[];
  /** The counters that moved. */
  counters?: Partial<Counters>;
}

const begin = ({ world = worldWith(), behaviour = {}, now = NOW, seed = 7, began = now }: Circumstances) =>
  new Transaction(world, now, { ...PROFILES.documented, ...behaviour }, seed, began);

/** A world for reading, as a rule gets it. */
export const view = (circumstances: Circumstances = {}): WorldView => begin(circumstances);

/** Runs a rule in one transaction, as a run does. A refused rule must leave the world as it was. */
export function run<Input, Result>(
  rule: Rule<Input, Result>,
  input: Input,
  { world = worldWith(), ...rest }: Circumstances = {},
): Outcome<Result> {
  const tx = begin({ world, ...rest });
  const before = documentOf(world);
  const counters = { ...world.counters };
  try {
    const result = rule(tx, input);
    const changes = filled(changed(tx.commit()));
    const { events, notes } = tx;
    const moved = filled(differing(counters, world.counters));
    return omitUndefined({ result, changes, events: filled(events), notes: filled(notes), counters: moved });
  } catch (error) {
    expect(documentOf(world)).toStrictEqual(before);
    expect(world.counters).toStrictEqual(counters);
    return omitUndefined({ refusal: told(error), decidedBy: decidedBy(error) });
  }
}

function told(error: unknown): Outcome<never>["refusal"] {
  if (error instanceof Refusal) return { key: error.key, scope: error.scope };
  if (error instanceof InvalidInput) return error.problems;
  throw error;
}

const decidedBy = (error: unknown): BehaviourKey | undefined =>
  error instanceof Refusal || error instanceof InvalidInput ? error.behaviour : undefined;

function changed(changes: readonly RecordChange[]): Record<string, object | null> {
  const nameOf = ({ collection, id }: RecordChange) => `${collection} ${id}`;
  const first = new Map(changes.toReversed().map((change) => [nameOf(change), change.before]));
  return Object.fromEntries(
    changes.map((change) => {
      const before = first.get(nameOf(change));
      return [nameOf(change), before && change.after ? differing(before, change.after) : change.after];
    }),
  );
}

/** The fields of `after` that are not those of `before`; undefined for one that is gone. */
const differing = <T extends object>(before: T, after: T): Partial<T> =>
  Object.fromEntries(
    (Object.keys({ ...before, ...after }) as (keyof T)[])
      .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      .map((field) => [field, after[field]]),
  ) as Partial<T>;

const filled = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length > 0 ? value : undefined;
