/** The sources of option values: flags, environment variables and the config file. */
import { dirname, isAbsolute, join } from "node:path";
import { type ParsedDocument, parseDocument } from "../../kernel/document.js";
import { isObject, parsePath, pathText } from "../../kernel/json.js";
import { isKeyOf } from "../../kernel/objects.js";
import { keyProblemAt, type Problem, problemAt, problemsOfFirst, under } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { createAjv, schemaProblems } from "../../kernel/schema-problems.js";
import { describeSchema, kindOf, nearest, preview, unknownKey } from "../../kernel/words.js";
import { ADDRESS } from "../../storage/port.js";
import { isProfile } from "./files.js";
import {
  isRepeatable,
  namesIn,
  type Option,
  type OptionName,
  type OptionValues,
  SERVE_OPTIONS,
  variableOf,
} from "./options.js";

/** The texts of the given flags. */
export type Flags = Readonly<Partial<Record<OptionName, readonly string[]>>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value from a source, valid or not. */
export interface SourceValue {
  readonly name: OptionName;
  readonly value: unknown;
  /** Adds to a problem, whose path starts at the value, where the value was given. */
  readonly locate: (problem: Problem) => Problem;
}

/** The values of a source, and all of their problems. */
export interface Source {
  readonly values: readonly SourceValue[];
  readonly problems: readonly Problem[];
}

/** Variables that other programs read: systems under test, `messaging-sim/intercept` and test runners. */
const FOREIGN = [
  "MESSAGING_SIM_URL",
  "MESSAGING_SIM_TOKEN",
  "MESSAGING_SIM_INTERCEPT",
  "MESSAGING_SIM_COVERAGE",
];

/** Reads the flags. */
export const readFlags = (flags: Flags): Promise<Source> =>
  readTexts(namesIn("outside").map((name) => [name, `--${name}`, flags[name] ?? []]));

/**
 * Reads the options in the environment. An empty variable counts as unset; commas or line breaks separate the items of a list:
 * `MESSAGING_SIM_SET="window.duration=24h, delivery.backoff=[1m, 5m]"`.
 */
export const readEnvironment = (env: Environment): Promise<Source> =>
  readTexts(
    namesIn("outside").map((name) => {
      const variable = variableOf(name);
      const text = env[variable]?.trim() ?? "";
      return [name, variable, text === "" ? [] : textsIn(SERVE_OPTIONS[name], text)];
    }),
  );

function textsIn(option: Option, text: string): string[] {
  if (!isRepeatable(option)) return [text];
  // A setting's value may contain commas: a new setting starts where a name and an equals sign follow.
  const separator = option.schema.type === "object" ? /[,\n](?=\s*[\w.-]+\s*=)/ : /[,\n]/;
  const items = text.split(separator).map((item) => item.trim());
  return items.filter((item) => item !== "");
}

/** A line for each variable with our prefix that is not an option and therefore ignored. */
export function unknownVariables(env: Environment): string[] {
  const known = namesIn("outside").map(variableOf);
  return Object.keys(env)
    .filter((key) => key.startsWith("MESSAGING_SIM_") && !known.includes(key) && !FOREIGN.includes(key))
    .map((key) => {
      const meant = nearest(key, known);
      const suggestion = meant === undefined ? "" : `: did you mean ${meant}?`;
      return `ignored the unknown environment variable ${key}${suggestion}`;
    });
}

/** Converts texts to the values of a config file. `label` is what the user typed: `--port`, `MESSAGING_SIM_PORT`. */
async function readTexts(
  given: readonly (readonly [name: OptionName, label: string, texts: readonly string[]])[],
): Promise<Source> {
  const values: SourceValue[] = [];
  const problems: Problem[] = [];
  for (const [name, label, texts] of given.filter(([, , { length }]) => length > 0)) {
    try {
      const value = await valueFrom(SERVE_OPTIONS[name], texts);
      values.push({ name, value, locate: locatorOf(name, label) });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push({ path: label, message: error.message });
    }
  }
  return { values, problems: [...problems, ...(await checkValues(values))] };
}

/** A text is not a valid value of its option; the message says why. */
class Unreadable extends Error {}

/** If an option with one value is given several times, the last one wins. */
async function valueFrom(option: Option, texts: readonly string[]): Promise<unknown> {
  const { schema } = option;
  const last = texts.at(-1) ?? "";
  if (last === "" || (isRepeatable(option) && texts.includes(""))) throw new Unreadable("needs a value");
  if (schema.type === "object") return Object.fromEntries(await Promise.all(texts.map(readSetting)));
  if (schema.type === "array") return texts.map((text) => readScalar(schema.items ?? {}, text));
  return readScalar(schema, last);
}

function readScalar(schema: Schema, text: string): unknown {
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type);
  if (types.includes("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.includes("boolean") && /^(true|1|false|0)$/.test(text)) return text === "true" || text === "1";
  if (types.includes("string")) return text;
  throw new Unreadable(`must be ${describeSchema(schema)}, but is ${preview(text)}`);
}

/** `key=value`, the value in YAML: `window.duration=24h`, `limits.rate={ requests: 5, per: 1m }`. */
async function readSetting(text: string): Promise<[string, unknown]> {
  const [, key, source] = /^\s*([^=]*[^=\s])\s*=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined || source === undefined)
    throw new Unreadable(`must be key=value, but is ${preview(text)}`);
  const document = await parseDocument(source, { file: "", format: "yaml" });
  if (document.problems)
    throw new Unreadable(`${key}: cannot be read as YAML: ${document.problems[0]?.message.split("\n")[0]}`);
  return [key, document.value];
}

/** Problems of flags and variables name what was typed: the option, and for a setting also its key. */
function locatorOf(name: OptionName, label: string): SourceValue["locate"] {
  const { type } = SERVE_OPTIONS[name].schema;
  return ({ path, message }) => {
    const segments = parsePath(path);
    const [first] = type === "array" || type === "object" ? segments.splice(0, 1) : [];
    const rest = pathText(segments);
    return {
      path: type === "object" && first !== undefined ? `${label} ${first}` : label,
      message: rest === "" ? message : `${rest} ${message}`,
    };
  };
}

/**
 * Reads a parsed config file; an empty one has no values. File names in it are relative to it.
 */
export async function readConfig(document: ParsedDocument): Promise<Source> {
  const { value = null } = document;
  if (value === null) return { values: [], problems: [] };
  if (!isObject(value)) {
    const problem = problemAt([], `must be an object, but is ${kindOf(value)}`);
    return { values: [], problems: document.locate([problem]) };
  }
  const names = namesIn("file");
  const isName = (key: string): key is OptionName => isKeyOf(SERVE_OPTIONS, key) && names.includes(key);
  const keys = Object.keys(value).filter((key) => key !== "$schema");
  const unknown = keys.filter((key) => !isName(key));
  const inText = (problem: Problem): Problem => document.locate([problem])[0] ?? problem;
  const values = keys.filter(isName).map((name) => ({
    name,
    value: value[name],
    locate: (problem: Problem) => inText(under([name], problem)),
  }));
  const problems = [
    ...document.duplicateKeys(),
    ...problemsOfFirst(unknown, (key) => [keyProblemAt([key], unknownKey("option", key, names))]),
  ];
  return {
    problems: [...document.locate(problems), ...(await checkValues(values))],
    values: values.map((one) => ({ ...one, value: relativeToConfig(one, document.file) })),
  };
}

function relativeToConfig({ name, value }: SourceValue, config: string): unknown {
  const option: Option = SERVE_OPTIONS[name];
  if (option.file !== true) return value;
  const relative = (file: unknown): unknown => {
    if (typeof file !== "string" || isAbsolute(file) || (name === "behaviour" && isProfile(file)))
      return file;
    if (name === "data" && ADDRESS.test(file)) return file;
    return join(dirname(config), file);
  };
  return Array.isArray(value) ? value.map(relative) : relative(value);
}

/** Problems of the given values, with the places where they were given. */
async function checkValues(values: readonly SourceValue[]): Promise<Problem[]> {
  const problems = await Promise.all(
    values.map(async ({ name, value, locate }) => (await problemsOf(SERVE_OPTIONS[name], value)).map(locate)),
  );
  return problems.flat();
}

async function problemsOf({ schema, check }: Option, value: unknown): Promise<readonly Problem[]> {
  if (check !== undefined) return check(value);
  const validate = createAjv().compile(schema);
  return validate(value) ? [] : schemaProblems(validate.errors, value);
}

/** Merges validated values, the weakest source first. Settings are merged by key, all others as a whole. */
export function mergeValues(values: readonly SourceValue[]): OptionValues {
  const merged = new Map<OptionName, unknown>();
  for (const { name, value } of values) {
    const isSettings = SERVE_OPTIONS[name].schema.type === "object";
    merged.set(name, isSettings ? Object.assign({}, merged.get(name), value) : value);
  }
  return Object.fromEntries(merged);
}
