import type { Schema } from "../kernel/schema.js";

/** Keywords that say nothing about what a value may be. */
const WORDS = ["description", "title", "examples", "default", "x-form"];

type Test = (value: never, limit: never) => boolean;

const TESTS: Readonly<Record<string, Test>> = {
  type: (value: unknown, type: string) =>
    type === "integer" ? Number.isInteger(value) : typeof value === type,
  enum: (value: unknown, values: readonly unknown[]) => values.includes(value),
  minimum: (value: number, least: number) => value >= least,
  maximum: (value: number, most: number) => value <= most,
  minLength: (value: string, least: number) => value.length >= least,
  pattern: (value: string, pattern: string) => new RegExp(pattern, "u").test(value),
};

/**
 * Whether a value plainly fits the schema. False means that ajv has to look: it decides every other case and words
 * the problems, but loading it takes longer than all other reading of options.
 */
export function plainlyFits(schema: Schema, value: unknown): boolean {
  const { anyOf, items, ...keywords } = schema as Schema & { anyOf?: Schema[]; items?: Schema };
  if (anyOf !== undefined && !anyOf.some((branch) => plainlyFits(branch, value))) return false;
  const isList = items !== undefined;
  if (isList && !(Array.isArray(value) && value.every((item) => plainlyFits(items, item)))) return false;
  return Object.entries(keywords).every(
    ([keyword, limit]) =>
      WORDS.includes(keyword) ||
      (isList && keyword === "type") ||
      TESTS[keyword]?.(value as never, limit as never) === true,
  );
}
