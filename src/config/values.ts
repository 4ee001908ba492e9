import type { Ajv2020 } from "ajv/dist/2020.js";
import type { Problem } from "../kernel/problems.js";
import { schemaProblems } from "../kernel/problems.js";
import type { Given } from "./given.js";
import type { Option } from "./option.js";
import { type OptionValues, SERVE_OPTIONS } from "./options.js";

/** What is wrong with the given values, said of the places where they were given. */
export async function checkGiven(given: readonly Given[]): Promise<Problem[]> {
  if (given.length === 0) return [];
  const ajv = (await import("../kernel/ajv.js")).createAjv();
  const problems = await Promise.all(
    given.map(async ({ name, value, locate }) =>
      (await problemsOf(ajv, SERVE_OPTIONS[name], value)).map(locate),
    ),
  );
  return problems.flat();
}

async function problemsOf(
  ajv: Ajv2020,
  { schema, check }: Option,
  value: unknown,
): Promise<readonly Problem[]> {
  if (check !== undefined) return check(value);
  const validate = ajv.compile(schema);
  return validate(value) ? [] : schemaProblems(validate.errors, value);
}

/** Puts checked values together, the weakest source first. Single settings win by key, all others as a whole. */
export function mergeGiven(given: readonly Given[]): OptionValues {
  const values: Record<string, unknown> = {};
  for (const { name, value } of given) {
    values[name] = name === "set" ? { ...(values.set as object | undefined), ...(value as object) } : value;
  }
  return values;
}
