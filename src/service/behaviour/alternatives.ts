/** The possible values of an entry besides its default or its current one, derived from its schema. */
import { isObject } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";
import { either } from "../../kernel/words.js";
import { answerSchema, type BehaviourEntry } from "./entry.js";

/** The other values of an entry with few possible ones; otherwise a description of what it accepts. */
export type Alternatives = readonly unknown[] | string;

export function alternativesOf({
  schema,
  default: preset,
}: Pick<BehaviourEntry, "schema" | "default">): Alternatives {
  if (schema === answerSchema) return "a response with another status (200 to 599) or any other JSON body";
  return valuesOf(schema)?.filter((value) => value !== preset) ?? inWords(without(schema, preset));
}

export const alternativesText = (alternatives: Alternatives): string =>
  typeof alternatives === "string"
    ? alternatives
    : either(alternatives.map((value) => JSON.stringify(value)));

/** All values that a schema accepts, if they are few; otherwise undefined. */
function valuesOf({ enum: values, const: constant, anyOf, type }: Schema): readonly unknown[] | undefined {
  if (values !== undefined) return values;
  if (constant !== undefined) return [constant];
  if (type === "null") return [null];
  const branches = anyOf?.map(valuesOf);
  return branches?.every((branch) => branch !== undefined) ? branches.flat() : undefined;
}

function inWords(schema: Schema): string {
  const { type, anyOf, format } = schema;
  const values = valuesOf(schema);
  if (values !== undefined) return either(values.map((value) => JSON.stringify(value)));
  if (anyOf?.some((branch) => branch.format === "duration"))
    return 'a duration such as "90s" or "24h", or milliseconds';
  if (anyOf !== undefined) return either(anyOf.map(inWords));
  if (Array.isArray(type)) return either(type.map((one) => inWords({ ...schema, type: one })));
  if (type === "array") return `an array, each item ${inWords(schema.items ?? {})}`;
  if (type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (type === "object") return objectInWords(schema);
  return type === "string" && format === undefined ? "a string" : String(format ?? type);
}

function without(schema: Schema, value: unknown): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(type) && value === null)
    return { ...schema, type: type.filter((one) => one !== "null").join() };
  if (anyOf === undefined) return schema;
  return { ...schema, anyOf: anyOf.filter((branch) => !valuesOf(branch)?.every((one) => one === value)) };
}

function objectInWords({ properties, propertyNames, additionalProperties }: Schema): string {
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => `${name} (${inWords(field)})`);
    return `an object with ${fields.join(", ")}`;
  }
  const values = isObject(additionalProperties) ? inWords(additionalProperties) : "anything";
  const names = propertyNames?.enum;
  const keys = names === undefined ? "" : ` with any of the keys ${names.join(", ")}`;
  return `an object${keys}, each value ${values}`;
}
