import { isObject } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";

type Copier = (value: unknown) => unknown;

const asItIs: Copier = (value) => value;

/**
 * Makes copies of values of a schema: fields in the schema's order, the defaults of absent ones filled in,
 * nothing shared with the original. For values that the schema accepts. `shared` makes equal ids of other records one
 * text: many records name the same few.
 */
export function applyDefaults(schema: Schema, shared: Copier = asItIs): Copier {
  const { properties, items } = schema;
  if (properties !== undefined) return objectCopier(properties, shared);
  if (items === undefined) return schema["x-ref"] === undefined ? asItIs : shared;
  const copyItem = applyDefaults(items, shared);
  return (value) => (Array.isArray(value) ? value.map(copyItem) : value);
}

const isFlat = (value: unknown): boolean => typeof value !== "object" || value === null;

/** The copier of an object: absent fields that have a default get it, others stay absent. */
function objectCopier(properties: Readonly<Record<string, Schema>>, shared: Copier): Copier {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, applyDefaults(schema, shared), schema.default] as const,
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

/**
 * The opposite for the fields of a record: makes copies without those that have their defaults. What is left says the same in
 * two thirds of the text. For records that `applyDefaults` has made, or rules as it makes them.
 */
export function omitDefaults({ properties = {} }: Schema): (record: object) => object {
  const fields = Object.entries(properties).map(
    ([name, { default: standard }]) => [name, JSON.stringify(standard)] as const,
  );
  return (record) => {
    const copy: Record<string, unknown> = {};
    for (const [name, standard] of fields) {
      const own: unknown = Reflect.get(record, name);
      if (own !== undefined && (standard === undefined || JSON.stringify(own) !== standard)) copy[name] = own;
    }
    return copy;
  };
}
