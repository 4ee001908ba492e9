import type { Schema } from "../kernel/schema.js";

type Copier = (value: unknown) => unknown;

/**
 * Makes copies of values of a schema: fields in the schema's order, the defaults of absent ones filled in,
 * nothing shared with the original. For values that the schema accepts. `shared` makes equal ids of other records one
 * text: many records name the same few.
 */
export function applyDefaults(schema: Schema, shared: Copier = (value) => value): Copier {
  const { properties, items } = schema;
  if (properties !== undefined) return objectCopier(properties, shared);
  if (items === undefined) return schema["x-ref"] === undefined ? (value) => value : shared;
  const copyItem = applyDefaults(items, shared);
  return (value) => (Array.isArray(value) ? value.map(copyItem) : value);
}

function objectCopier(properties: Readonly<Record<string, Schema>>, shared: Copier): Copier {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const simple =
      schema.properties === undefined && schema.items === undefined && schema["x-ref"] === undefined;
    const standard = schema.default;
    return {
      name,
      copy: simple ? undefined : applyDefaults(schema, shared),
      standard,
      fresh: typeof standard === "object" && standard !== null,
    };
  });
  return (value) => {
    if (typeof value !== "object" || value === null) return value;
    const source = value as Record<string, unknown>;
    const copy: Record<string, unknown> = {};
    for (const { name, copy: copyField, standard, fresh } of fields) {
      const own = source[name];
      if (own !== undefined) copy[name] = copyField === undefined ? own : copyField(own);
      else if (standard !== undefined) copy[name] = fresh ? structuredClone(standard) : standard;
    }
    return copy;
  };
}
