import { fromKeys } from "../../kernel/keys.js";
import type { CollectionName } from "./records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "./records.js";

/** A field by which records of one collection name records of another. */
export interface Reference {
  readonly collection: CollectionName;
  readonly field: string;
  /** The field holds an array of ids. */
  readonly many: boolean;
  readonly target: CollectionName;
}

const referencesIn = (collection: CollectionName): Reference[] =>
  Object.entries(RECORD_SCHEMAS[collection].properties ?? {}).flatMap(([field, schema]) => {
    const many = schema.items?.["x-ref"] !== undefined;
    const target = many ? schema.items?.["x-ref"] : schema["x-ref"];
    return target === undefined ? [] : [{ collection, field, many, target: target as CollectionName }];
  });

/** Every reference of each collection, in the order of its fields: what the schemas mark with `x-ref`. */
export const REFERENCES: Readonly<Record<CollectionName, readonly Reference[]>> = fromKeys(
  COLLECTIONS,
  referencesIn,
);

/** The reference that places a record in an organization: `organizationId`, else its first. */
export const OWNERS = fromKeys(COLLECTIONS, (collection) => REFERENCES[collection].find(({ many }) => !many));
