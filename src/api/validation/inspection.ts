import { isObject } from "../../kernel/json.js";
import type { Plan } from "./plan.js";
import { itemPlace, keyPlace, type Problem } from "./problem.js";
import { missing, needsKey, onlyOneKey, unknownKeys } from "./rules.js";

export interface CheckOptions {
  /** `ignore`: keys that no schema names are let through and listed; `reject`: they are problems. */
  readonly unknownFields: "ignore" | "reject";
  /** Accept a safe, non-negative integer where a string id is asked for. */
  readonly numbersAsIds: boolean;
}

/** One walk over one value: lists what the dialect says about it, in schema order. */
export class Inspection {
  readonly problems: Problem[] = [];
  /** Places of unknown keys that were let through. */
  readonly unknownFields: string[] = [];
  /** Places where a number stood for a string id. */
  readonly numberIds: string[] = [];
  readonly #options: CheckOptions;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Inspects a value and what it holds; returns it, or a copy in which numbers for ids became text. */
  inspect(plan: Plan, given: unknown, property = "@"): unknown {
    const value = this.#asId(plan, given, property);
    const say = (message: string): void => {
      this.problems.push({ message, property });
    };
    for (const rule of plan.rules) rule(value, say);
    if (isObject(value)) {
      if (plan.someKeys && !plan.someKeys.some((key) => Object.hasOwn(value, key)))
        say(needsKey(plan.someKeys));
      if (plan.closed) this.#strangers(plan, value, property, say);
      if (breaksExclusion(plan.atMostOneOf, value)) say(onlyOneKey(plan.atMostOneOf as readonly string[]));
    }
    return typeof value === "object" && value !== null ? this.#children(plan, value, property) : value;
  }

  #asId(plan: Plan, value: unknown, property: string): unknown {
    if (!plan.isId || !this.#options.numbersAsIds || !Number.isSafeInteger(value) || (value as number) < 0)
      return value;
    this.numberIds.push(property);
    return String(value);
  }

  #strangers(plan: Plan, value: object, property: string, say: (message: string) => void): void {
    const strangers = Object.keys(value).filter((key) => !plan.properties.has(key));
    if (strangers.length === 0) return;
    if (this.#options.unknownFields === "reject") say(unknownKeys(strangers));
    else for (const key of strangers) this.unknownFields.push(keyPlace(property, key));
  }

  #children(plan: Plan, value: object, property: string): unknown {
    let copy: Record<string, unknown> | undefined;
    const visit = (child: Plan, key: string, place: string): void => {
      const before = (value as Record<string, unknown>)[key];
      const after = this.inspect(child, before, place);
      if (after === before) return;
      copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
      // Assigning to "__proto__" would set the prototype.
      Object.defineProperty(copy, key, {
        value: after,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    };
    // The dialect looks for an object's properties in an array too, and misses them there.
    if (plan.others)
      for (const key of Object.keys(value))
        if (!plan.properties.has(key)) visit(plan.others, key, keyPlace(property, key));
    for (const [key, { plan: child, required }] of plan.properties) {
      const place = keyPlace(property, key);
      if (Object.hasOwn(value, key)) visit(child, key, place);
      else if (required) this.problems.push({ message: missing, property: place });
    }
    if (plan.items && Array.isArray(value))
      for (let index = 0; index < value.length; index++)
        visit(plan.items, String(index), itemPlace(property, index));
    return copy ?? value;
  }
}

function breaksExclusion(keys: readonly string[] | undefined, value: object): boolean {
  let present = 0;
  if (keys) for (const key of keys) if (Object.hasOwn(value, key)) present++;
  return present > 1;
}

/** Whether some object in a value has more than one of the keys of which its schema allows one (`atMostOneOf`). */
export function breaksAnyExclusion(plan: Plan, value: unknown): boolean {
  if (!plan.exclusive || typeof value !== "object" || value === null) return false;
  if (breaksExclusion(plan.atMostOneOf, value)) return true;
  if (Array.isArray(value)) {
    const { items } = plan;
    return items !== undefined && value.some((item) => breaksAnyExclusion(items, item));
  }
  const fields = value as Record<string, unknown>;
  for (const [key, { plan: child }] of plan.properties)
    if (child.exclusive && Object.hasOwn(fields, key) && breaksAnyExclusion(child, fields[key])) return true;
  const { others } = plan;
  if (others?.exclusive)
    return Object.keys(fields).some(
      (key) => !plan.properties.has(key) && breaksAnyExclusion(others, fields[key]),
    );
  return false;
}
