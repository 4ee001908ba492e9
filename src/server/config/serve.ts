import { parseDocument } from "../../kernel/document.js";
import { parsePath, pathText } from "../../kernel/json.js";
import { omitUndefined } from "../../kernel/objects.js";
import type { Problem } from "../../kernel/problems.js";
import type { FaultInput } from "../../sandbox/faults.js";
import { isProfile, OptionFiles, type ReadFile } from "./files.js";
import {
  type LOG_FORMATS,
  type LOG_LEVELS,
  libraryName,
  OPTION_NAMES,
  type OptionValues,
  SERVE_OPTIONS,
  type SimulatorOptions,
} from "./options.js";
import {
  type Environment,
  type Flags,
  mergeValues,
  readConfig,
  readEnvironment,
  readFlags,
  type Source,
  type SourceValue,
  unknownVariables,
} from "./sources.js";

/** What `serve` starts a simulator with. */
export interface ServeOptions extends SimulatorOptions {
  readonly port: number;
  readonly host: string;
  readonly fixtures?: string;
  readonly faults?: readonly FaultInput[];
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
      /** The files that define what a world starts from, and those of them that are reloaded when they change. */
      readonly startFiles: readonly string[];
      readonly watched: readonly string[];
      /** Hints for the user, which stop nothing. */
      readonly notes: readonly string[];
      /** Adds to a problem of a library option where the user gave the value. */
      readonly located: (problem: Problem) => Problem;
      readonly problems?: undefined;
    }
  | {
      readonly problems: readonly Problem[];
      /** The same, if the options themselves are readable. */
      readonly watched?: readonly string[];
    };

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
  readFile: ReadFile,
): Promise<ResolvedOptions> {
  const { inForce, problems } = await gathered(flags, env, readFile);
  if (problems.length > 0) return { problems };

  const locate = locatorOf(inForce);
  const files = new OptionFiles(readFile, locate);
  const values = mergeValues(inForce);
  const options = await optionsOf(values, files);
  const startFiles = startFilesOf(values);
  const watched = values.watch === true ? startFiles : [];
  if (files.problems.length > 0) return { problems: files.problems, watched };
  const notes = unknownVariables(env);
  if (values.durability === "strict" && values.data === undefined)
    notes.push("--durability has no effect without --data");
  if (values.watch === true && watched.length === 0)
    notes.push("--watch has no file to watch: set --fixtures, --behaviour, --fault or --config");
  return {
    options,
    log: {
      level: values["log-level"] ?? SERVE_OPTIONS["log-level"].default,
      format: values["log-format"] ?? SERVE_OPTIONS["log-format"].default,
    },
    selfSigned: values["self-signed"] === true,
    startFiles,
    watched,
    notes,
    located: (problem) => {
      const [option, ...rest] = parsePath(problem.path);
      const name = OPTION_NAMES.find((each) => libraryName(each) === option);
      if (problem.file !== undefined || name === undefined) return problem;
      return locate(name, { ...problem, path: pathText(rest) });
    },
  };
}

/** Where an option's value was given: a flag, a variable, or a line of the config file. */
const locatorOf =
  (inForce: readonly SourceValue[]) =>
  (name: string, problem: Problem): Problem =>
    inForce.findLast((one) => one.name === name)?.locate(problem) ?? { ...problem, path: `--${name}` };

/** The values of all sources, the strongest last, and all of their problems. */
async function gathered(
  flags: Flags,
  env: Environment,
  readFile: ReadFile,
): Promise<{ readonly inForce: readonly SourceValue[]; readonly problems: readonly Problem[] }> {
  const [given, environment] = await Promise.all([readFlags(flags), readEnvironment(env)]);
  const outside = [...environment.values, ...given.values];
  const config = await readConfigOf(outside, readFile);
  const problems = [...given.problems, ...environment.problems, ...config.problems];
  return { inForce: [...config.values, ...outside], problems };
}

async function readConfigOf(outside: readonly SourceValue[], readFile: ReadFile): Promise<Source> {
  const config = outside.findLast(({ name }) => name === "config");
  if (config === undefined) return { values: [], problems: [] };
  const file = String(config.value);
  const files = new OptionFiles(readFile, locatorOf([config]));
  const text = await files.text("config", file);
  if (text === undefined) return { values: [], problems: files.problems };
  const document = await parseDocument(text, { file });
  return document.problems ? { values: [], problems: document.problems } : readConfig(document);
}

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

/** The files that define what a world starts from. */
function startFilesOf({ config, fixtures, behaviour, fault = [] }: OptionValues): string[] {
  const rules = behaviour === undefined || isProfile(behaviour) ? undefined : behaviour;
  return [config, fixtures, rules, ...fault].filter((file) => file !== undefined);
}
