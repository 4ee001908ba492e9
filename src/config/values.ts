import type { Problem } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/schema-problems.js";
import { plainlyFits } from "./fits.js";
import type { Given } from "./given.js";
import type { Option } from "./option.js";
import { type OptionName, type OptionValues, SERVE_OPTIONS } from "./options.js";

/** What is wrong with the given values, located where they were given. */
export async function checkGiven(given: readonly Given[]): Promise<Problem[]> {
  const problems = await Promise.all(
    given.map(async ({ name, value, locate }) => (await problemsOf(SERVE_OPTIONS[name], value)).map(locate)),
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
export function mergeGiven(given: readonly Given[]): OptionValues {
  const values = new Map<OptionName, unknown>();
  for (const { name, value } of given) {
    const isSettings = SERVE_OPTIONS[name].schema.type === "object";
    values.set(name, isSettings ? Object.assign({}, values.get(name), value) : value);
  }
  return Object.fromEntries(values);
}
