import { splitTarget } from "../../http/exchange.js";
import type { Schema } from "../../kernel/schema.js";
import { anyOf, array, object, optional, record, string, unknown } from "../../kernel/schema.js";
import { either } from "../../kernel/words.js";
import type { CollectionName } from "../../world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../world/records.js";
import { ControlError, notFound } from "../errors.js";
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

const CONFLICT = { 409: "Another record has its id or a value that must be unique, or names it" };
const UNKNOWN = { 404: "There is no such collection or record" };

function collectionNamed(name: string): CollectionName {
  if (COLLECTIONS.includes(name as CollectionName)) return name as CollectionName;
  throw new ControlError(
    404,
    "not-found",
    `there is no collection "${name}": it must be ${either(COLLECTIONS)}`,
  );
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
    refusals: UNKNOWN,
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
    refusals: UNKNOWN,
    handle: async ({ run, params, request }) => {
      const collection = collectionNamed(params.collection);
      const found = await findRecord(run.shown(), collection, params.id, searchOf(request.url));
      if (found === undefined) throw notFound(`record in ${collection} with the id`, params.id);
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
    refusals: { ...UNKNOWN, ...CONFLICT },
    handle: ({ run, params, body: value, services: { loader }, cause }) => {
      const collection = collectionNamed(params.collection);
      return {
        body: run
          .shown()
          .show(collection, run.transact(cause(), insertRecord, { loader, collection, value })),
      };
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
      refusals: { ...UNKNOWN, ...CONFLICT },
      handle: ({ run, params: { collection: name, id }, body: value, services: { loader }, cause }) => {
        const collection = collectionNamed(name);
        const input = { loader, collection, id, value, keep: method === "PATCH" };
        return { body: run.shown().show(collection, run.transact(cause(), replaceRecord, input)) };
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
    refusals: { ...UNKNOWN, ...CONFLICT },
    handle: ({ run, params: { collection: name, id }, query, cause }) => {
      const collection = collectionNamed(name);
      const dependents = (query._dependent ?? "").split(",").filter(Boolean).map(collectionNamed);
      return {
        body: run
          .shown()
          .show(collection, run.transact(cause(), removeRecord, { collection, id, dependents })),
      };
    },
  }),
];
