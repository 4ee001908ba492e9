import type { Schema } from "../../kernel/schema.js";
import { andMore } from "../../kernel/words.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { type CheckOptions, Inspection } from "./inspection.js";
import { type Plan, planOf } from "./plan.js";
import type { Problem } from "./problem.js";
import { missing } from "./rules.js";

interface CheckResult {
  /** The value that was given; a copy only where a number stood for an id: the copy has it as text. */
  readonly value: unknown;
  /** The failed rules in schema order, of very many the first and a count; empty: the value is usable. */
  readonly problems: readonly Problem[];
  /** Unknown fields that were let through, such as `@.user.nickname`. */
  readonly unknownFields: readonly string[];
  /** Where a number was accepted for a string id, such as `@.customerThreadId`. */
  readonly numberIds: readonly string[];
  /** Where null was let through and counts as left out, such as `@.variables`. */
  readonly nulls: readonly string[];
  /** How many more there are of what was let through. */
  readonly moreProperties: number;
  /** The entry of the behaviour table behind one of the problems. */
  readonly decidedBy: BehaviourKey | undefined;
}

/**
 * Checks request bodies and query parameters, and reports problems in the service's dialect (contract section 3,
 * "Validation dialect").
 *
 * @example
 * new RequestValidator().check(object({ email: string() }), {}, { unknownFields: "ignore", numbersAsIds: true }).problems
 * // [{ message: "is missing and not optional", property: "@.email" }]
 */
export class RequestValidator {
  readonly #plans = new WeakMap<Schema, Plan>();

  /**
   * @param schema of the builder; read at its first use.
   * @param value as JSON.parse made it, never changed; undefined: there was no body.
   * @throws Error for a schema that the dialect cannot express.
   */
  check(schema: Schema, value: unknown, options: CheckOptions): CheckResult {
    const plan = this.#planFor(schema);
    const inspection = new Inspection(options);
    if (value === undefined) inspection.report(missing);
    const inspected = value === undefined ? value : inspection.inspect(plan, value);
    const { problems, moreProblems, unknownFields, numberIds, nulls, moreProperties, decidedBy } = inspection;
    if (moreProblems > 0) problems.push({ message: andMore(moreProblems), property: "@" });
    return { value: inspected, problems, unknownFields, numberIds, nulls, moreProperties, decidedBy };
  }

  #planFor(schema: Schema): Plan {
    const known = this.#plans.get(schema);
    if (known !== undefined) return known;
    const plan = planOf(schema);
    this.#plans.set(schema, plan);
    return plan;
  }
}
