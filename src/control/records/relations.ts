/** What records are related to: one record that they name, or a list of those that name them. */
import type { Schema } from "../../kernel/schema.js";
import { array } from "../../kernel/schema.js";
import { singular } from "../../kernel/words.js";
import type { CollectionName } from "../../world/records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../../world/records.js";

export interface Relation {
  readonly collection: CollectionName;
  /** The field with the id: of the record itself, or of the many that name it. */
  readonly key: string;
  readonly many: boolean;
  /** Of what is embedded. */
  readonly schema: Schema;
}

const keyTo = (collection: string): string => `${singular(collection)}Id`;

const hasField = ({ properties = {} }: Schema, field: string): boolean => Object.hasOwn(properties, field);

/** What `_embed` can name for records of a collection. */
export function relationsOf(collection: CollectionName): Readonly<Record<string, Relation>> {
  const relations: Record<string, Relation> = {};
  for (const other of COLLECTIONS) {
    const schema: Schema = RECORD_SCHEMAS[other];
    if (hasField(RECORD_SCHEMAS[collection], keyTo(other)))
      relations[singular(other)] = { collection: other, key: keyTo(other), many: false, schema };
    if (hasField(schema, keyTo(collection)))
      relations[other] = { collection: other, key: keyTo(collection), many: true, schema: array(schema) };
  }
  return relations;
}
