/** The fixture document: the records of a world by collection. */
import type { InferInput, Schema } from "../../kernel/schema.js";
import { array, object, optional, record, string, unknown, withDefault } from "../../kernel/schema.js";
import { type CollectionName, RECORD_SCHEMAS, type Records } from "./records.js";

const collectionOf = <T, I>(schema: Schema<T, I>) => withDefault(array(schema), []);

/** The whole fixture document; a missing collection is empty. */
export const fixtureSchema = object(
  {
    $schema: optional(string()),
    simulator: optional(
      record(unknown(), {
        description: "what the document of a data folder holds beside the state; not read from a fixture",
      }),
    ),
    journal: optional(
      record(unknown(), { description: "what a bundle holds of the past; not read from a fixture" }),
    ),
    organizations: collectionOf(RECORD_SCHEMAS.organizations),
    businesses: collectionOf(RECORD_SCHEMAS.businesses),
    users: collectionOf(RECORD_SCHEMAS.users),
    tokens: collectionOf(RECORD_SCHEMAS.tokens),
    customers: collectionOf(RECORD_SCHEMAS.customers),
    threads: collectionOf(RECORD_SCHEMAS.threads),
    messages: collectionOf(RECORD_SCHEMAS.messages),
    templates: collectionOf(RECORD_SCHEMAS.templates),
    webhooks: collectionOf(RECORD_SCHEMAS.webhooks),
  },
  { title: "messaging-sim fixture", $schema: "https://json-schema.org/draft/2020-12/schema" },
);

/** A fixture after loading: every collection present, every default filled in. */
export type FixtureDocument = { [C in CollectionName]: Records[C][] };

/** A fixture as a caller may write it. */
export type FixtureInput = InferInput<typeof fixtureSchema>;
