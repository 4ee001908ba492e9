/** Reads the steps of a scenario, each by the table of steps. */
import { type Path, pathText } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { keyProblemAt, problemAt, under } from "../kernel/problems.js";
import type { Schema } from "../kernel/schema.js";
import { object } from "../kernel/schema.js";
import { describeSchema, kindOf, preview, unknownKey } from "../kernel/words.js";
import { type ScenarioFormat, STEP_KEYS } from "./format.js";
import type { StepPlace } from "./report.js";
import type { ParsedStep, StepKind } from "./step.js";
import { STEPS } from "./steps/index.js";

type Fields = Readonly<Record<string, unknown>>;
type PlaceOf = (path: Path) => StepPlace;

export interface ReadSteps {
  readonly steps: readonly ParsedStep[];
  readonly problems: readonly Problem[];
}

/** A label is cut where it is longer. */
const MAX_LABEL = 100;
const KIND_KEYS = STEPS.map(({ key }) => key);

export function readSteps(format: ScenarioFormat, scenario: Fields, placeOf: PlaceOf): ReadSteps {
  const problems: Problem[] = [];
  const read = (value: unknown, base: Path): ParsedStep[] =>
    Array.isArray(value) ? value.flatMap((item, index) => one(item, [...base, index]) ?? []) : [];

  const one = (value: unknown, path: Path): ParsedStep | undefined => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      problems.push(problemAt(path, `must be a step such as { customer: Hello }, but is ${kindOf(value)}`));
      return undefined;
    }
    const fields = value as Fields;
    const kind = kindIn(fields, path, problems);
    if (kind === undefined) return undefined;
    const found = checked(format, kind, fields, path);
    const input = inputOf(kind, fields, scenario.thread);
    if (found.length === 0 && kind.inThread === true && input.thread === undefined)
      found.push(problemAt(path, `${kind.key} needs a thread: name one here or for the whole scenario`));
    if (found.length === 0)
      found.push(
        ...(kind.problems?.(input as never) ?? []).map((problem) => placed(problem, kind, fields, path)),
      );
    problems.push(...found);
    const { steps: inner, ...rest } = input;
    const isRepeat = kind.key === "repeat";
    return {
      kind,
      input: isRepeat ? rest : input,
      name: (fields.name as string | undefined) ?? labelOf(kind, fields, input),
      id: fields.id as string | undefined,
      place: placeOf(path),
      ...(isRepeat ? { steps: read(inner, [...path, "repeat", "steps"]) } : {}),
    };
  };
  return { steps: read(scenario.steps, ["steps"]), problems };
}

/** The one kind of step that an object is; `expect` beside `request` belongs to it. */
function kindIn(fields: Fields, path: Path, problems: Problem[]): StepKind | undefined {
  const named = STEPS.filter(({ key }) => Object.hasOwn(fields, key));
  const kinds = named.filter(
    ({ key }) => !named.some((other) => other.key !== key && Object.hasOwn(other.beside ?? {}, key)),
  );
  if (kinds.length === 1) return kinds[0];
  if (kinds.length > 1) {
    const keys = kinds.map(({ key }) => key);
    problems.push(
      keyProblemAt(
        [...path, keys[1] as string],
        `a step is one thing, but this one is ${keys.join(" and ")}`,
      ),
    );
    return undefined;
  }
  const unknown = Object.keys(fields).filter((key) => !Object.hasOwn(STEP_KEYS, key));
  if (unknown.length === 0)
    problems.push(problemAt(path, `says nothing to do: a step has one of ${KIND_KEYS.join(", ")}`));
  else
    problems.push(
      keyProblemAt([...path, unknown[0] as string], unknownKey("step", unknown[0] as string, KIND_KEYS)),
    );
  return undefined;
}

function checked(format: ScenarioFormat, kind: StepKind, fields: Fields, path: Path): Problem[] {
  const { key, short, beside = {} } = kind;
  const siblings = { ...STEP_KEYS, ...beside };
  const { [key]: value, ...others } = fields;
  const isLong = typeof value === "object" && value !== null;
  const problems = format
    .check(`beside ${key}`, () => object(siblings), others, path)
    .map((problem) => {
      const unknown = Object.keys(others).find((other) => problem.path === pathText([...path, other]));
      if (problem.onKey !== true || unknown === undefined || Object.hasOwn(siblings, unknown)) return problem;
      return { ...problem, message: unknownKey("key", unknown, Object.keys(siblings)) };
    });
  if (isLong || short === undefined)
    return [...problems, ...format.check(key, () => format.longOf(kind), value, [...path, key])];
  const wrong = format.check(`short ${key}`, () => short.schema as Schema, value, [...path, key]);
  if (wrong.length === 0) return problems;
  const words = `${describeSchema(short.schema)}, or an object`;
  const is = typeof value === "string" ? preview(value) : kindOf(value);
  return [...problems, problemAt([...path, key], `must be ${words}, but is ${is}`)];
}

/** The long form with the keys beside it, and the scenario's thread where none is named. */
function inputOf(kind: StepKind, fields: Fields, thread: unknown): Fields {
  const { [kind.key]: value, ...others } = fields;
  const beside = Object.fromEntries(
    Object.entries(others).filter(([key]) => Object.hasOwn(kind.beside ?? {}, key)),
  );
  const isLong = typeof value === "object" && value !== null;
  const long = isLong
    ? value
    : ((kind.short?.long as ((short: unknown) => object) | undefined)?.(value) ?? {});
  return { ...(kind.inThread === true && thread !== undefined ? { thread } : {}), ...long, ...beside };
}

/** A problem of an input, at the place where that part stands: in the step's value, or beside it. */
function placed(problem: Problem, kind: StepKind, fields: Fields, path: Path): Problem {
  const [first = ""] = /^[^.[]*/.exec(problem.path) ?? [];
  const value = fields[kind.key];
  const within =
    typeof value === "object" &&
    value !== null &&
    (Object.hasOwn(value, first) || !Object.hasOwn(fields, first));
  const isBeside =
    Object.hasOwn(kind.beside ?? {}, first) &&
    Object.hasOwn(fields, first) &&
    !(within && Object.hasOwn(value as object, first));
  if (isBeside) return under(path, problem);
  return within
    ? under([...path, kind.key], problem)
    : { ...problem, path: problemAt([...path, kind.key], "").path };
}

/** What a step is called that has no name of its own. */
function labelOf({ key, short }: StepKind, fields: Fields, input: Fields): string {
  const value = fields[key];
  if (key === "request") return `${input.method} ${input.path}`;
  if (typeof value !== "object" || value === null)
    return short !== undefined && value === true ? key : cut(`${key}: ${value}`);
  const words = Object.entries(value)
    .filter(([name]) => name !== "thread" && name !== "steps")
    .map(([name, part]) => `${name} ${typeof part === "object" ? JSON.stringify(part) : part}`);
  return cut(`${key}: ${words.join(", ")}`);
}

const cut = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_LABEL ? `${line.slice(0, MAX_LABEL - 1)}…` : line;
};
