/** Reads and writes single records; each record must be valid as in a fixture. */
import { splitTarget } from "../../kernel/http/target.js";
import { problemAt } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { either, preview } from "../../kernel/words.js";
import type { Rule, Transaction, WorldView } from "../../service/domain/transaction.js";
import { isWindowOpen, opened, windowEndOf } from "../../service/domain/windows.js";
import type { FixtureLoader } from "../../service/world/load.js";
import type { CollectionName, Records, Thread } from "../../service/world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../service/world/records.js";
import type { RawRecord } from "../../service/world/rules.js";
import {
  ALL_REFERENCES,
  organizationOf,
  referenceProblems,
  uniqueValueOf,
} from "../../service/world/rules.js";
import { ControlError, existing, problemsError, unusable } from "../errors.js";
import { findRecord, findRecords, listQuerySchema, pageSchema } from "../records.js";
import type { ControlCall } from "../route.js";
import { changedRecord, route } from "../route.js";
import { loaderFor } from "../sandbox-maker.js";

type AnyRecord = Records[CollectionName];

interface Written {
  readonly loader: FixtureLoader;
  readonly collection: CollectionName;
  readonly value: RawRecord;
}

/** Adds a record. A thread, message, customer or webhook without an id gets one. */
const insertRecord: Rule<Written, AnyRecord> = (tx, { loader, collection, value }) => {
  const id = value.id ?? drawnId(tx, collection);
  const record = validRecord(tx, loader, collection, id === undefined ? value : { ...value, id });
  if (tx.get(collection, record.id) !== undefined)
    throw new ControlError("records.taken", { collection, id: preview(record.id) });
  return put(tx, collection, dated(tx, value, record));
};

/** Replaces the record with an id; `keep` keeps omitted fields. */
const replaceRecord: Rule<Written & { id: string; keep: boolean }, AnyRecord> = (
  tx,
  { loader, collection, id, value, keep },
) => {
  const before = existing(tx.get(collection, id), "records.notFound", { collection, id });
  if (value.id !== undefined && value.id !== id)
    throw unusable([problemAt(["id"], `must be ${preview(id)} as in the path, but is ${preview(value.id)}`)]);
  const valid = validRecord(tx, loader, collection, {
    ...(keep ? before : {}),
    ...value,
    id,
  });
  const record = dated(tx, value, valid, before);
  const organization = organizationOf(collection, before, tx);
  put(tx, collection, record);
  if (organization !== organizationOf(collection, record, tx))
    refuseIfReferenced(tx, "records.otherOrganization", collection, id);
  return record;
};

/** Deletes a record that no other refers to. */
const removeRecord: Rule<{ collection: CollectionName; id: string }, AnyRecord> = (
  tx,
  { collection, id },
) => {
  const record = existing(tx.get(collection, id), "records.notFound", { collection, id });
  refuseIfReferenced(tx, "records.inUse", collection, id);
  tx.remove(collection, id);
  return record;
};

/** @throws ControlError with every reference of another record to this one */
function refuseIfReferenced(
  view: WorldView,
  key: "records.inUse" | "records.otherOrganization",
  target: CollectionName,
  id: string,
): void {
  const references = ALL_REFERENCES.filter((reference) => reference.target === target);
  const problems = references.flatMap(({ collection, field }) => {
    const holders = [...view.all(collection)].filter((one: RawRecord) => [one[field]].flat().includes(id));
    return holders.map((one) => problemAt([collection, one.id, field], `refers to ${preview(id)}`));
  });
  if (problems.length > 0) throw problemsError(key, problems, { collection: target, id: preview(id) });
}

/** If a write opens a window without naming its end, dates it from now: `window.undatedEnd` would not. */
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
  if (problems !== undefined) throw unusable(problems, "record");
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
  if (problems.length > 0) throw unusable(problems, "record");
  return record;
}

const recordSchema: Schema = anyOf(Object.values(RECORD_SCHEMAS), {
  description: "a record of the collection",
});
/** A record that may contain related ones under their names. */
const embeddingSchema: Schema = anyOf(
  Object.values(RECORD_SCHEMAS).map((schema): Schema => {
    const title = `${schema.title} with related records`;
    return { ...schema, title, additionalProperties: true };
  }),
  { description: "a record of the collection, with the related records of _embed" },
);
const bodySchema = record(unknown(), { description: "a record of the collection" });

function collectionNamed(id: string): CollectionName {
  const scope = { id, collections: either(COLLECTIONS) };
  return existing(
    COLLECTIONS.find((known) => known === id),
    "collections.notFound",
    scope,
  );
}

const searchOf = (url: string | undefined): string => splitTarget(url ?? "").query;

function replaced(call: ControlCall<{ collection: string; id: string }, unknown, RawRecord>, keep: boolean) {
  const collection = collectionNamed(call.params.collection);
  const { loader } = call.services;
  const input = { loader, collection, id: call.params.id, value: call.body, keep };
  return changedRecord(call, collection, replaceRecord, input);
}

export const DATA_ROUTES = [
  route("listRecords", "GET /data/:collection", {
    secrets: "shown",
    summary:
      "List the records of a collection, in json-server's query language; with _page, returns a page object",
    query: listQuerySchema,
    success: { status: 200, schema: anyOf([array(embeddingSchema), pageSchema]) },
    handle: ({ run, params, request }) => ({
      body: findRecords(run.shown(), collectionNamed(params.collection), searchOf(request.url)),
    }),
  }),
  route("getRecord", "GET /data/:collection/:id", {
    secrets: "shown",
    summary: "Show a record",
    query: object({
      _embed: optional(string({ description: "a related collection or record; may be repeated" })),
    }),
    success: { status: 200, schema: embeddingSchema },
    handle: ({ run, params: { collection: name, id }, request }) => {
      const collection = collectionNamed(name);
      const found = findRecord(run.shown(), collection, id, searchOf(request.url));
      return { body: existing(found, "records.notFound", { collection, id }) };
    },
  }),
  route("insertRecord", "POST /data/:collection", {
    secrets: "shown",
    summary: "Add a record; the id of a thread, message, customer or webhook is optional",
    body: bodySchema,
    success: { status: 201, schema: recordSchema },
    handle: (call) => {
      const collection = collectionNamed(call.params.collection);
      const { loader } = call.services;
      return changedRecord(call, collection, insertRecord, { loader, collection, value: call.body });
    },
  }),
  route("replaceRecord", "PUT /data/:collection/:id", {
    secrets: "shown",
    summary: "Replace a record",
    body: bodySchema,
    success: { status: 200, schema: recordSchema },
    handle: (call) => replaced(call, false),
  }),
  route("patchRecord", "PATCH /data/:collection/:id", {
    secrets: "shown",
    summary: "Change fields of a record",
    body: bodySchema,
    success: { status: 200, schema: recordSchema },
    handle: (call) => replaced(call, true),
  }),
  route("deleteRecord", "DELETE /data/:collection/:id", {
    secrets: "shown",
    summary: "Delete a record; refused while other records refer to it",
    success: { status: 200, schema: recordSchema },
    handle: (call) => {
      const collection = collectionNamed(call.params.collection);
      return changedRecord(call, collection, removeRecord, { collection, id: call.params.id });
    },
  }),
];
