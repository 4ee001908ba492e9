/** From flags, environment variables and a config file to the options of a simulator. */

import { dirname, isAbsolute, join } from "node:path";
import { parseDocument } from "../../kernel/document.js";
import { isObject, parsePath, pathText } from "../../kernel/json.js";
import { isKeyOf, omitUndefined } from "../../kernel/objects.js";
import { keyProblemAt, type Problem, problemAt, problemsOfFirst, under } from "../../kernel/problems.js";
import type { Schema } from "../../kernel/schema.js";
import { problemsBySchema } from "../../kernel/schema-problems.js";
import { describeSchema, kindOf, nearest, preview, unknownKey } from "../../kernel/words.js";
import { ADDRESS } from "../../storage/port.js";
import { isProfile, OptionFiles, type ReadText } from "./files.js";
import {
  isRepeatable,
  type LOG_FORMATS,
  type LOG_LEVELS,
  libraryName,
  namesIn,
  OPTION_NAMES,
  type Option,
  type OptionName,
  type OptionValues,
  SERVE_OPTIONS,
  type SimulatorOptions,
  variableOf,
} from "./options.js";

/** What `serve` starts a simulator with. */
export interface ServeOptions extends SimulatorOptions {
  readonly port: number;
  readonly host: string;
  readonly fixtures?: string;
}

/** How `serve` writes its log. */
export interface LogOptions {
  readonly level: (typeof LOG_LEVELS)[number];
  readonly format: (typeof LOG_FORMATS)[number];
}

export type ResolvedOptions =
  | {
      readonly options: ServeOptions;
      readonly log: LogOptions;
      /** Whether to create a certificate. */
      readonly selfSigned: boolean;
      /** The files that are reloaded when they change. */
      readonly watched: readonly string[];
      /** Hints for the user, which stop nothing. */
      readonly notes: readonly string[];
      /** Adds to a problem of a library option where the user gave the value. */
      readonly located: (problem: Problem) => Problem;
      readonly problems?: undefined;
    }
  | { readonly problems: readonly Problem[] };

/**
 * Merges flags, environment and config file, in this order of precedence, over the defaults. All problems are reported, even
 * those of a value that is overridden.
 *
 * @example
 * const flags = { port: ["0"] };
 * const resolved = await resolveServeOptions(flags, process.env, (file) => readFile(file, "utf8"));
 * if (resolved.problems) throw new UnusableDocument(resolved.problems);
 * const simulator = await createSimulator(resolved.options);
 */
export async function resolveServeOptions(
  flags: Flags,
  env: Environment,
  readFile: ReadText,
): Promise<ResolvedOptions> {
  const [given, environment] = await Promise.all([readFlags(flags), readEnvironment(env)]);
  const outside = [...environment.values, ...given.values];
  const config = await readConfig(outside, readFile);
  const problems = [...given.problems, ...environment.problems, ...config.problems];
  if (problems.length > 0) return { problems };

  const inForce = [...config.values, ...outside];
  const locate = placeIn(inForce);
  const files = new OptionFiles(readFile, locate);
  const values = mergeValues(inForce);
  const options = await optionsOf(values, files);
  if (files.problems.length > 0) return { problems: files.problems };
  const watched = values.watch === true ? startFilesOf(values) : [];
  const notes = unknownVariables(env);
  if (values.durability === "strict" && values.data === undefined)
    notes.push("--durability has no effect without --data");
  if (values.watch === true && watched.length === 0)
    notes.push("--watch has no file to watch: set --fixtures or --behaviour");
  return {
    options,
    log: {
      level: values["log-level"] ?? SERVE_OPTIONS["log-level"].default,
      format: values["log-format"] ?? SERVE_OPTIONS["log-format"].default,
    },
    selfSigned: values["self-signed"] === true,
    watched,
    notes,
    located: (problem) => {
      const { file, path } = problem;
      return file === undefined && isKeyOf(SERVE_OPTIONS, path)
        ? locate(path, { ...problem, path: "" })
        : problem;
    },
  };
}

/** Where an option's value was given: a flag, a variable, or a line of the config file; the last of several values counts. */
const placeIn =
  (inForce: readonly SourceValue[]) =>
  (name: string, problem: Problem): Problem =>
    inForce.findLast((one) => one.name === name)?.locate(problem) ?? { ...problem, path: `--${name}` };

/** The options of the library; those that read files or have another form here come last. */
async function optionsOf(values: OptionValues, files: OptionFiles): Promise<ServeOptions> {
  if (values["self-signed"] === true && values["tls-cert"] !== undefined)
    files.refuse("self-signed", "makes a certificate, so it cannot be used with --tls-cert");
  const token = values["control-token"];
  const faults = [...(values.faults ?? []), ...(await files.faults(values.fault ?? []))];
  return {
    port: SERVE_OPTIONS.port.default,
    host: SERVE_OPTIONS.host.default,
    ...Object.fromEntries(
      OPTION_NAMES.flatMap((name) => {
        const library = libraryName(name);
        return library === undefined || values[name] === undefined ? [] : [[library, values[name]]];
      }),
    ),
    ...omitUndefined({
      behaviour: await files.behaviour(values.behaviour),
      controlToken: token === "off" ? (false as const) : token,
      rewriteHosts: values["rewrite-host"]?.map((pair) => {
        const [from = "", to = ""] = pair.split("=");
        return { from, to };
      }),
      tls: await files.tls(values["tls-cert"], values["tls-key"]),
      webhookCa: await files.authority(values["webhook-ca"]),
      faults: faults.length > 0 ? faults : undefined,
    }),
  };
}

/** The files of fixture and behaviour. */
function startFilesOf({ fixtures = "empty", behaviour = "documented" }: OptionValues): string[] {
  return [...(fixtures === "empty" ? [] : [fixtures]), ...(isProfile(behaviour) ? [] : [behaviour])];
}

/** The texts of the given flags. */
export type Flags = Readonly<Partial<Record<OptionName, readonly string[]>>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** A value from a source, valid or not. */
interface SourceValue {
  readonly name: OptionName;
  readonly value: unknown;
  /** Adds to a problem, whose path starts at the value, where the value was given. */
  readonly locate: (problem: Problem) => Problem;
}

/** The values of a source, and all of their problems. */
interface OptionSource {
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
const readFlags = (flags: Flags): Promise<OptionSource> =>
  readTexts(namesIn("outside").map((name) => [name, `--${name}`, flags[name] ?? []]));

/**
 * Reads the options in the environment. An empty variable counts as unset; commas or line breaks separate the items of a list:
 * `MESSAGING_SIM_SET="window.duration=24h, delivery.backoff=[1m, 5m]"`.
 */
const readEnvironment = (env: Environment): Promise<OptionSource> =>
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
function unknownVariables(env: Environment): string[] {
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
): Promise<OptionSource> {
  const values: SourceValue[] = [];
  const problems: Problem[] = [];
  for (const [name, label, texts] of given.filter(([, , { length }]) => length > 0)) {
    try {
      const value = await valueFrom(SERVE_OPTIONS[name], texts);
      values.push({ name, value, locate: locatorOf(name, label) });
    } catch (error) {
      if (!(error instanceof UnreadableText)) throw error;
      problems.push({ path: label, message: error.message });
    }
  }
  return { values, problems: [...problems, ...(await checkValues(values))] };
}

/** A text is not a valid value of its option; the message says why. */
class UnreadableText extends Error {}

/** If an option with one value is given several times, the last one wins. */
async function valueFrom(option: Option, texts: readonly string[]): Promise<unknown> {
  const { schema } = option;
  const last = texts.at(-1) ?? "";
  if (last === "" || (isRepeatable(option) && texts.includes(""))) throw new UnreadableText("needs a value");
  if (schema.type === "object") return Object.fromEntries(await Promise.all(texts.map(readSetting)));
  if (schema.type === "array") return texts.map((text) => readScalar(schema.items ?? {}, text));
  return readScalar(schema, last);
}

function readScalar(schema: Schema, text: string): unknown {
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type);
  if (types.includes("integer") && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (types.includes("boolean") && /^(true|1|false|0)$/.test(text)) return text === "true" || text === "1";
  if (types.includes("string")) return text;
  throw new UnreadableText(`must be ${describeSchema(schema)}, but is ${preview(text)}`);
}

/** `key=value`, the value in YAML: `window.duration=24h`, `limits.rate={ requests: 5, per: 1m }`. */
async function readSetting(text: string): Promise<[string, unknown]> {
  const [, key, source] = /^\s*([^=]*[^=\s])\s*=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined || source === undefined)
    throw new UnreadableText(`must be key=value, but is ${preview(text)}`);
  const document = await parseDocument(source, { file: "", format: "yaml" });
  if (document.problems)
    throw new UnreadableText(
      `${key}: cannot be read as YAML: ${document.problems[0]?.message.split("\n")[0]}`,
    );
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

/** Reads the config file that a flag or a variable names; an empty one has no values. File names in it are relative to it. */
async function readConfig(outside: readonly SourceValue[], readFile: ReadText): Promise<OptionSource> {
  const config = outside.findLast(({ name }) => name === "config");
  if (config === undefined) return { values: [], problems: [] };
  const file = String(config.value);
  const files = new OptionFiles(readFile, placeIn([config]));
  const document = await files.document("config", file);
  if (document === undefined) return { values: [], problems: files.problems };
  const { value } = document;
  if (value === null || value === undefined) return { values: [], problems: [] };
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
  const problems = problemsOfFirst(unknown, (key) => [keyProblemAt([key], unknownKey("option", key, names))]);
  return {
    problems: [...document.locate(problems), ...(await checkValues(values))],
    values: values.map((one) => ({ ...one, value: relativeToConfig(one, file) })),
  };
}

function relativeToConfig({ name, value }: SourceValue, config: string): unknown {
  const option: Option = SERVE_OPTIONS[name];
  if (option.file !== true) return value;
  const relative = (file: unknown): unknown => {
    if (typeof file !== "string" || isAbsolute(file) || (name === "behaviour" && isProfile(file)))
      return file;
    if (name === "data" && ADDRESS.test(file)) return file;
    if (name === "fixtures" && file === "empty") return file;
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
  if (isPlainlyValid(schema, value)) return [];
  return problemsBySchema(schema, value);
}

/** Whether a number, switch or name is as its schema says. Loading the validator for these would take a tenth of the start. */
function isPlainlyValid({ type, enum: names, minimum = 0, maximum = 0 }: Schema, value: unknown): boolean {
  if (type === "boolean") return typeof value === "boolean";
  if (type === "integer")
    return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
  return names?.includes(value) ?? false;
}

/** Merges validated values, the weakest source first. Settings are merged by key, all others as a whole. */
function mergeValues(values: readonly SourceValue[]): OptionValues {
  const merged = new Map<OptionName, unknown>();
  for (const { name, value } of values) {
    const isSettings = SERVE_OPTIONS[name].schema.type === "object";
    merged.set(name, isSettings ? Object.assign({}, merged.get(name), value) : value);
  }
  return Object.fromEntries(merged);
}
