import type { Schema } from "../kernel/schema.js";

type Copier = (value: unknown) => unknown;

interface Keywords {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/**
 * Makes copies of values of a schema: fields in the schema's order, the defaults of absent ones filled in,
 * nothing shared with the original. For values that the schema accepts.
 */
export function applyDefaults(schema: Schema): Copier {
  const { properties, items } = schema as Keywords;
  if (properties !== undefined) return objectCopier(properties);
  if (items === undefined) return (value) => value;
  const copyItem = applyDefaults(items);
  return (value) => (Array.isArray(value) ? value.map(copyItem) : value);
}

function objectCopier(properties: Readonly<Record<string, Schema>>): Copier {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const simple = schema.properties === undefined && schema.items === undefined;
    const standard = schema.default;
    return {
      name,
      copy: simple ? undefined : applyDefaults(schema),
      standard,
      fresh: typeof standard === "object" && standard !== null,
    };
  });
  return (value) => {
    if (typeof value !== "object" || value === null) return value;
    const source = value as Record<string, unknown>;
    const copy: Record<string, unknown> = {};
    for (const { name, copy: copyField, standard, fresh } of fields) {
      const given = source[name];
      if (given !== undefined) copy[name] = copyField === undefined ? given : copyField(given);
      else if (standard !== undefined) copy[name] = fresh ? structuredClone(standard) : standard;
    }
    return copy;
  };
}
