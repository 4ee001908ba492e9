import { splitTarget } from "../../kernel/http/target.js";
import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { either } from "../../kernel/words.js";
import type { CollectionName } from "../../service/world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../service/world/records.js";
import type { RawRecord } from "../../service/world/rules.js";
import { ControlError } from "../errors.js";
import { insertRecord, removeRecord, replaceRecord } from "../record-writes.js";
import { findRecord, findRecords } from "../records/find.js";
import { listQuerySchema, pageSchema } from "../records/query.js";
import type { ControlCall } from "../route.js";
import { changedRecord, route } from "../route.js";

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

function collectionNamed(name: string): CollectionName {
  const collection = COLLECTIONS.find((known) => known === name);
  if (collection !== undefined) return collection;
  throw new ControlError("collections.notFound", { id: name, collections: either(COLLECTIONS) });
}

const searchOf = (url: string | undefined): string => splitTarget(url ?? "").query;

const REPLACE_REFUSALS = [
  "collections.notFound",
  "records.notFound",
  "records.notUnique",
  "records.otherOrganization",
] as const;

/** Replaces a record with the body; `keep` keeps fields that the body omits. */
function replaced(call: ControlCall<{ collection: string; id: string }, unknown, RawRecord>, keep: boolean) {
  const { params, services, body: value } = call;
  const collection = collectionNamed(params.collection);
  const input = { loader: services.loader, collection, id: params.id, value, keep };
  return changedRecord(call, collection, replaceRecord, input);
}

export const DATA_ROUTES = [
  route("listRecords", "GET /data/:collection", {
    readable: true,
    summary:
      "List the records of a collection, in json-server's query language; with _page, returns a page object",
    query: listQuerySchema,
    success: { status: 200, schema: anyOf([array(embeddingSchema), pageSchema]) },
    refusals: ["collections.notFound"],
    handle: async ({ run, params, request, gone }) => ({
      streamed: await findRecords(
        run.shownSnapshot(),
        collectionNamed(params.collection),
        searchOf(request.url),
        gone(),
      ),
    }),
  }),
  route("getRecord", "GET /data/:collection/:id", {
    readable: true,
    summary: "One record",
    query: object({
      _embed: optional(string({ description: "a related collection or record; may be repeated" })),
    }),
    success: { status: 200, schema: embeddingSchema },
    refusals: ["collections.notFound", "records.notFound"],
    handle: async ({ run, params, request, gone }) => {
      const collection = collectionNamed(params.collection);
      const { id } = params;
      const found = await findRecord(run.shownSnapshot(), collection, id, searchOf(request.url), gone());
      if (found === undefined) throw new ControlError("records.notFound", { collection, id });
      return { streamed: found };
    },
  }),
  route("insertRecord", "POST /data/:collection", {
    readable: true,
    summary: "Add a record; the id of a thread, message, customer or webhook is optional",
    body: bodySchema,
    success: { status: 201, schema: recordSchema },
    refusals: ["collections.notFound", "records.taken", "records.notUnique"],
    handle: (call) => {
      const collection = collectionNamed(call.params.collection);
      const { loader } = call.services;
      return changedRecord(call, collection, insertRecord, { loader, collection, value: call.body });
    },
  }),
  route("replaceRecord", "PUT /data/:collection/:id", {
    readable: true,
    summary: "Replace a record",
    body: bodySchema,
    success: { status: 200, schema: recordSchema },
    refusals: REPLACE_REFUSALS,
    handle: (call) => replaced(call, false),
  }),
  route("patchRecord", "PATCH /data/:collection/:id", {
    readable: true,
    summary: "Change fields of a record",
    body: bodySchema,
    success: { status: 200, schema: recordSchema },
    refusals: REPLACE_REFUSALS,
    handle: (call) => replaced(call, true),
  }),
  route("deleteRecord", "DELETE /data/:collection/:id", {
    readable: true,
    summary: "Delete a record; refused while other records refer to it",
    query: object({
      _dependent: optional(
        string({ description: "comma-separated collections whose records that refer to it are deleted too" }),
      ),
    }),
    success: { status: 200, schema: recordSchema },
    refusals: ["collections.notFound", "records.notFound", "records.inUse"],
    handle: (call) => {
      const { id } = call.params;
      const collection = collectionNamed(call.params.collection);
      const dependents = (call.query._dependent ?? "").split(",").filter(Boolean).map(collectionNamed);
      return changedRecord(call, collection, removeRecord, { collection, id, dependents });
    },
  }),
];
