/** Single records written by hand, each held to what a fixture is held to. */
import type { Rule, Transaction, WorldView } from "../domain/transaction.js";
import { pathText } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt } from "../kernel/problems.js";
import { preview } from "../kernel/words.js";
import { keyOf } from "../world/indexes.js";
import type { FixtureLoader } from "../world/load.js";
import type { CollectionName, Records, User, Webhook } from "../world/records.js";
import { COLLECTIONS } from "../world/records.js";
import { REFERENCES } from "../world/references.js";
import type { RawRecord } from "../world/rules.js";
import { organizationOf, referenceProblems } from "../world/rules.js";
import { ControlError, conflict, notFound, unusable } from "./errors.js";

type AnyRecord = Records[CollectionName];

/** A refusal names so many of the records that stand in the way. */
const MAX_NAMED = 20;

interface Written {
  readonly loader: FixtureLoader;
  readonly collection: CollectionName;
  readonly value: RawRecord;
}

/** Adds a record. A thread, message, customer or webhook without id is given one. */
export const insertRecord: Rule<Written, AnyRecord> = (tx, { loader, collection, value }) => {
  const id = value.id ?? drawnId(tx, collection);
  const record = validRecord(loader, collection, id === undefined ? value : { ...value, id });
  if (tx.get(collection, record.id) !== undefined)
    throw conflict(`there is ${preview(record.id)} among the ${collection} already`);
  return put(tx, collection, record);
};

/** Puts a record in place of the one with its id; `keep` keeps the fields that are not given. */
export const replaceRecord: Rule<Written & { id: string; keep: boolean }, AnyRecord> = (
  tx,
  { loader, collection, id, value, keep },
) => {
  const before = tx.get(collection, id);
  if (before === undefined) throw notFound(`record in ${collection} with the id`, id);
  if (value.id !== undefined && value.id !== id)
    throw unusable([problemAt(["id"], `must be ${preview(id)} as in the path, but is ${preview(value.id)}`)]);
  const record = validRecord(loader, collection, { ...(keep ? before : {}), ...value, id });
  const organization = organizationOf(collection, before as RawRecord, tx);
  put(tx, collection, record);
  if (organization !== organizationOf(collection, record as RawRecord, tx)) checkAll(tx);
  return record;
};

/** Takes a record out, with those of the collections `dependents` that name it. Nothing that is left may name what is gone. */
export const removeRecord: Rule<
  { collection: CollectionName; id: string; dependents: readonly CollectionName[] },
  AnyRecord
> = (tx, { collection, id, dependents }) => {
  const record = tx.get(collection, id);
  if (record === undefined) throw notFound(`record in ${collection} with the id`, id);
  const gone = new Map([[keyOf(collection, id), { collection, id }]]);
  for (let known = 0; known < gone.size; ) {
    known = gone.size;
    for (const [from, holder] of holdersOf(tx, gone))
      if (dependents.includes(from)) gone.set(keyOf(from, holder.id), { collection: from, id: holder.id });
  }
  const left = [...holdersOf(tx, gone)].filter(([from, holder]) => !gone.has(keyOf(from, holder.id)));
  if (left.length > 0) {
    throw refusedFor(
      `${collection} ${preview(id)} cannot go`,
      left.map(([from, holder, field]) => problemAt([from, holder.id, field], "names what would be gone")),
    );
  }
  for (const each of gone.values()) tx.remove(each.collection, each.id);
  return record;
};

function drawnId(tx: Transaction, collection: CollectionName): string | undefined {
  if (collection === "threads" || collection === "messages") return tx.nextId(collection);
  if (collection === "customers") return tx.drawId(collection, "cust_");
  return collection === "webhooks" ? tx.drawId(collection, "hook_") : undefined;
}

function validRecord(loader: FixtureLoader, collection: CollectionName, value: RawRecord): AnyRecord {
  const { record, problems } = loader.validateRecord(collection, value);
  if (problems !== undefined) throw unusable(problems, "the record");
  return record;
}

function put(tx: Transaction, collection: CollectionName, record: AnyRecord): AnyRecord {
  const holder = sameUniqueValue(tx, collection, record);
  if (holder !== undefined && holder.id !== record.id)
    throw conflict(
      `${preview(holder.id)} of the ${collection} has the same ${UNIQUE[collection]} in the organization`,
    );
  tx.put(collection, record);
  const problems = referenceProblems(collection, record as RawRecord, tx);
  if (problems.length > 0) throw unusable(problems, "the record");
  return record;
}

const UNIQUE: { readonly [C in CollectionName]?: string } = { users: "e-mail address", webhooks: "hookId" };

/** The record that holds a value which no two of its collection and organization may share. */
function sameUniqueValue(
  view: WorldView,
  collection: CollectionName,
  record: AnyRecord,
): AnyRecord | undefined {
  if (collection === "users") {
    const { organizationId, email } = record as User;
    return view.findOne("usersByEmail", keyOf(organizationId, email.toLowerCase()));
  }
  if (collection !== "webhooks") return undefined;
  const { organizationId, hookId } = record as Webhook;
  return view.findOne("webhooksByHookId", keyOf(organizationId, hookId));
}

/** A record that moves to another organization may leave others behind that name it: looks at everything. */
function checkAll(view: WorldView): void {
  const problems: Problem[] = [];
  for (const collection of COLLECTIONS) {
    for (const { id } of view.all(collection)) {
      const record = view.get(collection, id) as unknown as RawRecord;
      for (const problem of referenceProblems(collection, record, view))
        problems.push({ path: `${pathText([collection, id])}.${problem.path}`, message: problem.message });
    }
  }
  if (problems.length > 0) throw refusedFor("the organization cannot change", problems);
}

type Gone = ReadonlyMap<string, { readonly collection: CollectionName }>;

/** Each record that names one of `gone`, with the field in which it does. Looks only at collections that could. */
function* holdersOf(view: WorldView, gone: Gone): Generator<[CollectionName, AnyRecord, string]> {
  const targets = new Set([...gone.values()].map(({ collection }) => collection));
  for (const { collection, field, many, target } of COLLECTIONS.flatMap((from) => REFERENCES[from])) {
    if (!targets.has(target)) continue;
    for (const record of view.all(collection)) {
      const value = (record as unknown as RawRecord)[field];
      const ids = many ? (value as readonly string[]) : [value as string | null];
      if (ids.some((id) => id !== null && gone.has(keyOf(target, id)))) yield [collection, record, field];
    }
  }
}

function refusedFor(what: string, problems: readonly Problem[]): ControlError {
  const named = problems.slice(0, MAX_NAMED);
  const more = problems.length > named.length ? ` and ${problems.length - named.length} more` : "";
  const words = named.map(({ path, message }) => `${path} ${message}`).join("; ");
  return new ControlError(409, "conflict", `${what}: ${words}${more}`, named);
}
