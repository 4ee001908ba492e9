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
  if (properties !== undefined) return objectCopier(schema, properties, shared);
  if (items === undefined) return schema["x-ref"] === undefined ? asItIs : shared;
  const copyItem = applyDefaults(items, shared);
  return (value) => (Array.isArray(value) ? value.map(copyItem) : value);
}

/**
 * The opposite for the fields of a record: makes copies without those that have their defaults. What is left says the same in
 * two thirds of the text. For records that `applyDefaults` has made, or rules as it makes them.
 */
export function omitDefaults({ properties = {}, required = [] }: Schema): (record: object) => object {
  const fields = Object.entries(properties).map(([name, { default: standard }]): Field => {
    const value = fieldOf(name);
    return { name, value, ...unless(standard, value, required.includes(name)) };
  });
  return copierOf(fields) as (record: object) => object;
}

function unless(standard: unknown, value: string, isRequired: boolean): Pick<Field, "when"> {
  if (standard === undefined) return isRequired ? {} : { when: `${value} !== undefined` };
  const text = JSON.stringify(standard);
  const isPlain = typeof standard !== "object" || standard === null;
  return { when: isPlain ? `${value} !== ${text}` : `JSON.stringify(${value}) !== ${JSON.stringify(text)}` };
}

/** The copier of an object: absent fields that have a default get it, others stay absent. */
function objectCopier(
  { required = [] }: Schema,
  properties: Readonly<Record<string, Schema>>,
  shared: Copier,
): Copier {
  const copiers: Copier[] = [];
  const fields = Object.entries(properties).map(([name, schema]): Field => {
    const { default: standard } = schema;
    const own = fieldOf(name);
    const copier = applyDefaults(schema, shared);
    const copy = copier === asItIs ? own : `copiers[${copiers.push(copier) - 1}](${own})`;
    if (standard !== undefined)
      return { name, value: `${own} === undefined ? ${JSON.stringify(standard)} : ${copy}` };
    return required.includes(name)
      ? { name, value: copy }
      : { name, value: copy, when: `${own} !== undefined` };
  });
  return copierOf(fields, copiers);
}

/** A field of a copy, in the words of the program. */
interface Field {
  readonly name: string;
  readonly value: string;
  /** Left out: the copy always has it. */
  readonly when?: string;
}

const fieldOf = (name: string): string => `value[${JSON.stringify(name)}]`;

/**
 * A copier, written as a function that makes the copy by one literal, up to the first field that may be absent.
 * The engine learns which literal's objects live long and makes further ones where those are kept: a copy that is filled in
 * field by field takes three times as long, mostly for moving it there.
 */
function copierOf(fields: readonly Field[], copiers: readonly Copier[] = []): Copier {
  const first = fields.findIndex(({ when }) => when !== undefined);
  const certain = first < 0 ? fields : fields.slice(0, first);
  const literal = certain.map(({ name, value }) => `${JSON.stringify(name)}: ${value}`);
  const rest = fields
    .slice(certain.length)
    .map(
      ({ name, value, when }) => `${when ? `if (${when}) ` : ""}copy[${JSON.stringify(name)}] = ${value};`,
    );
  const body = `
    if (typeof value !== "object" || value === null) return value;
    const copy = { ${literal.join(", ")} };
    ${rest.join(" ")}
    return copy;`;
  return new Function("copiers", `return (value) => {${body}};`)(copiers) as Copier;
}
