import { JSON_TYPES } from "../kernel/json.js";
import type { Schema } from "../kernel/schema.js";

/** The keywords that a plain check reads, and those that say nothing about what a value may be. */
const KNOWN = ["type", "enum", "anyOf", "items", "minimum", "maximum", "minLength", "pattern"];
const DESCRIPTIVE = ["description", "title", "examples", "default", "x-form"];

/**
 * Whether a value plainly fits the schema. False means that ajv has to look: it decides every other case and says what
 * is wrong, but loading it takes longer than all other reading of options.
 */
export function plainlyFits(schema: Schema, value: unknown): boolean {
  const { type, enum: values, anyOf, items, minimum = -Infinity, maximum = Infinity } = schema;
  const { minLength = 0, pattern = "" } = schema;
  return (
    Object.keys(schema).every((keyword) => KNOWN.includes(keyword) || DESCRIPTIVE.includes(keyword)) &&
    (type === undefined || isOfType(type, value)) &&
    (values === undefined || values.includes(value)) &&
    (anyOf === undefined || anyOf.some((branch) => plainlyFits(branch, value))) &&
    (items === undefined || !Array.isArray(value) || value.every((item) => plainlyFits(items, item))) &&
    (typeof value !== "number" || (value >= minimum && value <= maximum)) &&
    (typeof value !== "string" || (value.length >= minLength && new RegExp(pattern, "u").test(value)))
  );
}

const isOfType = (type: Schema["type"], value: unknown): boolean =>
  typeof type === "string" && type !== "object" && JSON_TYPES[type]?.(value) === true;
