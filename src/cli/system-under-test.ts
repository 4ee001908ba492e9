/** A system under test that the run starts and stops (`--exec`). */
import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { later, monotonicNow, sleep } from "../kernel/realtime.js";

/** The system under test did not come up; with what it wrote. */
export class NotReady extends Error {
  override readonly name = "NotReady";

  constructor(
    message: string,
    readonly output: string,
  ) {
    super(message);
  }
}

export interface SystemUnderTest {
  /** What it has written so far, to either stream. */
  readonly output: () => string;
  /** Ends it, with every process that it has started. */
  readonly stop: () => Promise<void>;
}

/** How long it may take to come up, and to go when it is asked to, ms. */
const READY_WITHIN = 15_000;
const GONE_WITHIN = 2_000;
const BETWEEN_TRIES = 20;
/** No more of its output is kept than this, the newest. */
const MAX_OUTPUT = 256 * 1024;

/**
 * Starts a command in a shell and waits until it is ready: until the port of its hook takes connections, or without a
 * hook until it writes something.
 *
 * @throws NotReady
 */
export async function startSystem(
  command: string,
  {
    hook,
    env,
  }: { readonly hook: string | undefined; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<SystemUnderTest> {
  const child = spawn(command, { shell: true, detached: true, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let exit: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      exit = error.message;
      resolve();
    });
    child.once("exit", (code, signal) => {
      exit = signal === null ? `exit code ${code}` : signal;
      resolve();
    });
  });
  // Its streams close when the last process that holds them is gone: the shell's children may outlive the shell.
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const wrote = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-MAX_OUTPUT);
        resolve();
      });
    }
  });
  // It is in a process group of its own, so a Ctrl+C in the terminal does not reach it.
  const onExit = () => signalGroup(child, "SIGKILL");
  const onSignal = (_signal: NodeJS.Signals, number: number) => process.exit(128 + number);
  process.once("exit", onExit).once("SIGINT", onSignal).once("SIGTERM", onSignal);
  const stop = async () => {
    process.removeListener("exit", onExit);
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, onSignal);
    await stopGroup(child, closed);
  };
  const isReady =
    hook === undefined
      ? await within(READY_WITHIN, Promise.race([wrote, ended]))
      : await accepts(hook, () => exit);
  if (isReady && (hook === undefined || exit === undefined)) return { output: () => output, stop };
  await stop();
  const why =
    exit === undefined ? `was not ready within ${READY_WITHIN} ms` : `ended before it was ready: ${exit}`;
  throw new NotReady(`${command} ${why}`, output);
}

/** Whether the port of an address takes connections before the time is up or the process ends. */
async function accepts(address: string, exit: () => string | undefined): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const deadline = monotonicNow() + READY_WITHIN;
  while (monotonicNow() < deadline && exit() === undefined) {
    if (await connects(hostname.replace(/^\[|\]$/g, ""), Number(port || (protocol === "https:" ? 443 : 80))))
      return true;
    await sleep(BETWEEN_TRIES);
  }
  return false;
}

const connects = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });

/** Whether something happens in time. */
const within = (ms: number, happens: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = later(ms, () => resolve(false));
    void happens.then(() => {
      timer.cancel();
      resolve(true);
    });
  });

async function stopGroup(child: ChildProcess, closed: Promise<void>): Promise<void> {
  signalGroup(child, "SIGTERM");
  await within(GONE_WITHIN, closed);
  signalGroup(child, "SIGKILL");
  await within(GONE_WITHIN, closed);
  // What left the group and still holds the streams must not keep this process alive.
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
