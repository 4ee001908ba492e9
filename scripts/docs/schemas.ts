/** JSON Schemas as phrases and tables. */

import type { Schema } from "../../src/kernel/schema.js";
import { FORMATS } from "../../src/kernel/schema.js";
import { anchor, type Blocks, code, jsonCode, table } from "./markdown.js";

/** What a format is called, without its article. */
const formatWords = (format: string): string => FORMATS[format]?.words.replace(/^an? /, "") ?? format;

/** So many named branches are the records of all collections. */
const MANY = 5;

const heading = (title: string): string =>
  title
    .replace(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^./, (letter) => letter.toUpperCase());

/** Collects the titled schemas that a page refers to, so that it can describe each once. */
export class Shapes {
  readonly #found = new Map<string, Schema>();
  readonly #elsewhere: ReadonlyMap<string, string>;
  readonly #page: string;

  /**
   * @param elsewhere the addresses of those that other pages describe, by title
   * @param page the page that has the sections, if it is another than the one with the links
   */
  constructor(elsewhere: ReadonlyMap<string, string> = new Map(), page = "") {
    this.#elsewhere = elsewhere;
    this.#page = page;
  }

  /** A link to a schema by its title. */
  link(title: string, schema: Schema): string {
    const address = this.#elsewhere.get(title);
    if (address === undefined) this.#found.set(heading(title), schema);
    return `[${heading(title)}](${address ?? `${this.#page}#${anchor(heading(title))}`})`;
  }

  /** A heading and a table for each schema that was referred to, and for those that they refer to. */
  sections(): Blocks {
    const done = new Map<string, Blocks>();
    while (done.size < this.#found.size)
      for (const [name, schema] of [...this.#found])
        if (!done.has(name))
          done.set(name, [`## ${name}`, schema.description, rulesOf(schema), fieldTable(schema, this)]);
    return [...done].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, blocks]) => blocks);
  }
}

function rangeOf({ minimum, maximum }: Schema): string {
  const number = (value: number) => value.toLocaleString("en-US").replaceAll(",", " ");
  if (minimum !== undefined && maximum !== undefined) return ` (${number(minimum)} to ${number(maximum)})`;
  if (minimum !== undefined) return ` (at least ${number(minimum)})`;
  return maximum === undefined ? "" : ` (at most ${number(maximum)})`;
}

/** A text with a placeholder stands in a scenario wherever another value does: nothing to tell each time. */
const isPlaceholder = ({ pattern }: Schema): boolean => pattern === "\\$\\{";

function alternatives(branches: readonly Schema[], shapes: Shapes | undefined): string {
  const telling = branches.filter((branch) => !isPlaceholder(branch));
  const [first, second] = telling;
  if (telling.length === 2 && first?.format === "duration" && second?.type === "integer")
    return `${formatWords("duration")}, or milliseconds`;
  if (telling.length > MANY && telling.every(({ title }) => title !== undefined))
    return "record of the collection ([Fixtures](../fixtures.md))";
  return [...new Set(telling.map((one) => typeOf(one, shapes)))].join(" or ");
}

/** What a schema accepts, as a phrase in Markdown. */
export function typeOf(schema: Schema, shapes?: Shapes): string {
  const { title, type, enum: values, const: constant, format, anyOf, "x-form": form } = schema;
  if (title !== undefined && shapes !== undefined) return shapes.link(title, schema);
  if (values !== undefined) return values.map(jsonCode).join(" or ");
  if (constant !== undefined) return jsonCode(constant);
  if (anyOf !== undefined && type === undefined) return alternatives(anyOf, shapes);
  if (typeof type === "object") {
    const others = type
      .filter((one) => one !== "null")
      .map((one) => typeOf({ ...schema, type: one }, shapes));
    return [...others, ...(type.includes("null") ? ["null"] : [])].join(" or ");
  }
  if (form !== undefined) return form;
  if (format !== undefined) return formatWords(format);
  const { items = {}, additionalProperties, properties = {} } = schema;
  if (type === "array") return `array of ${typeOf(items, shapes)}`;
  if (type === "integer" || type === "number") return `${type}${rangeOf(schema)}`;
  if (type !== "object") return type ?? "anything";
  const isMap = typeof additionalProperties === "object" && Object.keys(properties).length === 0;
  return isMap && Object.keys(additionalProperties).length > 0
    ? `object of ${typeOf(additionalProperties, shapes)}`
    : "object";
}

/** Rules over several fields of an object. */
export function rulesOf(schema: Schema): string | undefined {
  const { anyOf = [], oneOf, type } = schema;
  const names = (oneOf ?? anyOf).flatMap(({ required = [] }) => (required.length === 1 ? required : []));
  if (names.length < 2 || type !== "object") return undefined;
  const how = oneOf === undefined ? "At least" : "Exactly";
  return `${how} one of ${names.map(code).join(", ")} is given.`;
}

/** An object inside a schema, and how its fields are reached from there: `[]` for each array around it. */
interface Inner {
  readonly object: Schema;
  readonly suffix: string;
}

/** The object inside a schema whose fields are shown below it: its own, its items', that of its first branch that has one. */
function objectIn(schema: Schema, shapes: Shapes | undefined): Inner | undefined {
  const { type, items, anyOf = [], properties = {} } = schema;
  if (Object.keys(properties).length > 0) return { object: schema, suffix: "" };
  if (type === "array" && items !== undefined) {
    const inner = objectIn(items, shapes);
    return inner && { ...inner, suffix: `[]${inner.suffix}` };
  }
  const branches = anyOf.flatMap((branch) => objectIn(branch, shapes) ?? []);
  // A named one is described elsewhere, where there is such a place; else it stands for its alternatives.
  const open = branches.filter(({ object }) => object.title === undefined);
  if (shapes === undefined && open.length < branches.length) return branches[0];
  const [first] = open;
  return first && open.length > 1
    ? { object: merged(open.map(({ object }) => object)), suffix: first.suffix }
    : first;
}

/** One object with the fields of several: required is what all of them require. */
const merged = (schemas: readonly Schema[]): Schema => ({
  type: "object",
  properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
  required: schemas
    .map(({ required = [] }) => required)
    .reduce((names, others) => names.filter((name) => others.includes(name))),
});

function rowsOf(
  { properties = {}, required = [] }: Schema,
  shapes: Shapes | undefined,
  prefix: string,
): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const notes = [
      field.description,
      field.default === undefined ? undefined : `default ${jsonCode(field.default)}`,
      rulesOf(field),
    ].filter(Boolean);
    const row = [code(path), typeOf(field, shapes), required.includes(name) ? "yes" : "no", notes.join("; ")];
    const isNamed = field.title !== undefined || field.items?.title !== undefined;
    const inner = shapes !== undefined && isNamed ? undefined : objectIn(field, shapes);
    return inner === undefined || isElsewhere(inner, field, shapes)
      ? [row]
      : [row, ...rowsOf(inner.object, shapes, `${path}${inner.suffix}.`)];
  });
}

/** Whether an object inside of a schema is described under its own name. */
const isElsewhere = ({ object }: Inner, schema: Schema, shapes: Shapes | undefined): boolean =>
  shapes !== undefined && object !== schema && object.title !== undefined;

/** The fields of an object, of the objects in an array, each on a row; undefined where there are none to show. */
export function fieldTable(schema: Schema, shapes?: Shapes): string | undefined {
  const inner = objectIn(schema, shapes);
  if (inner === undefined || isElsewhere(inner, schema, shapes)) return undefined;
  const { object, suffix } = inner;
  return table(
    ["field", "type", "required", "notes"],
    rowsOf(object, shapes, suffix === "" ? "" : `${suffix}.`),
  );
}
