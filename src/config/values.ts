import type { Problem } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import { plainlyFits } from "./fits.js";
import type { Option } from "./option.js";
import { type OptionName, type OptionValues, SERVE_OPTIONS } from "./options.js";
import type { SourceValue } from "./source.js";

/** What is wrong with the given values, located where they were given. */
export async function checkValues(values: readonly SourceValue[]): Promise<Problem[]> {
  const problems = await Promise.all(
    values.map(async ({ name, value, locate }) => (await problemsOf(SERVE_OPTIONS[name], value)).map(locate)),
  );
  return problems.flat();
}

async function problemsOf({ schema, check }: Option, value: unknown): Promise<readonly Problem[]> {
  if (check !== undefined) return check(value);
  if (plainlyFits(schema, value)) return [];
  const { createAjv } = await import("../kernel/ajv.js");
  const validate = createAjv().compile(schema);
  return validate(value) ? [] : schemaProblems(validate.errors, value);
}

/** Puts checked values together, the weakest source first. Single settings win by key, all others as a whole. */
export function mergeValues(values: readonly SourceValue[]): OptionValues {
  const merged = new Map<OptionName, unknown>();
  for (const { name, value } of values) {
    const isSettings = SERVE_OPTIONS[name].schema.type === "object";
    merged.set(name, isSettings ? Object.assign({}, merged.get(name), value) : value);
  }
  return Object.fromEntries(merged);
}
