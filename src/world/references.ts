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

/** The keywords of a schema that matter here. */
interface Keywords {
  readonly properties?: Readonly<Record<string, Keywords>>;
  readonly items?: Keywords;
  readonly "x-ref"?: CollectionName;
}

const referencesIn = (collection: CollectionName): Reference[] =>
  Object.entries((RECORD_SCHEMAS[collection] as Keywords).properties ?? {}).flatMap(([field, schema]) => {
    const many = schema.items?.["x-ref"] !== undefined;
    const target = many ? schema.items?.["x-ref"] : schema["x-ref"];
    return target === undefined ? [] : [{ collection, field, many, target }];
  });

/** Every reference of each collection, in the order of its fields: what the schemas mark with `x-ref`. */
export const REFERENCES = Object.fromEntries(
  COLLECTIONS.map((collection) => [collection, referencesIn(collection)]),
) as unknown as Readonly<Record<CollectionName, readonly Reference[]>>;

/** The reference that places a record in an organization: `organizationId`, else its first. */
export const OWNERS = Object.fromEntries(
  COLLECTIONS.map((collection) => [collection, REFERENCES[collection].find(({ many }) => !many)]),
) as Readonly<Record<CollectionName, Reference | undefined>>;
