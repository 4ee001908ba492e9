/** Whole records: what a fixture or a rule leaves out has the default of its schema. */
import { isObject } from "../../kernel/json.js";
import { fromKeys } from "../../kernel/objects.js";
import type { DeepReadonly, Schema } from "../../kernel/schema.js";
import type { CollectionName, FixtureInput, Records, Webhook } from "./records.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "./records.js";

/** A record as a caller may write it. */
export type FixtureRecord<C extends CollectionName> = DeepReadonly<NonNullable<FixtureInput[C]>[number]>;

type Copier = (value: unknown) => unknown;

/** Copies valid values: fields in the schema's order, defaults of absent ones filled in, nothing shared. */
function copierOf(schema: Schema): Copier {
  const { properties, items } = schema;
  if (properties !== undefined) return objectCopier(properties);
  if (items === undefined) return (value) => value;
  const copyItem = copierOf(items);
  return (value) => (Array.isArray(value) ? value.map(copyItem) : value);
}

const isFlat = (value: unknown): boolean => typeof value !== "object" || value === null;

/** The copier of an object: absent fields with a default get it, others stay absent. */
function objectCopier(properties: Readonly<Record<string, Schema>>): Copier {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, copierOf(schema), schema.default] as const,
  );
  return (value) => {
    if (!isObject(value)) return value;
    const copy: Record<string, unknown> = {};
    for (const [name, copied, standard] of fields) {
      const own = value[name];
      if (own !== undefined) copy[name] = copied(own);
      else if (standard !== undefined) copy[name] = isFlat(standard) ? standard : structuredClone(standard);
    }
    return copy;
  };
}

const COPIERS = fromKeys(COLLECTIONS, (collection) => copierOf(RECORD_SCHEMAS[collection]));

/** A copy of a valid record with its schema's fields alone, and the defaults of those that it leaves out. */
export function complete<C extends CollectionName>(collection: C, record: FixtureRecord<C>): Records[C] {
  const copy = COPIERS[collection](record) as Records[C];
  return collection === "webhooks" ? (withHookId(copy as Webhook) as Records[C]) : copy;
}

const withHookId = ({ id, ...rest }: Omit<Webhook, "hookId">): Webhook => ({ id, hookId: id, ...rest });
