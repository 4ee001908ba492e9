/** Conditions on records, with the operators of json-server and its own judgement of them. */
import { matchesWhere } from "json-server/lib/matches-where.js";
import { WHERE_OPERATORS } from "json-server/lib/where-operators.js";
import { isObject, valueAt } from "../../kernel/json.js";
import type { Path } from "../../kernel/path.js";
import { parsePath } from "../../kernel/path.js";
import type { Problem } from "../../kernel/problems.js";
import { keyProblemAt, problemAt } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { describeType, either, preview, unknownKey } from "../../kernel/words.js";

const RANGES = ["lt", "lte", "gt", "gte"];
const TEXTS = ["contains", "startsWith", "endsWith"];
const SCALARS = ["string", "number", "integer", "boolean"];

/** What of a record must hold. */
interface Condition {
  readonly path: Path;
  readonly operator: string;
  readonly operand: unknown;
}

/** Conditions of which all must hold, and lists of them of which one must. */
export interface Where {
  readonly all: readonly Condition[];
  readonly either: readonly (readonly Where[])[];
}

/** The field and the operator of a parameter: `text:contains`, `timestamp_gt`, `status`. */
function splitKey(key: string): { readonly field: string; readonly operator: string } {
  const colon = key.lastIndexOf(":");
  if (colon > 0) return { field: key.slice(0, colon), operator: key.slice(colon + 1) };
  const [, field, operator = ""] = /^(.+)_([a-z]+)$/is.exec(key) ?? [];
  return field !== undefined && WHERE_OPERATORS.includes(operator)
    ? { field, operator }
    : { field: key, operator: "eq" };
}

/** The condition that a parameter states. An empty text states none. */
export function readCondition(schema: Schema, key: string, text: string): Condition | Problem | undefined {
  const { field, operator } = splitKey(key);
  const found = fieldOf(schema, field);
  if ("problem" in found) return keyProblemAt([key], found.problem);
  const objection = operatorObjection(field, operator, found.types, text === "" || text === "null");
  if (objection !== undefined) return keyProblemAt([key], objection);
  if (text === "") return undefined;
  const texts = operator === "in" ? text.split(",").map((part) => part.trim()) : [text];
  const operands = texts.map((part) => (TEXTS.includes(operator) ? part : readOperand(found.types, part)));
  if (operands.includes(undefined))
    return problemAt([key], `${field} is ${describeType([...found.types])}, and never ${preview(text)}`);
  return { path: parsePath(field), operator, operand: operator === "in" ? operands : operands[0] };
}

/** The conditions of `_where`: fields with operators, nested as the record is, and `or` with a list of such objects. */
export function readWhere(schema: Schema, value: unknown, base: Path, problems: Problem[]): Where {
  const all: Condition[] = [];
  const alternatives: (readonly Where[])[] = [];
  if (!isObject(value)) problems.push(problemAt(["_where", ...base], "must be an object"));
  for (const [key, part] of Object.entries(isObject(value) ? value : {})) {
    const path = [...base, ...parsePath(key)];
    if (key === "or") {
      if (!Array.isArray(part)) problems.push(problemAt(["_where", ...path], "must be an array"));
      else alternatives.push(part.map((item) => readWhere(schema, item, base, problems)));
      continue;
    }
    const found = fieldOf(schema, key);
    if ("problem" in found) problems.push(keyProblemAt(["_where", ...path], found.problem));
    else if (!isObject(part))
      problems.push(problemAt(["_where", ...path], `must be an object with ${either(WHERE_OPERATORS)}`));
    else if (Object.keys(part).some((name) => WHERE_OPERATORS.includes(name)))
      for (const [operator, operand] of Object.entries(part)) {
        const objection = operatorObjection(key, operator, found.types, operand === null);
        if (objection === undefined) all.push({ path, operator, operand });
        else problems.push(keyProblemAt(["_where", ...path, operator], objection));
      }
    else {
      const inner = readWhere(found.schema, part, path, problems);
      all.push(...inner.all);
      alternatives.push(...inner.either);
    }
  }
  return { all, either: alternatives };
}

function operatorObjection(
  field: string,
  operator: string,
  types: ReadonlySet<string>,
  isNull: boolean,
): string | undefined {
  if (!WHERE_OPERATORS.includes(operator)) return unknownKey("operator", operator, WHERE_OPERATORS);
  if (RANGES.includes(operator) && !types.has("integer") && !types.has("number"))
    return `${field} is no number: ${operator} compares numbers`;
  if (TEXTS.includes(operator) && !types.has("string"))
    return `${field} is no text: ${operator} looks into texts`;
  if (!isNull && !SCALARS.some((type) => types.has(type)))
    return `${field} is no single value: filter by what is in it, or by null`;
  return undefined;
}

/** What a text means for a field of these types; undefined where it is none of its values. */
function readOperand(types: ReadonlySet<string>, text: string): unknown {
  if (text === "null") return null;
  if (types.has("string")) return text;
  if (types.has("boolean")) return text === "true" ? true : text === "false" ? false : undefined;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
}

/** Whether a record is what is asked for. A field without a value is null. */
export const holds = (record: unknown, { all, either: alternatives }: Where): boolean =>
  all.every((condition) => meets(record, condition)) &&
  alternatives.every((ones) => ones.some((one) => holds(record, one)));

function meets(record: unknown, { path, operator, operand }: Condition): boolean {
  const value = valueAt(record, path) ?? null;
  // A text may be the word "null".
  if (operator === "eq") return value === operand || (operand === null && value === "null");
  if (RANGES.includes(operator) && typeof value !== "number") return false;
  return matchesWhere({ value }, { value: { [operator]: operand } });
}

/** The schema and types of the field at a path, or why there is none. */
export function fieldOf(
  schema: Schema,
  text: string,
): { readonly schema: Schema; readonly types: ReadonlySet<string> } | { readonly problem: string } {
  let current = schema;
  for (const segment of parsePath(text)) {
    const branches = branchesOf(current);
    const next = branches
      .map(({ items, properties = {} }) =>
        typeof segment === "number"
          ? items
          : Object.hasOwn(properties, segment)
            ? properties[segment]
            : undefined,
      )
      .find((part) => part !== undefined);
    if (next === undefined) {
      const known = branches.flatMap(({ properties = {} }) => Object.keys(properties));
      return { problem: unknownKey("field", String(segment), known) };
    }
    current = next;
  }
  if (current === schema) return { problem: unknownKey("field", text, []) };
  return { schema: current, types: new Set(branchesOf(current).flatMap(({ type = [] }) => type)) };
}

/** The schema itself, and its alternatives. */
const branchesOf = (schema: Schema): readonly Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap((branch) => branchesOf(branch)),
];
