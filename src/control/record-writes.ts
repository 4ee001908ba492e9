/** Writes single records through the control API; each record must be valid as in a fixture. */

import { BOUNDS } from "../kernel/bounds.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt, under } from "../kernel/problems.js";
import { preview } from "../kernel/words.js";
import type { Scope } from "../service/behaviour/entry.js";
import type { Rule, Transaction, WorldView } from "../service/domain/transaction.js";
import { isWindowOpen, opened, windowEndOf } from "../service/domain/windows.js";
import { indexOn, keyOf } from "../service/world/indexes.js";
import type { FixtureLoader } from "../service/world/load.js";
import type { CollectionName, Records, Thread } from "../service/world/records.js";
import { COLLECTIONS } from "../service/world/records.js";
import type { RawRecord } from "../service/world/rules.js";
import { organizationOf, REFERENCES, referenceProblems, uniqueValueOf } from "../service/world/rules.js";
import type { ControlErrorKey } from "./errors.js";
import { ControlError, problemsError, unusable } from "./errors.js";
import { withSecrets } from "./inputs.js";
import { loaderFor } from "./sandbox-maker.js";

type AnyRecord = Records[CollectionName];

const MAX_DEPENDENTS = BOUNDS.dependentRecords.limit;
/** A refusal lists at most this many other records. */
const MAX_NAMED = 20;

interface Written {
  readonly loader: FixtureLoader;
  readonly collection: CollectionName;
  readonly value: RawRecord;
}

/** Adds a record. A thread, message, customer or webhook without an id gets one. */
export const insertRecord: Rule<Written, AnyRecord> = (tx, { loader, collection, value }) => {
  const id = value.id ?? drawnId(tx, collection);
  const record = validRecord(tx, loader, collection, id === undefined ? value : { ...value, id });
  if (tx.get(collection, record.id) !== undefined)
    throw new ControlError("records.taken", { collection, id: preview(record.id) });
  return put(tx, collection, dated(tx, value, record));
};

/** Replaces the record with an id; `keep` keeps omitted fields. */
export const replaceRecord: Rule<Written & { id: string; keep: boolean }, AnyRecord> = (
  tx,
  { loader, collection, id, value, keep },
) => {
  const before = tx.get(collection, id);
  if (before === undefined) throw new ControlError("records.notFound", { collection, id });
  if (value.id !== undefined && value.id !== id)
    throw unusable([problemAt(["id"], `must be ${preview(id)} as in the path, but is ${preview(value.id)}`)]);
  const valid = validRecord(tx, loader, collection, {
    ...(keep ? before : {}),
    ...(collection === "webhooks" ? withSecrets(value, () => [before]) : value),
    id,
  });
  const record = dated(tx, value, valid, before);
  const organization = organizationOf(collection, before, tx);
  put(tx, collection, record);
  if (organization !== organizationOf(collection, record, tx)) checkAll(tx);
  return record;
};

/** Deletes a record, and the records in `dependents` that reference it. No other record may reference them. */
export const removeRecord: Rule<
  { collection: CollectionName; id: string; dependents: readonly CollectionName[] },
  AnyRecord
> = (tx, { collection, id, dependents }) => {
  const record = tx.get(collection, id);
  if (record === undefined) throw new ControlError("records.notFound", { collection, id });
  const gone = new Map([[keyOf(collection, id), { collection, id }]]);
  for (let known = 0; known < gone.size; ) {
    known = gone.size;
    for (const [from, holder] of holdersOf(tx, gone))
      if (dependents.includes(from)) gone.set(keyOf(from, holder.id), { collection: from, id: holder.id });
    if (gone.size > MAX_DEPENDENTS + 1)
      throw unusable([problemAt(["_dependent"], `would delete more than ${MAX_DEPENDENTS} other records`)]);
  }
  const left = [...holdersOf(tx, gone)].filter(([from, holder]) => !gone.has(keyOf(from, holder.id)));
  if (left.length > 0) {
    const problems = left.map(([from, { id: holder }, field]) =>
      problemAt([from, holder, field], "refers to a deleted record"),
    );
    throw refusal("records.inUse", problems, { collection, id: preview(id) });
  }
  for (const each of gone.values()) tx.remove(each.collection, each.id);
  return record;
};

/** A thread whose window is opened by a write that names no end, as `window.undatedEnd` would not count from now. */
function dated(view: WorldView, value: RawRecord, record: AnyRecord, before?: AnyRecord): AnyRecord {
  if (!("isMessagingWindowOpen" in record) || value.isMessagingWindowOpen !== true) return record;
  const isOpening = value.windowClosesAt == null && !(before && isWindowOpen(view, before as Thread));
  return isOpening && windowEndOf(view, record) !== undefined ? opened(view, record) : record;
}

function drawnId(tx: Transaction, collection: CollectionName): string | undefined {
  if (collection === "threads" || collection === "messages") return tx.nextId(collection);
  if (collection === "customers") return tx.drawId(collection, "cust_");
  return collection === "webhooks" ? tx.drawId(collection, "hook_") : undefined;
}

function validRecord(
  { behaviour }: Transaction,
  loader: FixtureLoader,
  collection: CollectionName,
  value: RawRecord,
): AnyRecord {
  const { record, problems } = loaderFor(behaviour, loader).validateRecord(collection, value);
  if (problems !== undefined) throw unusable(problems, "the record");
  return record;
}

function put(tx: Transaction, collection: CollectionName, record: AnyRecord): AnyRecord {
  const unique = uniqueValueOf(collection, record);
  const [holder] = unique === undefined ? [] : tx.find(unique.index, unique.key);
  if (holder !== undefined && holder.id !== record.id)
    throw new ControlError("records.notUnique", {
      id: preview(holder.id),
      collection,
      value: unique?.description,
    });
  tx.put(collection, record);
  const problems = referenceProblems(collection, record, tx);
  if (problems.length > 0) throw unusable(problems, "the record");
  return record;
}

/** Checks all references: a record moved to another organization may be referenced by records that were not. */
function checkAll(view: WorldView): void {
  const problems: Problem[] = [];
  for (const collection of COLLECTIONS) {
    for (const record of view.all(collection))
      for (const problem of referenceProblems(collection, record, view))
        problems.push(under([collection, record.id], problem));
  }
  if (problems.length > 0) throw refusal("records.otherOrganization", problems);
}

type Gone = ReadonlyMap<string, { readonly collection: CollectionName; readonly id: string }>;

/**
 * Each record that references one of `gone`, with the field that does. Only reads collections that can reference them, by an
 * index where there is one.
 */
function* holdersOf(view: WorldView, gone: Gone): Generator<[CollectionName, AnyRecord, string]> {
  const targets = new Set([...gone.values()].map(({ collection }) => collection));
  for (const { collection, field, target } of COLLECTIONS.flatMap((from) => REFERENCES[from])) {
    if (!targets.has(target)) continue;
    const index = indexOn(collection, field);
    if (index !== undefined) {
      for (const { collection: from, id } of gone.values())
        if (from === target) for (const record of view.find(index, id)) yield [collection, record, field];
      continue;
    }
    for (const record of view.all(collection)) {
      const { [field]: names }: RawRecord = record;
      if ([names].flat().some((id) => typeof id === "string" && gone.has(keyOf(target, id))))
        yield [collection, record, field];
    }
  }
}

/** A refusal because of other records; its message lists the first of them. */
function refusal(key: ControlErrorKey, problems: readonly Problem[], scope: Scope = {}): ControlError {
  const more = problems.length > MAX_NAMED ? ` and ${problems.length - MAX_NAMED} more` : "";
  return problemsError(key, problems.slice(0, MAX_NAMED), { ...scope, more });
}
