/** A system under test that a command starts and stops (`--exec`). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { durationText } from "../kernel/duration.js";
import { reasonOf } from "../kernel/errors.js";
import type { Problem } from "../kernel/problems.js";
import { elapsedSince, monotonicNow, sleep, within } from "../kernel/realtime.js";

/** What to wait for, and how to check it. */
interface Readiness {
  /** A phrase that follows "waited for". */
  readonly what: string;
  /** Why it is not ready yet; undefined once it is. */
  readonly attempt: (signal: AbortSignal) => Promise<string | undefined>;
}

const BETWEEN_TRIES = 20;
const NOT_TRIED = "it was not tried";

/** The port of an address takes connections. */
function portOf(address: string): Readiness {
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  const number = Number(port || (protocol === "https:" ? 443 : 80));
  return {
    what: `port ${number} of ${host} to take connections`,
    attempt: async (signal) => {
      const socket = connect({ host, port: number });
      try {
        await once(socket, "connect", { signal });
        return undefined;
      } catch (error) {
        return reasonOf(error);
      } finally {
        socket.destroy();
      }
    },
  };
}

/** An address answers with a success. */
const successAt = (address: string): Readiness => ({
  what: `${address} to answer with a success`,
  attempt: async (signal) => {
    try {
      const answer = await fetch(address, { signal });
      await answer.body?.cancel();
      return answer.ok ? undefined : `it answered ${answer.status}`;
    } catch (error) {
      return reasonOf(error);
    }
  },
});

/** It has written output. */
const anyOutput = (hasWritten: () => boolean): Readiness => ({
  what: "it to print something",
  attempt: async () => (hasWritten() ? undefined : "it printed nothing"),
});

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
export interface EndOfSystem {
  readonly message: string;
  readonly seen: readonly string[];
}

/** Something else uses the address of the system under test, so an option is invalid. */
export class AddressTaken extends Error {
  override readonly name = "AddressTaken";

  constructor(readonly problem: Problem) {
    super(`${problem.path}: ${problem.message}`);
  }
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

/** How to find out that a system under test has come up; without addresses: by its output. */
interface ReadyOptions {
  /** The address of its webhook: its port takes connections. */
  readonly hook?: string | undefined;
  /** An address that answers with a success, checked instead of the hook. */
  readonly ready?: string | undefined;
  /** ms. */
  readonly readyWithin?: number | undefined;
  /** The caller handles SIGINT and SIGTERM, and stops it then. Default: they end this process and it. */
  readonly handlesSignals?: boolean;
}

/** The default of `--ready-within`, and how long it may take to stop, ms. */
const READY_WITHIN = 15_000;
const GONE_WITHIN = 2_000;
/** How long the last output of a program that failed may take to arrive, ms. */
const LAST_OUTPUT_MS = 50;
/** How much of its output is kept, the newest. */
const MAX_OUTPUT = 256 * 1024;

/** The time limit for connecting to an address that drops packets, ms. */
const TAKEN_WITHIN = 1_000;
/** The terminal was closed. */
const HANGUP = ["SIGHUP"];
/** How often a port is checked that a process being stopped may still use. */
const LOOKS = 10;
const BETWEEN_LOOKS_MS = 50;

/** Makes sure that nothing answers at an option's address, because it would be tested instead of the program. @throws AddressTaken */
async function refuseTaken(
  path: string,
  address: string,
  { attempt }: Readiness,
  command: string,
): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if ((await attempt(AbortSignal.timeout(TAKEN_WITHIN))) !== undefined) return;
    await sleep(BETWEEN_LOOKS_MS);
  }
  const message = `another program already answers at ${new URL(address).host}, where ${command} should answer: stop it, or use another port`;
  throw new AddressTaken({ path, message });
}

/** Starts a command in a shell and waits until it is ready. @throws NotReady, AddressTaken */
export async function startSystem(
  command: string,
  {
    env,
    hook,
    ready,
    readyWithin = READY_WITHIN,
    handlesSignals = false,
  }: ReadyOptions & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<SystemUnderTest> {
  if (hook !== undefined) await refuseTaken("--hook", hook, portOf(hook), command);
  if (ready !== undefined) await refuseTaken("--ready", ready, successAt(ready), command);
  const started = monotonicNow();
  const child = spawn(command, { shell: true, detached: true, env, stdio: ["ignore", "pipe", "pipe"] });
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
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
    });
  }
  // It has its own process group, so Ctrl+C in the terminal does not reach it.
  const onExit = () => signalGroup(child, "SIGKILL");
  const onSignal = (_signal: NodeJS.Signals, number: number) => process.exit(128 + number);
  process.once("exit", onExit);
  const signals = handlesSignals ? HANGUP : [...HANGUP, "SIGINT", "SIGTERM"];
  for (const signal of signals) process.once(signal, onSignal);
  let isStopping = false;
  const exited = new Promise<EndOfSystem>((resolve) => {
    void Promise.race([closed, failed]).then(() => {
      if (isStopping) return;
      const message = `${command} ended before the run did: ${end}`;
      resolve({ message, seen: lastLines(output) });
    });
  });
  const stop = async () => {
    isStopping = true;
    process.removeListener("exit", onExit);
    for (const signal of signals) process.removeListener(signal, onSignal);
    await stopGroup(child, closed);
  };
  const readiness =
    ready !== undefined
      ? successAt(ready)
      : hook !== undefined
        ? portOf(hook)
        : anyOutput(() => output !== "");
  const timeUp = AbortSignal.timeout(readyWithin);
  let why: string | undefined = NOT_TRIED;
  while (why !== undefined && !timeUp.aborted && end === undefined) {
    const failure = await readiness.attempt(timeUp);
    // A check cut off by the timeout says nothing about the program.
    if (!timeUp.aborted || failure === undefined || why === NOT_TRIED) why = failure;
    if (why !== undefined) await sleep(BETWEEN_TRIES);
  }
  const ended = end as string | undefined;
  if (why === undefined && ended === undefined)
    return { output: () => output, ended: () => end, exited, stop };
  const waited = durationText(Math.max(1, elapsedSince(started, 0)));
  await stop();
  const what = `the run waited for ${readiness.what}`;
  throw new NotReady(
    ended === undefined
      ? `${command} was not ready within ${durationText(readyWithin)} (--ready-within): ${what}; last seen: ${why}`
      : `${command} ended before it was ready: ${ended}, after ${waited} in which ${what}`,
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

const lastLines = (output: string): string[] => output.trimEnd().split("\n").slice(-MAX_LINES);
