import type { Schema } from "../kernel/schema.js";

type Copier = (value: unknown) => unknown;

const asItIs: Copier = (value) => value;

/**
 * Makes copies of values of a schema: fields in the schema's order, the defaults of absent ones filled in,
 * nothing shared with the original. For values that the schema accepts. `shared` makes equal ids of other records one
 * text: many records name the same few.
 */
export function applyDefaults(schema: Schema, shared: Copier = asItIs): Copier {
  const { properties, items } = schema;
  if (properties !== undefined) return objectCopier(schema, properties, shared);
  if (items === undefined) return schema["x-ref"] === undefined ? asItIs : shared;
  const copyItem = applyDefaults(items, shared);
  return (value) => (Array.isArray(value) ? value.map(copyItem) : value);
}

/**
 * The opposite for the fields of a record: makes copies without those that have their defaults. What is left says the same in
 * two thirds of the text.
 */
export function omitDefaults({ properties = {} }: Schema): (record: object) => object {
  const defaults = new Map<string, unknown>();
  for (const [name, schema] of Object.entries(properties))
    if (schema.default !== undefined) defaults.set(name, schema.default);
  return (record) => {
    const copy: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(record))
      if (!isDefault(defaults.get(name), value)) copy[name] = value;
    return copy;
  };
}

const isDefault = (standard: unknown, value: unknown): boolean =>
  standard === value || (Array.isArray(standard) && JSON.stringify(standard) === JSON.stringify(value));

/**
 * The copier of an object, written as a function that makes the copy by one literal, up to the first field that may be absent.
 * The engine learns which literal's objects live long and makes further ones where those are kept: a copy that is filled in
 * field by field takes three times as long, mostly for moving it there.
 */
function objectCopier(
  { required = [] }: Schema,
  properties: Readonly<Record<string, Schema>>,
  shared: Copier,
): Copier {
  const copiers: Copier[] = [];
  const literal: string[] = [];
  const rest: string[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const { default: standard } = schema;
    const own = `value[${JSON.stringify(name)}]`;
    const copier = applyDefaults(schema, shared);
    const copy = copier === asItIs ? own : `copiers[${copiers.push(copier) - 1}](${own})`;
    const filled =
      standard === undefined ? copy : `${own} === undefined ? ${JSON.stringify(standard)} : ${copy}`;
    const isOptional = standard === undefined && !required.includes(name);
    if (!isOptional && rest.length === 0) literal.push(`${JSON.stringify(name)}: ${filled}`);
    else
      rest.push(
        `${isOptional ? `if (${own} !== undefined) ` : ""}copy[${JSON.stringify(name)}] = ${filled};`,
      );
  }
  const body = `
    if (typeof value !== "object" || value === null) return value;
    const copy = { ${literal.join(", ")} };
    ${rest.join(" ")}
    return copy;`;
  return new Function("copiers", `return (value) => {${body}};`)(copiers) as Copier;
}
