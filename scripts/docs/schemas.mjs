// JSON Schemas in words and tables.

import { anchor, code, jsonCode, table } from "./markdown.mjs";

const FORMATS = {
  email: "e-mail address",
  "email-address": "e-mail address",
  e164: "phone number in E.164 form",
  url: "http or https URL",
  "webhook-url": "http or https URL, or `sink:NAME`",
  duration: "duration such as `90s` or `24h`",
  "date-time": "ISO 8601 instant",
};

/** So many named branches are the records of all collections. */
const MANY = 5;

/** The name of a schema that is described on its own, as a heading. */
const nameOf = ({ title }) => title;

const heading = (title) =>
  title
    .replace(/[^A-Za-z0-9]+(.)/g, (_, letter) => letter.toUpperCase())
    .replace(/^./, (letter) => letter.toUpperCase());

/** Collects the titled schemas that a page refers to, so that it can describe each once. */
export class Shapes {
  #found = new Map();
  #elsewhere;

  /** @param elsewhere the addresses of those that other pages describe, by title */
  constructor(elsewhere = new Map()) {
    this.#elsewhere = elsewhere;
  }

  /** A link to a titled schema. */
  link(schema) {
    const title = nameOf(schema);
    const place = this.#elsewhere.get(title);
    if (place === undefined) this.#found.set(heading(title), schema);
    return `[${heading(title)}](${place ?? `#${anchor(heading(title))}`})`;
  }

  /** A heading and a table for each schema that was referred to, and for those that they refer to. */
  sections(level = "###") {
    const done = new Map();
    while (done.size < this.#found.size)
      for (const [name, schema] of [...this.#found])
        if (!done.has(name))
          done.set(name, [`${level} ${name}`, schema.description, rulesOf(schema), fieldTable(schema, this)]);
    return [...done].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, parts]) => parts);
  }
}

const rangeOf = ({ minimum, maximum }) => {
  const number = (value) => value.toLocaleString("en-US").replaceAll(",", " ");
  if (minimum !== undefined && maximum !== undefined) return ` (${number(minimum)} to ${number(maximum)})`;
  if (minimum !== undefined) return ` (at least ${number(minimum)})`;
  return maximum === undefined ? "" : ` (at most ${number(maximum)})`;
};

/** A text with a placeholder stands in a scenario wherever another value does: nothing to tell each time. */
const isPlaceholder = ({ pattern }) => pattern === "\\$\\{";

function alternatives(branches, shapes) {
  const telling = branches.filter((branch) => !isPlaceholder(branch));
  const [first, second] = telling;
  if (telling.length === 2 && first.format === "duration" && second.type === "integer")
    return `${FORMATS.duration}, or milliseconds`;
  if (telling.length > MANY && telling.every((branch) => nameOf(branch) !== undefined))
    return "record of the collection ([Fixtures](fixtures.md))";
  return [...new Set(telling.map((one) => typeOf(one, shapes)))].join(" or ");
}

/** What a schema accepts, in a few words of Markdown. */
export function typeOf(schema, shapes, top = false) {
  if (!top && nameOf(schema) !== undefined && shapes !== undefined) return shapes.link(schema);
  const {
    type,
    enum: values,
    const: constant,
    format,
    anyOf,
    items,
    properties,
    additionalProperties,
  } = schema;
  const form = schema["x-form"];
  if (values !== undefined) return values.map((value) => jsonCode(value)).join(" or ");
  if (constant !== undefined) return jsonCode(constant);
  if (anyOf !== undefined && type === undefined) return alternatives(anyOf, shapes);
  if (Array.isArray(type)) {
    const rest = type.filter((one) => one !== "null");
    const plain = typeOf({ ...schema, type: rest.length === 1 ? rest[0] : rest }, shapes, top);
    return type.includes("null")
      ? `${plain} or null`
      : rest.map((one) => typeOf({ ...schema, type: one }, shapes)).join(" or ");
  }
  if (form !== undefined) return form;
  if (format !== undefined) return FORMATS[format] ?? format;
  if (type === "array") return `array of ${typeOf(items ?? {}, shapes)}`;
  if (type === "integer" || type === "number") return `${type}${rangeOf(schema)}`;
  if (type !== "object") return type ?? "anything";
  if (properties === undefined || Object.keys(properties).length === 0)
    return typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0
      ? `object of ${typeOf(additionalProperties, shapes)}`
      : "object";
  return "object";
}

/** Rules over several fields of an object. */
export function rulesOf(schema) {
  const alternatives = (schema.anyOf ?? [])
    .filter(({ required }) => required?.length === 1)
    .flatMap(({ required }) => required);
  if (alternatives.length < 2 || schema.type !== "object") return undefined;
  const names = alternatives.map(code).join(", ");
  const exclusive = schema["x-dialect"]?.atMostOneOf?.length === alternatives.length;
  return exclusive ? `Exactly one of ${names} is given.` : `At least one of ${names} is given.`;
}

/** The object inside a schema whose fields are shown below it: its own, its items', that of its first branch that has one. */
function objectIn(schema, shapes) {
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) return [schema, ""];
  if (schema.type === "array" && schema.items !== undefined) {
    const [inner, suffix] = objectIn(schema.items, shapes);
    return [inner, `[]${suffix}`];
  }
  const branches = (schema.anyOf ?? [])
    .map((branch) => objectIn(branch, shapes))
    .filter(([inner]) => inner !== undefined);
  const [first = [undefined, ""]] = branches;
  // A named one is described elsewhere, where there is such a place; else it stands for its alternatives.
  const open = branches.filter(([inner]) => nameOf(inner) === undefined);
  if (shapes === undefined && open.length < branches.length) return first;
  return open.length > 1 ? [merged(open.map(([inner]) => inner)), open[0][1]] : (open[0] ?? [undefined, ""]);
}

/** One object with the fields of several: required is what all of them require. */
const merged = (schemas) => ({
  type: "object",
  properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
  required: schemas.reduce(
    (names, { required = [] }) => names.filter((name) => required.includes(name)),
    schemas[0].required ?? [],
  ),
});

const isRequired = (schema, name) => (schema.required ?? []).includes(name);

function rowsOf(schema, shapes, prefix) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const notes = [
      field.description,
      field.default === undefined ? undefined : `default ${jsonCode(field.default)}`,
      rulesOf(field),
    ].filter(Boolean);
    const row = [
      code(path),
      typeOf(field, shapes),
      isRequired(schema, name) ? "yes" : "no",
      notes.join("; "),
    ];
    const titled = nameOf(field) !== undefined || nameOf(field.items ?? {}) !== undefined;
    const [inner, suffix] = shapes !== undefined && titled ? [undefined, ""] : objectIn(field, shapes);
    if (inner === undefined || (shapes !== undefined && inner !== field && nameOf(inner) !== undefined))
      return [row];
    return [row, ...rowsOf(inner, shapes, `${path}${suffix}.`)];
  });
}

/** The fields of an object, of the objects in an array, each on a row; undefined where there are none to show. */
export function fieldTable(schema, shapes) {
  const [inner, suffix] = objectIn(schema, shapes);
  if (inner === undefined) return undefined;
  if (inner !== schema && shapes !== undefined && nameOf(inner) !== undefined) return undefined;
  return table(
    ["field", "type", "required", "notes"],
    rowsOf(inner, shapes, suffix === "" ? "" : `${suffix}.`),
  );
}
