import { splitTarget } from "../../http/endpoint.js";
import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { either } from "../../kernel/words.js";
import type { CollectionName } from "../../world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../world/records.js";
import { changedRecord } from "../changed-record.js";
import { ControlError } from "../control-error.js";
import { findRecord, findRecords, listQuerySchema, pageSchema } from "../json-server.js";
import { insertRecord, removeRecord, replaceRecord } from "../record-writes.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";

const LIST = "/data/:collection";
const ONE = "/data/:collection/:id";

const recordSchema: Schema = anyOf(Object.values(RECORD_SCHEMAS), {
  description: "a record of the collection",
});
/** A record that may carry related ones under their names. */
const embeddingSchema: Schema = anyOf(
  Object.values(RECORD_SCHEMAS).map((schema): Schema => ({ ...schema, additionalProperties: true })),
  { description: "a record of the collection, with what _embed asks for" },
);
const bodySchema = record(unknown(), { description: "a record of the collection" });

function collectionNamed(name: string): CollectionName {
  if (COLLECTIONS.includes(name as CollectionName)) return name as CollectionName;
  throw new ControlError("collections.notFound", { name, collections: either(COLLECTIONS) });
}

const searchOf = (url: string | undefined): string => splitTarget(url ?? "").query;

export const DATA_ROUTES: readonly ControlRoute[] = [
  route({
    id: "listRecords",
    method: "GET",
    path: LIST,
    scope: "sandbox",
    summary: "The records of a collection, in json-server's query language; with _page a page object",
    query: listQuerySchema,
    success: { status: 200, schema: anyOf([array(embeddingSchema), pageSchema]) },
    refusals: ["collections.notFound"],
    handle: async ({ run, params, request }) => ({
      body: await findRecords(run.shown(), collectionNamed(params.collection), searchOf(request.url)),
    }),
  }),
  route({
    id: "getRecord",
    method: "GET",
    path: ONE,
    scope: "sandbox",
    summary: "One record",
    query: object({
      _embed: optional(string({ description: "a related collection or record; may be repeated" })),
    }),
    success: { status: 200, schema: embeddingSchema },
    refusals: ["collections.notFound", "records.notFound"],
    handle: async ({ run, params, request }) => {
      const collection = collectionNamed(params.collection);
      const { id } = params;
      const found = await findRecord(run.shown(), collection, id, searchOf(request.url));
      if (found === undefined) throw new ControlError("records.notFound", { collection, id });
      return { body: found };
    },
  }),
  route({
    id: "insertRecord",
    method: "POST",
    path: LIST,
    scope: "sandbox",
    summary: "Add a record; a thread, message, customer or webhook may leave out its id",
    body: bodySchema,
    success: { status: 201, schema: recordSchema },
    refusals: ["collections.notFound", "records.taken", "records.notUnique"],
    recorded: "call and answer",
    handle: (call) => {
      const collection = collectionNamed(call.params.collection);
      const { loader } = call.services;
      return changedRecord(call, collection, insertRecord, { loader, collection, value: call.body });
    },
  }),
  ...(
    [
      ["PUT", "Put a record in place of another"],
      ["PATCH", "Change fields of a record"],
    ] as const
  ).map(([method, summary]) =>
    route({
      id: method === "PUT" ? "replaceRecord" : "patchRecord",
      method,
      path: ONE,
      scope: "sandbox",
      summary,
      body: bodySchema,
      success: { status: 200, schema: recordSchema },
      refusals: [
        "collections.notFound",
        "records.notFound",
        "records.notUnique",
        "records.otherOrganization",
      ],
      recorded: "call and answer",
      handle: (call) => {
        const { id } = call.params;
        const collection = collectionNamed(call.params.collection);
        const { loader } = call.services;
        const input = { loader, collection, id, value: call.body, keep: method === "PATCH" };
        return changedRecord(call, collection, replaceRecord, input);
      },
    }),
  ),
  route({
    id: "deleteRecord",
    method: "DELETE",
    path: ONE,
    scope: "sandbox",
    summary: "Take a record out; refused while others name it",
    query: object({
      _dependent: optional(
        string({ description: "collections, with commas between: their records that name it go too" }),
      ),
    }),
    success: { status: 200, schema: recordSchema },
    refusals: ["collections.notFound", "records.notFound", "records.inUse"],
    recorded: "call and answer",
    handle: (call) => {
      const { id } = call.params;
      const collection = collectionNamed(call.params.collection);
      const dependents = (call.query._dependent ?? "").split(",").filter(Boolean).map(collectionNamed);
      return changedRecord(call, collection, removeRecord, { collection, id, dependents });
    },
  }),
];
