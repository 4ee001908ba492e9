import type { ValidateFunction } from "ajv/dist/2020.js";
import { createAjv } from "../../kernel/ajv.js";
import type { Schema } from "../../kernel/schema.js";
import { breaksAnyExclusion, type CheckOptions, Inspection } from "./inspection.js";
import { type Plan, planOf } from "./plan.js";
import type { Problem } from "./problem.js";
import { missing } from "./rules.js";

export interface CheckResult {
  /** The value that was given; a copy only where a number stood for an id: the copy has it as text. */
  readonly value: unknown;
  /** Every failed rule in schema order; empty: the value is usable. */
  readonly problems: readonly Problem[];
  /** Unknown fields that were let through, such as `@.user.nickname`. */
  readonly unknownFields: readonly string[];
  /** Where a number was taken for a string id, such as `@.customerThreadId`. */
  readonly numberIds: readonly string[];
}

interface Compiled {
  readonly isValid: ValidateFunction;
  readonly plan: Plan;
}

const NONE: readonly never[] = Object.freeze([]);

/**
 * Checks request bodies and query parameters, and says what is wrong in the service's words (contract section 3,
 * "Validation dialect"). Ajv decides whether a value is right; only a value that it refuses is inspected further.
 *
 * @example
 * new RequestValidator().check(object({ email: string() }), {}, { unknownFields: "ignore", numbersAsIds: true }).problems
 * // [{ message: "is missing and not optional", property: "@.email" }]
 */
export class RequestValidator {
  #ajv: ReturnType<typeof createAjv> | undefined;
  readonly #compiled = new WeakMap<Schema, Compiled>();

  /**
   * @param schema of the builder; compiled at its first use.
   * @param value as JSON.parse made it, never changed; undefined: there was no body.
   * @throws Error for a schema that the dialect cannot put into words.
   */
  check(schema: Schema, value: unknown, options: CheckOptions): CheckResult {
    const { isValid, plan } = this.#compiled.get(schema) ?? this.#compile(schema);
    if (isValid(value) && !breaksAnyExclusion(plan, value))
      return { value, problems: NONE, unknownFields: NONE, numberIds: NONE };
    if (value === undefined)
      return { value, problems: [{ message: missing, property: "@" }], unknownFields: NONE, numberIds: NONE };
    const { errors } = isValid;
    const inspection = new Inspection(options);
    const inspected = inspection.inspect(plan, value);
    const { problems, unknownFields, numberIds } = inspection;
    if (problems.length + unknownFields.length + numberIds.length === 0)
      throw new Error(`ajv refused a value that the dialect finds right: ${this.#ajv?.errorsText(errors)}`);
    return { value: inspected, problems, unknownFields, numberIds };
  }

  #compile(schema: Schema): Compiled {
    this.#ajv ??= createAjv();
    const compiled = { plan: planOf(schema), isValid: this.#ajv.compile(schema) };
    this.#compiled.set(schema, compiled);
    return compiled;
  }
}
