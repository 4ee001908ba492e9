/** The simulator of a command, and the system under test that it starts and stops (`--exec`). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { reasonOf } from "../kernel/errors.js";
import { sandboxToken } from "../kernel/names.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { elapsedSince, later, monotonicNow, onAbort, sleep, within } from "../kernel/realtime.js";
import { durationText } from "../kernel/units.js";
import { type Target, transportTo } from "../scenarios/http.js";
import { tokenOf } from "../scenarios/prepare.js";
import type { Scenario } from "../scenarios/read.js";
import type { Simulator, SimulatorOptions } from "../server/simulator.js";
import {
  asText,
  baseAddress,
  controlToken,
  duration,
  optional,
  pairs,
  programAddress,
  type Values,
} from "./command.js";
import type { Terminal } from "./terminal.js";

/** How the system under test is reached and started. */
export const EXEC_OPTIONS = {
  hook: optional("address of your program: all webhooks point there", programAddress),
  exec: optional("start your program with this command", asText),
  within: optional(
    "time limit for it to take connections at the port of --hook, or without --hook to print something (default: 15s)",
    duration(0),
  ),
};

/** An option that has no effect without another one. */
export const execProblems = ({ exec, within }: Values<typeof EXEC_OPTIONS>): Problem[] =>
  within !== undefined && exec === undefined ? [{ path: "--within", message: "requires --exec" }] : [];

/** The simulator, and the parameters of the scenarios. */
export const TARGET_OPTIONS = {
  url: optional("simulator to use (default: start one)", baseAddress),
  "control-token": controlToken("control token of that simulator"),
  param: pairs("scenario parameter as name=value (repeatable)"),
  out: optional("write the report to this file", asText),
};

/** The values of these options, the environment of the system under test, and what ends the command. */
export type Plan = Values<typeof EXEC_OPTIONS & typeof TARGET_OPTIONS> &
  Pick<Terminal, "env"> & { readonly signal: AbortSignal };

export type SandboxTarget = Target & { readonly sandbox: string };

/** Passes `work` the simulator at `--url`, or a new one, which may call the system under test and is closed afterwards. */
export async function withSimulator<T>(
  { url, controlToken, hook }: Plan,
  work: (server: Target, own?: Simulator) => Promise<T>,
  options: SimulatorOptions = {},
): Promise<T> {
  if (url !== undefined) return work({ url, controlToken });
  const { createSimulator } = await import("../server/simulator.js");
  const allowOutbound = hook === undefined ? [] : [new URL(hook).hostname];
  const simulator = await createSimulator({ ...options, allowOutbound });
  try {
    return await work({ url: simulator.url, isOwn: true }, simulator);
  } finally {
    await simulator.close();
  }
}

const BETWEEN_TRIES = 20;

/** Resolves with why an address takes no connections, or with undefined if it does. */
async function unreachable(address: string, signal: AbortSignal): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  const socket = connect({ host, port: Number(port || (protocol === "https:" ? 443 : 80)) });
  return once(socket, "connect", { signal })
    .then(() => undefined, reasonOf)
    .finally(() => socket.destroy());
}

/** The system under test did not come up, or ended; with its output. */
export class NotReady extends Error {
  override readonly name = "NotReady";

  constructor(
    message: string,
    readonly output: string,
  ) {
    super(message);
  }
}

/** How a system under test ended, and the last lines that it printed. */
interface EndOfSystem {
  readonly message: string;
  readonly seen: readonly string[];
}

export interface SystemUnderTest {
  /** Its output so far, from both streams. */
  readonly output: () => string;
  /** How it ended by itself; undefined while it runs. */
  readonly ended: () => string | undefined;
  /** Resolves if it ends by itself before its work is done. */
  readonly exited: Promise<EndOfSystem>;
  /** Stops it, with all processes that it has started. */
  readonly stop: () => Promise<void>;
}

/** The default of `--within`, and how long it may take to stop, ms. */
const READY_WITHIN = 15_000;
const GONE_WITHIN = 2_000;
/** How long the last output of a program that failed may take to arrive, ms. */
const LAST_OUTPUT_MS = 50;
/** How much of its output is kept, the newest. */
const MAX_OUTPUT = 256 * 1024;

/** How long an answer may take at an address that ought to be free, ms: a local one is refused at once, unless the machine is very busy. */
const TAKEN_WITHIN = 5_000;
/** How often a port is checked that a process being stopped may still use. */
const LOOKS = 10;
const BETWEEN_LOOKS_MS = 50;

/** Makes sure that nothing answers at the address of `--hook`, because it would be tested instead of the program. @throws UnusableDocument */
async function refuseTaken(hook: string, command: string) {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if ((await unreachable(hook, AbortSignal.timeout(TAKEN_WITHIN))) !== undefined) return;
    await sleep(BETWEEN_LOOKS_MS);
  }
  const message = `another program already answers at ${new URL(hook).host}, where ${command} should respond: stop it, or use another port`;
  throw new UnusableDocument([{ path: "--hook", message }]);
}

/**
 * Starts a command in a shell for a scenario, with the address and a token of the sandbox, and waits until it is ready.
 *
 * @throws NotReady, UnusableDocument, SimError, and the reason of the signal when that is aborted
 */
export async function startSystem(
  command: string,
  scenario: Scenario,
  target: SandboxTarget,
  { env, hook, within: limit = READY_WITHIN, signal }: Plan,
): Promise<SystemUnderTest> {
  const token = await tokenOf(scenario, transportTo(target));
  if (token === undefined)
    throw new NotReady(`${scenario.name}: the fixture has no token for ${command}`, "");
  if (hook !== undefined) await refuseTaken(hook, command);
  signal.throwIfAborted();
  const started = monotonicNow();
  const child = spawn(command, {
    shell: true,
    detached: true,
    env: { ...env, MESSAGING_SIM_URL: target.url, MESSAGING_SIM_TOKEN: sandboxToken(target.sandbox, token) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let exit: string | undefined;
  let end: string | undefined;
  child.once("error", (error) => {
    exit = `its shell cannot be started, ${reasonOf(error)}`;
  });
  // Its streams close when the last process using them ends: the children of a shell that succeeded are the program.
  const closed = new Promise<void>((resolve) =>
    child.once("close", () => {
      end = exit;
      resolve();
    }),
  );
  const failed = new Promise<unknown>((resolve) =>
    child.once("exit", (code, signal) => {
      exit = signal === null ? `exit code ${code}` : signal;
      if (code === 0) return;
      end = exit;
      resolve(within(LAST_OUTPUT_MS, closed));
    }),
  );
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
    });
  // It has its own process group, so neither Ctrl+C nor closing the terminal reaches it.
  const onExit = () => signalGroup(child, "SIGKILL");
  const onHangUp = (_signal: NodeJS.Signals, number: number) => process.exit(128 + number);
  process.once("exit", onExit);
  process.once("SIGHUP", onHangUp);
  let isStopping = false;
  const exited = new Promise<EndOfSystem>((resolve) => {
    void Promise.race([closed, failed]).then(() => {
      const message = `${command} exited before the run ended: ${end}`;
      if (!isStopping) resolve({ message, seen: lastLines(output) });
    });
  });
  const stop = async () => {
    isStopping = true;
    process.removeListener("exit", onExit);
    process.removeListener("SIGHUP", onHangUp);
    await stopGroup(child, closed);
  };
  const attempt = async (signal: AbortSignal) => {
    if (hook !== undefined) return unreachable(hook, signal);
    return output === "" ? "it printed nothing" : undefined;
  };
  // Node 20 forgets the timers of signals that `AbortSignal.any` joins.
  const timeUp = new AbortController();
  const timer = later(limit, () => timeUp.abort());
  const forget = onAbort(signal, () => timeUp.abort());
  let why: string | undefined = "it was not tried";
  while (why !== undefined && !timeUp.signal.aborted && end === undefined) {
    const failure = await attempt(timeUp.signal);
    // A check cut off by the timeout says nothing about the program.
    if (!timeUp.signal.aborted || failure === undefined) why = failure;
    if (why !== undefined) await sleep(BETWEEN_TRIES);
  }
  timer.cancel();
  forget();
  const ended = end as string | undefined;
  if (why === undefined && ended === undefined)
    return { output: () => output, ended: () => end, exited, stop };
  const waited = durationText(Math.max(1, elapsedSince(started, 0)));
  await stop();
  signal.throwIfAborted();
  const what = `the run waited for ${hook === undefined ? "it to print something" : `${new URL(hook).host} to accept connections`}`;
  throw new NotReady(
    ended === undefined
      ? `${command} was not ready within ${durationText(limit)} (--within): ${what}; last seen: ${why}`
      : `${command} exited before it was ready: ${ended}, after ${waited}; ${what}`,
    output,
  );
}

async function stopGroup(child: ChildProcess, closed: Promise<void>): Promise<void> {
  signalGroup(child, "SIGTERM");
  await within(GONE_WITHIN, closed);
  signalGroup(child, "SIGKILL");
  await within(GONE_WITHIN, closed);
  // A process that left the group and still uses the streams must not keep this one alive.
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone.
  }
}

const MAX_LINES = 20;

/** The last lines of its output, with a heading. */
export function lastWords(output: string): string {
  const lines = lastLines(output);
  if (lines.join("") === "") return "It printed nothing.\n";
  return `It printed last:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

export const lastLines = (output: string): string[] => output.trimEnd().split("\n").slice(-MAX_LINES);
