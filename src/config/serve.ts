import { isIPv6 } from "node:net";
import { parseDocument } from "../kernel/document.js";
import { given } from "../kernel/given.js";
import type { Problem } from "../kernel/problems.js";
import { isProfile } from "./behaviour.js";
import { type Environment, readEnvironment, unknownVariables } from "./environment.js";
import { readConfig } from "./file.js";
import { OptionFiles, type ReadFile } from "./files.js";
import { readFlags } from "./flags.js";
import type { LOG_FORMATS, LOG_LEVELS, OptionName, OptionValues } from "./options.js";
import { SERVE_OPTIONS } from "./options.js";
import type { Source, SourceValue } from "./source.js";
import { authorityOf, tlsOf } from "./tls.js";
import { checkValues, mergeValues } from "./values.js";

/** What `serve` starts the simulator with; fields as in `SimulatorOptions`. */
export type ServeOptions = Awaited<ReturnType<typeof optionsOf>>;

/** How `serve` writes its log. */
export interface LogOptions {
  readonly level: (typeof LOG_LEVELS)[number];
  readonly format: (typeof LOG_FORMATS)[number];
}

export type ResolvedOptions =
  | {
      readonly options: ServeOptions;
      readonly log: LogOptions;
      /** Whether a certificate is to be made. */
      readonly selfSigned: boolean;
      /** The data folder of which is to be saved what it still holds. */
      readonly repaired?: string | undefined;
      /** The files that the start is loaded anew from when they change. */
      readonly watched: readonly string[];
      /** What the user should know although it stops nothing. */
      readonly notes: readonly string[];
      readonly problems?: undefined;
    }
  | {
      readonly problems: readonly Problem[];
      /** The same, where the options themselves can be read. */
      readonly watched?: readonly string[];
    };

/**
 * Puts together what flags, environment and config file say; the earlier wins over the later, all over the defaults.
 * Everything that is wrong anywhere is reported, even a value that another one would have covered.
 *
 * @param argv what stands behind `serve` on the command line
 *
 * @example
 * const resolved = await resolveServeOptions(["--port", "0"], process.env, (file) => readFile(file, "utf8"));
 * if (resolved.problems) throw new UnusableDocument(resolved.problems);
 * const simulator = await createSimulator(resolved.options);
 */
export async function resolveServeOptions(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
): Promise<ResolvedOptions> {
  const { inForce, problems } = await gathered(argv, env, readFile);
  if (problems.length > 0) return { problems };

  const files = new OptionFiles(readFile, new Map(inForce.map((one) => [one.name, one])));
  const values = mergeValues(inForce);
  const options = await optionsOf(values, files);
  const watched = values.watch === true ? startFilesOf(values) : [];
  if (files.problems.length > 0) return { problems: files.problems, watched };
  const isRepair = values["data-repair"] === true;
  if (isRepair && values.data === undefined)
    return { problems: [{ path: "--data-repair", message: "needs --data, the folder that is damaged" }] };
  const notes = unknownVariables(env);
  if (values.watch === true && watched.length === 0)
    notes.push(
      "--watch has no file to watch: neither --fixtures, --behaviour, --fault nor --config names one",
    );
  const repaired = isRepair ? values.data : undefined;
  return {
    options,
    log: logOf(values),
    selfSigned: values["self-signed"] === true,
    repaired,
    watched,
    notes,
  };
}

/** What `serve` is called by on its own machine with the same options, whether it runs or not. Reads no file but the config. */
export async function resolveServeUrl(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
): Promise<
  { readonly url: string; readonly problems?: undefined } | { readonly problems: readonly Problem[] }
> {
  const { inForce, problems } = await gathered(argv, env, readFile);
  if (problems.length > 0) return { problems };
  const {
    port = SERVE_OPTIONS.port.default,
    host = SERVE_OPTIONS.host.default,
    ...values
  } = mergeValues(inForce);
  if (port === 0)
    return { problems: [{ path: "--port", message: "0 is any free one: --url names the one that it is" }] };
  const [plain = ""] = host.replace(/^\[|\]$/g, "").split("%");
  const name = ANY_ADDRESS[plain] ?? plain;
  const isSecure = values["tls-cert"] !== undefined || values["self-signed"] === true;
  const scheme = isSecure ? "https" : "http";
  return { url: `${scheme}://${isIPv6(name) ? `[${name}]` : name}:${port}` };
}

/** The address at which somebody on the same machine reaches a server that listens on all. */
const ANY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** All that the sources give, the strongest last, and what is wrong with any of it. */
async function gathered(
  argv: readonly string[],
  env: Environment,
  readFile: ReadFile,
): Promise<{ readonly inForce: readonly SourceValue[]; readonly problems: readonly Problem[] }> {
  const [flags, environment] = await Promise.all([readFlags(argv), readEnvironment(env)]);
  const outside = [...environment.values, ...flags.values];
  const config = await readConfigOf(outside, readFile);
  const problems = [
    ...flags.problems,
    ...environment.problems,
    ...(await checkValues([...flags.values, ...environment.values])),
    ...config.problems,
  ];
  return { inForce: [...config.values, ...outside], problems };
}

async function readConfigOf(outside: readonly SourceValue[], readFile: ReadFile): Promise<Source> {
  const config = outside.findLast(({ name }) => name === "config");
  if (config === undefined) return { values: [], problems: [] };
  const file = String(config.value);
  const files = new OptionFiles(readFile, new Map<OptionName, SourceValue>([["config", config]]));
  const text = await files.text("config", file);
  if (text === undefined) return { values: [], problems: files.problems };
  const document = await parseDocument(text, { file });
  return document.problems ? { values: [], problems: document.problems } : readConfig(document);
}

async function optionsOf(values: OptionValues, files: OptionFiles) {
  const faults = [...(values.faults ?? []), ...(await files.faults(values.fault ?? []))];
  const token = values["control-token"];
  return given({
    port: values.port ?? SERVE_OPTIONS.port.default,
    host: values.host ?? SERVE_OPTIONS.host.default,
    fixtures: values.fixtures,
    bundle: values.bundle,
    data: values.data,
    durability: values.durability,
    closeIdle: values["close-idle"],
    behaviour: await files.behaviour(values.behaviour),
    strict: values.strict,
    set: values.set,
    seed: values.seed,
    clock: values.clock,
    controlToken: token === "off" ? (false as const) : token,
    allowHosts: values["allow-host"],
    allowOutbound: values["allow-outbound"],
    rewriteHosts: values["rewrite-host"]?.map(rewriteOf),
    tls: await tlsOf(values, files),
    webhookCa: await authorityOf(values, files),
    webhookInsecureTls: values["webhook-insecure-tls"],
    journalLimit: values["journal-limit"],
    memory: values.memory,
    bounds: values.bound,
    faults: faults.length > 0 ? faults : undefined,
  });
}

/** The files that say what a world starts from. */
function startFilesOf({ config, fixtures, behaviour, fault = [] }: OptionValues): string[] {
  const rules = behaviour === undefined || isProfile(behaviour) ? undefined : behaviour;
  return [config, fixtures, rules, ...fault].filter((file) => file !== undefined);
}

function rewriteOf(pair: string): { from: string; to: string } {
  const [from = "", to = ""] = pair.split("=");
  return { from, to };
}

const logOf = (values: OptionValues): LogOptions => ({
  level: values["log-level"] ?? SERVE_OPTIONS["log-level"].default,
  format: values["log-format"] ?? SERVE_OPTIONS["log-format"].default,
});
