import { readFile } from "node:fs/promises";
import { resolveServeOptions, type ServeOptions } from "../config/serve.js";
import { BOUNDS } from "../kernel/bounds.js";
import { boundYoungGeneration, collectWhenQuiet } from "../kernel/garbage.js";
import { given } from "../kernel/given.js";
import { hostKind } from "../kernel/hosts.js";
import { reasonOf } from "../kernel/os-errors.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { later, wallNow } from "../kernel/realtime.js";
import { secretToken } from "../kernel/secret.js";
import { VERSION } from "../kernel/version.js";
import { DEFAULT_SANDBOX } from "../sandbox/registry.js";
import type { Simulator } from "../simulator.js";
import { FileWatch } from "./file-watch.js";
import { createLogger } from "./log.js";
import { nextSteps } from "./next-steps.js";
import { selfSigned, trustText } from "./self-signed.js";
import { watchStart } from "./serve-watch.js";
import { OK, refuse, type Terminal, UNUSABLE } from "./terminal.js";

/** What requests and deliveries under way get at the end, ms of real time (contract section 1). */
const GRACE_MS = BOUNDS.shutdownMs.limit;
/** The exit code of a program that a signal ended at once. */
const INTERRUPTED = 130;
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** `messaging-sim serve`: starts a simulator and ends it with the first SIGTERM or SIGINT. */
export async function serve(argv: readonly string[], terminal: Terminal): Promise<number> {
  const signals = catchSignals();
  let code = UNUSABLE;
  const served = await startServing(argv, terminal, () => {
    code = OK;
  });
  if (served === undefined) {
    signals.stop();
    return code;
  }
  boundYoungGeneration();
  collectWhenQuiet();
  // What slips through to here is a bug, and no reason to take everybody's simulator away.
  process.on("uncaughtException", (error) => served.simulator.failed(error, "something"));
  terminal.goesOnUnread?.();
  await signals.first;
  await served.close();
  // Whatever should still be open does not keep the process.
  later(0, () => process.exit(), { background: true });
  return OK;
}

interface Served {
  readonly simulator: Simulator;
  /** Ends it as a signal does: what is under way gets its time, and nothing is left behind. */
  readonly close: () => Promise<void>;
}

/**
 * Starts what the options ask for and says where it is; undefined where they cannot be used, which is said too, and with
 * --data-repair: `onRepaired` is called when that is done.
 */
export async function startServing(
  argv: readonly string[],
  terminal: Terminal,
  onRepaired: () => void = () => {},
): Promise<Served | undefined> {
  const loading = import("../simulator.js");
  const resolve = () => resolveServeOptions(argv, terminal.env, (file) => readFile(file, "utf8"));
  const resolved = await resolve();
  if (resolved.problems !== undefined) return void refuse(terminal, resolved.problems);
  const { options, log, watched, notes, repaired } = resolved;
  if (repaired !== undefined) {
    if (await repair(repaired, terminal)) onRepaired();
    return undefined;
  }
  const files = new FileWatch(watched);
  const created = newControlToken(options);
  const certificate = resolved.selfSigned ? selfSigned(options) : undefined;
  const logger = await createLogger(log, terminal.out);
  const { createSimulator } = await loading;
  let simulator: Simulator;
  try {
    simulator = await createSimulator({
      ...options,
      ...given({ tls: certificate?.tls }),
      controlToken: created ?? options.controlToken,
      logger,
      logCalls: log.level === "debug",
    });
  } catch (error) {
    const problems = problemsOf(error, options);
    if (problems === undefined) throw error;
    return void refuse(terminal, problems);
  }
  const { url } = simulator;
  const authority = await certificate?.write();
  const ready = `messaging-sim ready at ${url}`;
  if (log.format === "json") {
    const fields = { event: "ready", url, version: VERSION, controlToken: created, caFile: authority?.file };
    terminal.out(`${JSON.stringify({ level: "info", time: wallNow(), ...fields, msg: ready })}\n`);
  } else {
    const hasNextSteps = log.level === "info" || log.level === "debug";
    // In one piece: whoever waits for the first line may read all of it then.
    terminal.out(
      [
        `${ready}\n`,
        created === undefined
          ? ""
          : `  control token: ${created} (made for this run; --control-token sets one, off does without)\n`,
        authority === undefined ? "" : trustText(authority.file),
        hasNextSteps ? nextSteps(url, simulator.registry.default.run.shown(), authority?.file) : "",
      ].join(""),
    );
  }
  for (const note of notes) logger.warn({}, note);
  if (options.bundle !== undefined) {
    const [{ id = "" } = {}] = simulator.registry.all();
    const page = `${url}/__sim/ui/${id === DEFAULT_SANDBOX ? "" : `?sandbox=${id}`}`;
    logger.info(
      { sandbox: id },
      `${options.bundle} is open as it was taken, its clock standing still: ${page}`,
    );
  }
  const ended = new AbortController();
  const watch = { simulator, files, first: resolved, resolve, logger };
  const watching = watched.length > 0 ? watchStart(watch, terminal, ended.signal) : undefined;
  return {
    simulator,
    close: async () => {
      ended.abort();
      await Promise.all([watching, simulator.close(GRACE_MS), authority?.remove()]);
    },
  };
}

/** Whether what a data folder holds could be saved, all that is to be said of it included. */
async function repair(folder: string, terminal: Terminal): Promise<boolean> {
  const { repairFolder } = await import("../persistence/repair.js");
  try {
    terminal.out(`${(await repairFolder(folder)).join("\n")}\n`);
    return true;
  } catch (error) {
    const problems = [{ path: "--data", message: `cannot use ${folder}: ${reasonOf(error)}` }];
    refuse(terminal, error instanceof UnusableDocument ? error.problems : problems);
    return false;
  }
}

/** A token for a simulator that others can reach and that nobody gave one to, or said that it needs none. */
export const newControlToken = ({
  host,
  controlToken,
}: Pick<ServeOptions, "host" | "controlToken">): string | undefined =>
  controlToken === undefined && hostKind(host) !== "loopback" ? secretToken() : undefined;

/** `first` resolves with the first signal to end; the second one ends the process at once. */
function catchSignals(): { first: Promise<void>; stop: () => void } {
  let take = (): void => {};
  const first = new Promise<void>((resolve) => {
    let seen = false;
    take = () => {
      if (seen) process.exit(INTERRUPTED);
      seen = true;
      resolve();
    };
  });
  for (const signal of SIGNALS) process.on(signal, take);
  const stop = (): void => {
    for (const signal of SIGNALS) process.off(signal, take);
  };
  return { first, stop };
}

/** What a failure of the start says about the options; undefined when it says nothing about them. */
function problemsOf(
  error: unknown,
  { port, host }: { port: number; host: string },
): readonly Problem[] | undefined {
  if (error instanceof UnusableDocument) return error.problems;
  switch (error instanceof Error && "code" in error && error.code) {
    case "EADDRINUSE":
      return [
        { path: "--port", message: `${port} is in use on ${host}: choose another, or 0 for any free one` },
      ];
    case "EACCES":
      return [{ path: "--port", message: `no permission to listen on ${port}` }];
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return [{ path: "--host", message: `cannot listen on ${host}: it is no address of this machine` }];
    default:
      return undefined;
  }
}
