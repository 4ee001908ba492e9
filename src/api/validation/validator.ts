import { isObject } from "../../kernel/json.js";
import type { Schema } from "../../kernel/schema.js";
import { andMore, MAX_LISTED } from "../../kernel/words.js";
import type { BehaviourKey, BehaviourValues } from "../../service/behaviour/table.js";
import { MISSING } from "../../service/domain/refusals.js";
import type { Reporter, Segment, ValidationProblem } from "./rules.js";
import { needsKey, onlyOneKey, propertyText, rulesOf, unknownKeys, type ValueRule } from "./rules.js";

/**
 * A request schema compiled for the dialect: the rules of each node and where its children are.
 * A keyword that has no rule here would be ignored, so `planOf` throws.
 */
interface SchemaPlan {
  readonly rules: readonly ValueRule[];
  /** A string that may also be given as a number, because it is an id. */
  readonly isId: boolean;
  /** Fields of which exactly one must be there; empty if the schema names none. */
  readonly oneOf: readonly string[];
  readonly closed: boolean;
  readonly properties: readonly {
    readonly key: string;
    readonly plan: SchemaPlan;
    readonly required: boolean;
  }[];
  readonly known: ReadonlySet<string>;
  readonly items: SchemaPlan | undefined;
}

const SUPPORTED = new Set(
  (
    "type enum pattern format minLength maxLength oneOf properties required additionalProperties items " +
    "title description default example examples deprecated"
  ).split(" "),
);

/** @throws Error naming the location and keyword that the dialect cannot express. */
function planOf(schema: Schema, location = "@"): SchemaPlan {
  const { oneOf = [], additionalProperties: others = true, items, properties = {}, required = [] } = schema;
  const unsupported =
    typeof others === "object"
      ? "additionalProperties"
      : Object.keys(schema).find((key) => !SUPPORTED.has(key) && !key.startsWith("x-"));
  if (unsupported !== undefined)
    throw new Error(
      `the validation dialect cannot express "${unsupported}" as the schema uses it at ${location}`,
    );
  const children = Object.entries(properties).map(([key, child]) => ({
    key,
    plan: planOf(child, `${location}.${key}`),
    required: required.includes(key),
  }));
  return {
    rules: rulesOf(schema),
    isId: schema["x-id"] === true,
    // A branch names the one key that it requires.
    oneOf: oneOf.flatMap((branch) => branch.required ?? []),
    closed: !others,
    properties: children,
    known: new Set(Object.keys(properties)),
    items: items && planOf(items, `${location}[]`),
  };
}

/** What is checked, and which behaviour entries decide about it. */
export interface CheckOptions {
  /** The path of the value in the request; default: `@`. */
  readonly at?: readonly string[];
  /** The entry that decides whether null in a field that does not accept it is a problem, or counts as omitted; default: `body.nullFields`. */
  readonly nullFields?: "body.nullFields" | "graphql.nullFields";
  /** Unknown fields are let through, whatever `body.unknownFields` says. */
  readonly takesUnknown?: boolean;
}

/** What the specification does not allow, and where it is: an unknown field, a number for a string id, a null that counts as left out. */
interface Passed {
  readonly code: "unknown-field" | "number-id" | "null-field";
  /** Such as `@.user.nickname`. */
  readonly property: string;
}

/** One walk over one value, which lists every failed rule in schema order. Each behaviour value is read where a rule depends on it. */
class Inspection implements Reporter {
  /** The value that was given, or a copy without ignored nulls and with text for numbers that are ids. */
  value: unknown;
  /** The failed rules in schema order; if there are very many, the first ones and a count. Empty if the value is usable. */
  readonly problems: ValidationProblem[] = [];
  moreProblems = 0;
  /** What was let through, in schema order: the first ones, and how many more there are. */
  readonly passed: Passed[] = [];
  morePassed = 0;
  /** The entry of the behaviour table that refused something its other values accept. */
  decidedBy: BehaviourKey | undefined;
  /** The keys and positions that lead to the value being visited, written as text only for problems. */
  readonly #path: Segment[];

  constructor(
    readonly values: BehaviourValues,
    private readonly options: CheckOptions,
  ) {
    this.#path = [...(options.at ?? [])];
  }

  check(plan: SchemaPlan, value: unknown): this {
    if (value === undefined) this.report(MISSING);
    else this.value = this.visit(plan, value);
    if (this.moreProblems > 0)
      this.problems.push({ message: andMore(this.moreProblems), property: propertyText(this.#path) });
    return this;
  }

  report(message: string, decidedBy?: BehaviourKey): void {
    this.decidedBy ??= decidedBy;
    this.#list(message, this.#path);
  }

  #list(message: string, path: readonly Segment[]): void {
    if (this.problems.length < MAX_LISTED) this.problems.push({ message, property: propertyText(path) });
    else this.moreProblems += 1;
  }

  #pass(code: Passed["code"], path: readonly Segment[]): void {
    if (this.passed.length < MAX_LISTED) this.passed.push({ code, property: propertyText(path) });
    else this.morePassed += 1;
  }

  /** Visits a value and what it holds; returns it, or a copy in which numbers for ids became text. */
  visit(plan: SchemaPlan, raw: unknown): unknown {
    const value = plan.isId ? this.#asId(raw) : isObject(raw) ? this.#withoutNulls(plan, raw) : raw;
    for (const rule of plan.rules) rule(value, this);
    if (isObject(value)) this.#keys(plan, value);
    return typeof value === "object" && value !== null ? this.#children(plan, value) : value;
  }

  /** The object without fields that are null but do not allow null, if such fields count as left out. */
  #withoutNulls({ properties }: SchemaPlan, value: Readonly<Record<string, unknown>>): object {
    const nulls = properties.filter((field) => isNull(field, value));
    if (nulls.length === 0) return value;
    const { nullFields = "body.nullFields" } = this.options;
    if (this.values[nullFields] === "reject") {
      this.decidedBy ??= nullFields;
      return value;
    }
    for (const { key } of nulls) this.#pass("null-field", [...this.#path, key]);
    const left = Object.entries(value).filter(([name]) => !nulls.some(({ key }) => key === name));
    return Object.fromEntries(left);
  }

  #asId(value: unknown): unknown {
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return value;
    if (this.values["ids.acceptNumbers"] === "reject") {
      this.decidedBy ??= "ids.acceptNumbers";
      return value;
    }
    this.#pass("number-id", this.#path);
    return String(value);
  }

  #keys({ oneOf, closed, known }: SchemaPlan, value: Readonly<Record<string, unknown>>): void {
    const given = countKeys(value, oneOf);
    if (oneOf.length > 0 && given === 0) this.report(needsKey(oneOf));
    if (closed) this.#unknownKeys(known, value);
    if (given > 1) this.report(onlyOneKey(oneOf));
  }

  #unknownKeys(known: ReadonlySet<string>, value: object): void {
    const unknown: string[] = [];
    for (const key of Object.keys(value)) if (!known.has(key)) unknown.push(key);
    if (unknown.length === 0) return;
    if (!this.options.takesUnknown && this.values["body.unknownFields"] === "reject")
      this.report(unknownKeys(unknown), "body.unknownFields");
    else for (const key of unknown) this.#pass("unknown-field", [...this.#path, key]);
  }

  #children({ properties, items }: SchemaPlan, value: object): unknown {
    // The dialect looks for an object's properties in an array too, and misses them there.
    const fields = value as Readonly<Record<string, unknown>>;
    let result = value;
    for (const { key, plan, required } of properties) {
      if (Object.hasOwn(fields, key)) result = this.#child(plan, fields[key], key, value, result);
      else if (required) this.#list(MISSING, [...this.#path, key]);
    }
    if (items === undefined) return result;
    if (Array.isArray(value))
      for (let index = 0; index < value.length; index++)
        result = this.#child(items, value[index], index, value, result);
    // The dialect takes the fields of an object for items too, beside saying that it is no array.
    else
      for (const key of Object.keys(fields))
        result = this.#child(items, fields[key], key, value, result, { item: key });
    return result;
  }

  /** Visits a child of `parent`; returns `result`, or a copy of it that holds the child in another form. */
  #child(
    plan: SchemaPlan,
    child: unknown,
    key: string | number,
    parent: object,
    result: object,
    segment: Segment = key,
  ): object {
    this.#path.push(segment);
    const value = this.visit(plan, child);
    this.#path.pop();
    if (value === child) return result;
    const copy = result !== parent ? result : Array.isArray(parent) ? [...parent] : { ...parent };
    return Object.assign(copy, { [key]: value });
  }
}

const isNull = (
  { key }: SchemaPlan["properties"][number],
  value: Readonly<Record<string, unknown>>,
): boolean => Object.hasOwn(value, key) && value[key] === null;

function countKeys(value: object, keys: readonly string[]): number {
  let count = 0;
  for (const key of keys) if (Object.hasOwn(value, key)) count++;
  return count;
}

/** What was found in one part of a request. */
export type Checked = Pick<Inspection, "value" | "problems" | "passed" | "morePassed" | "decidedBy">;

/**
 * Checks request bodies and query parameters, and reports problems in the service's dialect.
 *
 * @example
 * new RequestValidator().check(object({ email: string() }), {}, PROFILES.documented).problems
 * // [{ message: "is missing and not optional", property: "@.email" }]
 */
export class RequestValidator {
  readonly #plans = new WeakMap<Schema, SchemaPlan>();

  /**
   * @param schema of the builder; read at its first use.
   * @param value as JSON.parse made it, never changed; undefined: there was no body.
   * @throws Error for a schema that the dialect cannot express.
   */
  check(schema: Schema, value: unknown, values: BehaviourValues, options: CheckOptions = {}): Checked {
    let plan = this.#plans.get(schema);
    if (plan === undefined) this.#plans.set(schema, (plan = planOf(schema)));
    return new Inspection(values, options).check(plan, value);
  }
}
