import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BOUNDS } from "../kernel/bounds.js";
import { type Logger, SILENT } from "../kernel/errors.js";
import { hostKind } from "../kernel/hosts.js";
import { nameOf } from "../kernel/http/target.js";
import { omitUndefined } from "../kernel/objects.js";
import { VERSION } from "../kernel/packages.js";
import { printable, printableLines } from "../kernel/printable.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { secretToken } from "../kernel/random.js";
import { isoOf, later, wallNow } from "../kernel/realtime.js";
import { isSwitch, namesIn, type Option, SERVE_OPTIONS, variableOf } from "../server/config/options.js";
import {
  type Flags,
  type LogOptions,
  type ResolvedOptions,
  resolveServeOptions,
  type ServeOptions,
} from "../server/config/serve.js";
import type { Simulator } from "../server/simulator.js";
import { Refusal } from "../service/domain/refusals.js";
import type { RecordReader } from "../service/world/world.js";
import { type CommandOption, command } from "./command.js";
import { FileWatch } from "./files.js";
import { FAILED, OK, onFirstSignal, refuse, type Terminal } from "./terminal.js";

/** The options of `serve` as flags. Their texts are parsed together with environment and config file. */
const SERVE_FLAGS: Readonly<Record<string, CommandOption<readonly string[]>>> = Object.fromEntries(
  namesIn("outside").map((name) => {
    const option: Option = SERVE_OPTIONS[name];
    const declared = {
      type: isSwitch(option) ? "boolean" : "string",
      describe: option.description,
      group: `${option.group}:`,
      requiresArg: !isSwitch(option),
      ...omitUndefined({ defaultDescription: option.default?.toString() }),
    } as const;
    return [name, { declared, read: (texts) => texts }];
  }),
);

const SOURCES =
  `Each option can also come from the environment (--log-level: ${variableOf("log-level")}) ` +
  "or from the file given with --config. Flags win over the environment, and the environment over the file.";

/** `messaging-sim serve`: starts a simulator and ends it with the first SIGTERM or SIGINT. */
export const SERVE = command({
  options: SERVE_FLAGS,
  epilogue: SOURCES,
  examples: {
    "messaging-sim serve": "on the default address, with the built-in fixture",
    "messaging-sim serve --port 0": "on a free port, printed in the first line",
    "messaging-sim serve --fixtures acme.json --watch": "your own fixture, reloaded when its file changes",
    "messaging-sim serve --behaviour realistic --strict":
      "realistic behaviour that refuses undocumented requests",
    "messaging-sim serve --data ./sim-data": "keeps every sandbox across restarts",
  },
  exits: {
    0: "it stopped after SIGINT or SIGTERM",
    1: "its last changes could not be saved",
    2: "an option or file is invalid, or the port is in use",
    130: "a second signal stopped it immediately",
  },
  run: (_values, terminal, flags) => serve(flags, terminal),
});

async function serve(flags: Flags, terminal: Terminal): Promise<number> {
  let stopListening = () => {};
  const ending = new Promise<void>((resolve) => {
    stopListening = onFirstSignal(resolve);
  });
  const served = await startServing(flags, terminal);
  if (typeof served === "number") {
    stopListening();
    return served;
  }
  // An error that gets here is a bug, but no reason to stop everybody's simulator.
  process.on("uncaughtException", (error) => served.simulator.failed(error, "something"));
  terminal.ignoreLostOutput?.();
  await ending;
  await served.close();
  // Nothing that is still open keeps the process alive.
  later(0, () => process.exit(), { background: true });
  return served.simulator.isSaved ? OK : FAILED;
}

/**
 * Starts what the options ask for and prints its address. If they are invalid, it prints that instead and returns the exit code.
 */
export async function startServing(flags: Flags, terminal: Terminal) {
  const loading = import("../server/simulator.js");
  const resolve = () => resolveServeOptions(flags, terminal.env, (file) => readFile(file, "utf8"));
  const resolved = await resolve();
  if (resolved.problems !== undefined) return refuse(terminal, resolved.problems);
  const { options, log, watched, notes } = resolved;
  const files = new FileWatch(watched);
  const created = newControlToken(options);
  const certificate = resolved.selfSigned ? await selfSigned(options) : undefined;
  const logger = await createLogger(log, terminal.out);
  const { createSimulator } = await loading;
  let simulator: Simulator;
  try {
    const rest = { controlToken: created ?? options.controlToken, logger, logCalls: log.level === "debug" };
    const all = { ...options, ...omitUndefined({ tls: certificate?.tls }), ...rest };
    simulator = await createSimulator(all);
  } catch (error) {
    const problems = problemsOf(error, resolved);
    if (problems === undefined) throw error;
    return refuse(terminal, problems);
  }
  const { url } = simulator;
  const caFile = certificate && (await writtenAuthority(certificate.authority));
  const ready = `messaging-sim ready at ${url}`;
  if (log.format === "json") {
    const fields = { event: "ready", url, version: VERSION, controlToken: created, caFile };
    terminal.out(`${JSON.stringify({ level: "info", time: wallNow(), ...fields, msg: ready })}\n`);
  } else {
    const token = `  control token: ${created} (generated for this run; set your own with --control-token, or disable it with off)\n`;
    const hasNextSteps = log.level === "info" || log.level === "debug";
    // One write, because a program that waits for the first line may read everything at once.
    terminal.out(
      [
        `${ready}\n`,
        created === undefined ? "" : token,
        caFile === undefined ? "" : trustText(caFile),
        hasNextSteps ? nextSteps(url, simulator.registry.default.run.shown()) : "",
      ].join(""),
    );
  }
  for (const note of notes) logger.warn({}, note);
  const ended = new AbortController();
  const watch = { simulator, files, resolve, logger };
  const watching = watched.length > 0 ? watchStart(watch, terminal, ended.signal) : undefined;
  return {
    simulator,
    /** Ends it as a signal does: work in flight gets its time, and everything is cleaned up. */
    close: async () => {
      ended.abort();
      const removing = caFile && rm(dirname(caFile), { recursive: true, force: true });
      await Promise.all([watching, simulator.close(BOUNDS.shutdownMs.limit), removing]);
    },
  };
}

/** A generated token, for a simulator reachable from other machines without a token or an explicit opt-out. */
const newControlToken = ({
  host,
  controlToken,
}: Pick<ServeOptions, "host" | "controlToken">): string | undefined =>
  controlToken === undefined && hostKind(host) !== "loopback" ? secretToken() : undefined;

/** The option that a failed start points to; undefined if there is none. */
function problemsOf(
  error: unknown,
  { options: { port, host }, located }: Resolved,
): readonly Problem[] | undefined {
  if (error instanceof UnusableDocument) return error.problems.map(located);
  const { code, syscall = "" } = error as NodeJS.ErrnoException;
  switch (["listen", "bind", "getaddrinfo"].includes(syscall) && code) {
    case "EADDRINUSE":
      return [
        { path: "--port", message: `${port} is in use on ${host}: choose another, or 0 for a free one` },
      ];
    case "EACCES":
      return [{ path: "--port", message: `no permission to listen on ${port}` }];
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return [{ path: "--host", message: `cannot listen on ${host}: not an address of this machine` }];
    default:
      return undefined;
  }
}

/** Creates the certificate for loopback, the server's host and its additional names. */
async function selfSigned({ host, allowHosts = [] }: Pick<ServeOptions, "host" | "allowHosts">) {
  const [plain = ""] = nameOf(host).split("%");
  const own = ["0.0.0.0", "::"].includes(plain) ? [] : [plain];
  const names = new Set(["localhost", "127.0.0.1", "::1", ...own, ...allowHosts.map(nameOf)]);
  const { certificateFor } = await import("../kernel/http/certificate.js");
  return certificateFor([...names], wallNow());
}

/** Writes an authority's certificate to a new folder. @returns the file */
async function writtenAuthority(authority: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "messaging-sim-")), "ca.pem");
  await writeFile(file, authority);
  return file;
}

/** How clients can trust it. */
const trustText = (file: string): string => `  CA file    ${file} (for this run)
  trust it   NODE_EXTRA_CA_CERTS (Node), REQUESTS_CA_BUNDLE (Python requests), SSL_CERT_FILE (Python, Go, Ruby), curl --cacert
`;

type Resolved = Extract<ResolvedOptions, { readonly problems?: undefined }>;

interface ServeWatch {
  readonly simulator: Simulator;
  readonly files: FileWatch;
  /** The options, with the current contents of their files. */
  readonly resolve: () => Promise<ResolvedOptions>;
  readonly logger: Logger;
}

/** Reloads the start whenever its files change, until the signal is aborted; reports problems. */
async function watchStart(
  { simulator, files, resolve, logger }: ServeWatch,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  /** What has changed since the last reload. */
  const stale = new Set<string>();
  for (;;) {
    const changed = await files.changes(signal);
    if (changed.size === 0) return;
    for (const file of changed) stale.add(file);
    try {
      const resolved = await resolve();
      if (resolved.problems !== undefined) throw new UnusableDocument(resolved.problems);
      const { fixtures, behaviour, strict, set } = resolved.options;
      const anew = fixtures !== undefined && stale.has(fixtures) ? fixtures : undefined;
      await simulator.reload(omitUndefined({ fixtures: anew, behaviour, strict, set }));
      stale.clear();
    } catch (error) {
      if (error instanceof UnusableDocument) refuse(terminal, error.problems);
      else if (error instanceof Refusal) terminal.err(`${error.scope.reason}\n`);
      else simulator.failed(error, "reloading the start");
      logger.warn({ files: [...stale] }, "not reloaded: the previous files stay in use");
    }
  }
}

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];

/** A logger that writes lines for people, or JSON through pino. */
export async function createLogger(
  { level, format }: LogOptions,
  write: (text: string) => void,
): Promise<Logger> {
  if (level === "silent") return SILENT;
  if (format === "pretty") return prettyLogger(level, write);
  const { pino } = await import("pino");
  const labels = { level: (label: string) => ({ level: label }) };
  const logger: Logger = pino(
    { level, base: null, formatters: labels },
    { write: (line: string) => write(printableLines(line)) },
  );
  return logger;
}

function prettyLogger(least: Level, write: (text: string) => void): Logger {
  const at =
    (level: Level) =>
    (fields: object, message: string): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
      const time = isoOf(wallNow()).slice(11, 23);
      write(`${time} ${level.padEnd(5)} ${printable(message)}${detailsOf(fields)}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The fields of a line as `name=value`; an error's stack trace follows on separate lines. */
function detailsOf(fields: object): string {
  let details = "";
  let trace = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Error) trace += `\n${printableLines(value.stack ?? value.message)}`;
    else if (value !== undefined)
      details += ` ${name}=${printable(typeof value === "object" ? JSON.stringify(value) : String(value))}`;
  }
  return details === "" ? trace : `  ${details.trimStart()}${trace}`;
}

/** The maximum number of tokens that the first lines list. */
const MAX_TOKENS = 4;

/** What a first call needs, and where the dashboard is. */
function nextSteps(url: string, records: RecordReader): string {
  const tokens = [...records.all("tokens")].slice(0, MAX_TOKENS).map(({ id }) => printable(id));
  return `  tokens     ${tokens.join(", ")}\n  dashboard  ${url}/__sim/ui/\n`;
}
