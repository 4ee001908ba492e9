import { isObject } from "../../kernel/json.js";
import { keysOf } from "../../kernel/objects.js";
import { lazily } from "../../kernel/packages.js";
import { keyProblemAt, type Problem, problemAt, problemsOfFirst } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { createAjv, schemaProblems } from "../../kernel/schema-problems.js";
import { kindOf, unknownKey } from "../../kernel/words.js";
import type { BehaviourValues } from "./table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, isBehaviourKey, OBSERVED, observedSchema } from "./table.js";

/** Values that may be put into a `Behaviour`, or all of their problems; never a part of them. */
export type CheckedBehaviour =
  | { readonly values: Partial<BehaviourValues>; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly values?: undefined };

/** Validates behaviour values from a file, a flag or a `PATCH`. Ajv compiles each schema on first use and keeps it. */
export class BehaviourChecker {
  readonly #ajv = lazily(() => createAjv());

  /** Pure: the returned values share nothing with the input. Problems have paths such as `["window.duration"]`. */
  check(input: unknown): CheckedBehaviour {
    if (!isObject(input)) return { problems: [problemAt([], `must be an object, but is ${kindOf(input)}`)] };
    const values = Object.fromEntries(
      Object.entries(input).map(([key, value]) => [key, asMeant(key, value)]),
    );
    const problems = problemsOfFirst(Object.entries(values), ([key, value]) => this.#problemsOf(key, value));
    return problems.length > 0
      ? { problems }
      : // Each key is one of the table, and its entry's schema has accepted the value.
        { values: withMeasuredValues(structuredClone(values) as Partial<BehaviourValues>) };
  }

  #problemsOf(key: string, value: unknown): Problem[] {
    if (key !== OBSERVED && !isBehaviourKey(key))
      return [keyProblemAt([key], unknownKey("behaviour", key, BEHAVIOUR_KEYS))];
    const schema: Schema = key === OBSERVED ? observedSchema : BEHAVIOUR_TABLE[key].schema;
    const validate = this.#ajv().compile(schema);
    return validate(value) ? [] : schemaProblems(validate.errors, value, [key]);
  }
}

/** Evidence with the value that it is for, so that a value changed later does not count as measured. */
function withMeasuredValues(values: Partial<BehaviourValues>): Partial<BehaviourValues> {
  const { [OBSERVED]: observed } = values;
  if (observed === undefined) return values;
  const measured = keysOf(observed).flatMap((key) => {
    const evidence = observed[key];
    if (evidence === undefined || (!(key in values) && !("value" in evidence))) return [];
    return [[key, { ...evidence, value: key in values ? values[key] : evidence.value }] as const];
  });
  return { ...values, [OBSERVED]: Object.fromEntries(measured) };
}

/** If the string `null` is a valid value: YAML and `--set` read it as null. */
const asMeant = (key: string, value: unknown): unknown =>
  value === null && isBehaviourKey(key) && BEHAVIOUR_TABLE[key].schema.enum?.includes("null")
    ? "null"
    : value;
