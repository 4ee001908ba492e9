import type { ErrorObject } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type { Path } from "./json.js";
import { pathText, pointerPath } from "./json.js";
import { loadPackage } from "./packages.js";
import type { Problem } from "./problems.js";
import { keyProblemAt, problemAt, problemsOfFirst } from "./problems.js";
import { FORMATS, type Schema } from "./schema.js";
import { counted, describeSchema, describeType, either, kindOf, preview, unknownKey } from "./words.js";

/** Our own keywords: other readers of a schema use them, ajv ignores them. */
const OWN_KEYWORDS = ["x-ref", "x-id", "x-form", "x-https", "example"];

/**
 * The only way to create a JSON Schema validator: it reports all errors of a value and knows our formats.
 * `defaults` fills in the `default` of absent properties, in place.
 */
export function createAjv({ defaults = false } = {}): Ajv2020 {
  // Ajv takes much of the start-up time, and most starts never need it.
  const { Ajv2020: Ajv } = loadPackage<typeof import("ajv/dist/2020.js")>("ajv/dist/2020.js");
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    useDefaults: defaults,
    strict: true,
    validateSchema: false,
    // Branches such as anyOf: [{ required: ["text"] }, …] name properties that their parent declares.
    strictRequired: false,
    allowUnionTypes: true,
  });
  ajv.addVocabulary(OWN_KEYWORDS);
  for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, test);
  return ajv;
}

type Say = (error: ErrorObject) => string;

const but = (error: ErrorObject): string => `, but is ${preview(error.data)}`;
const limitOf = ({ params }: ErrorObject): number => params.limit;
const wanted: Say = (error) => `must be ${describeSchema(error.parentSchema)}${but(error)}`;

const PHRASES: Readonly<Record<string, Say>> = {
  type: ({ params: { type }, data, parentSchema }) => {
    const isFraction = type === "integer" && typeof data === "number";
    const form = type === "array" ? parentSchema?.["x-form"] : undefined;
    return `must be ${form ?? describeType(type)}, but is ${isFraction ? preview(data) : kindOf(data)}`;
  },
  enum: (error) => `must be ${describeSchema({ enum: error.parentSchema?.enum })}${but(error)}`,
  const: (error) => `must be ${preview(error.schema)}${but(error)}`,
  format: wanted,
  pattern: (error) =>
    error.parentSchema?.["x-form"] === undefined
      ? `must match ${String(error.schema)}${but(error)}`
      : wanted(error),
  minLength: (error) =>
    limitOf(error) === 1 ? "must not be empty" : `must have at least ${counted(limitOf(error), "character")}`,
  maxLength: (error) => `must have at most ${counted(limitOf(error), "character")}`,
  minimum: (error) => `must be at least ${limitOf(error)}${but(error)}`,
  maximum: (error) => `must be at most ${limitOf(error)}${but(error)}`,
  minItems: (error) =>
    limitOf(error) === 1 ? "must not be empty" : `must have at least ${counted(limitOf(error), "item")}`,
  maxItems: (error) => `must have at most ${counted(limitOf(error), "item")}`,
  minProperties: (error) =>
    limitOf(error) === 1 ? "must not be empty" : `must have at least ${counted(limitOf(error), "field")}`,
  maxProperties: (error) => `must have at most ${counted(limitOf(error), "field")}`,
};

const phrase: Say = (error) => PHRASES[error.keyword]?.(error) ?? error.message ?? `fails ${error.keyword}`;

/**
 * The errors of an ajv validator (from `createAjv`) as problems: one for each thing to correct.
 *
 * @param value the validated value
 * @param base the location of that value in the document that the problems are about
 */
export function schemaProblems(
  errors: readonly ErrorObject[] | null | undefined,
  value: unknown,
  base: Path = [],
): Problem[] {
  return problemsOf(errors ?? [], (error) => [...base, ...pointerPath(error.instancePath, value)]);
}

/** What is wrong with a single value by a schema; a schema that many values are checked by is compiled once instead. */
export function problemsBySchema(schema: Schema, value: unknown): Problem[] {
  const validate = createAjv().compile(schema);
  return validate(value) ? [] : schemaProblems(validate.errors, value);
}

type PathOf = (error: ErrorObject) => Path;

function problemsOf(errors: readonly ErrorObject[], pathOf: PathOf): Problem[] {
  const found: (() => Problem[])[] = [];
  const valueRefused = new Set(
    errors
      .filter(({ keyword }) => keyword === "enum" || keyword === "const")
      .map(({ instancePath }) => instancePath),
  );
  // The errors of an anyOf's branches come before its own: read from the end, a branch always belongs to a known anyOf.
  const left = [...errors];
  for (let error = left.pop(); error !== undefined; error = left.pop()) {
    // The error of the name itself says more.
    if (error.keyword === "propertyNames") continue;
    if (error.keyword === "type" && valueRefused.has(error.instancePath)) continue;
    if (error.keyword === "anyOf") {
      const choice = error;
      const start = `${choice.schemaPath}/`;
      const inside = left.splice(left.findLastIndex(({ schemaPath }) => !schemaPath.startsWith(start)) + 1);
      found.push(() => choiceProblems(choice, inside, pathOf));
    } else found.push(() => [problemOf(error, pathOf(error))]);
  }
  return problemsOfFirst(found.reverse(), (make) => make());
}

function problemOf(error: ErrorObject, path: Path): Problem {
  const { params, parentSchema, data, propertyName } = error;
  if (propertyName !== undefined) {
    const known = error.keyword === "enum" ? parentSchema?.enum : undefined;
    return keyProblemAt(
      [...path, propertyName],
      known === undefined ? phrase(error) : unknownKey("field", propertyName, known),
    );
  }
  switch (error.keyword) {
    case "required": {
      const missing = parentSchema?.properties?.[params.missingProperty];
      const forms = missing?.enum === undefined ? missing?.["x-form"] : either(missing.enum.map(String));
      const message = forms === undefined ? "is missing" : `is missing: it must be ${forms}`;
      return problemAt([...path, params.missingProperty], message);
    }
    case "additionalProperties": {
      const key = params.additionalProperty;
      const names = Object.keys(Object(parentSchema?.properties));
      const free = names.filter((name) => Object(data)[name] === undefined);
      return keyProblemAt([...path, key], unknownKey("field", key, free, names));
    }
    case "uniqueItems": {
      const [earlier, later] = [Math.min(params.i, params.j), Math.max(params.i, params.j)];
      return problemAt([...path, later], `is the same as ${pathText([...path, earlier])}`);
    }
    default:
      return problemAt(path, phrase(error));
  }
}

/** Errors that mean that another branch was intended, rather than that something in this one is wrong. */
const SHAPE = new Set(["required", "additionalProperties"]);

/** Errors of a value of the intended kind, whose size or fields are wrong. */
const OF_KIND = new Set([...SHAPE, "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"]);

/** One useful problem for a value that matches none of several schemas: about the nearest one. */
function choiceProblems(choice: ErrorObject, errors: readonly ErrorObject[], pathOf: PathOf): Problem[] {
  const { instancePath: top, data } = choice;
  const say = (message: string): Problem[] => [problemAt(pathOf(choice), message)];

  const branches: ErrorObject[][] = [];
  for (const error of errors) {
    const position = Number.parseInt(error.schemaPath.slice(choice.schemaPath.length + 1), 10);
    (branches[position] ??= []).push(error);
  }
  const isOfKind = ({ instancePath, keyword, propertyName }: ErrorObject) =>
    instancePath !== top || propertyName !== undefined || OF_KIND.has(keyword);
  const near = branches.filter((branch) => branch.some(isOfKind));
  if (near.length === 0) {
    const seen = errors.every(({ keyword }) => keyword === "type") ? kindOf(data) : preview(data);
    return say(`must be ${describeSchema(choice.parentSchema)}, but is ${seen}`);
  }
  const least = Math.min(...near.map((branch) => distanceOf(branch, top)));
  const nearest = near.filter((branch) => distanceOf(branch, top) === least);
  const missing = nearest
    .filter((branch) => branch.every((error) => error.keyword === "required" && error.instancePath === top))
    .map((branch) => branch.map(({ params }) => params.missingProperty).join(" and "));
  if (nearest.length > 1 && missing.length === nearest.length) return say(`must have ${either(missing)}`);
  return problemsOf(nearest[0] ?? [], pathOf);
}

/** The distance of a value from a branch: a wrong discriminator counts most, then the fields of the object. */
function distanceOf(branch: readonly ErrorObject[], top: string): number {
  const depth = top.split("/").length;
  return branch.reduce((sum, { keyword, instancePath }) => {
    const isOfField = instancePath.split("/").length === depth + 1;
    if (isOfField && (keyword === "const" || keyword === "enum")) return sum + 100;
    return sum + (SHAPE.has(keyword) && instancePath === top ? 10 : 1);
  }, 0);
}
