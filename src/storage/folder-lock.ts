import { readFileSync } from "node:fs";
import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { hasCode, reasonOf } from "../kernel/errors.js";
import { isObject } from "../kernel/json.js";
import { UnusableDocument } from "../kernel/problems.js";
import { secretToken } from "../kernel/random.js";
import { isoOf, later, monotonicNow, sleep, wallNow } from "../kernel/realtime.js";

/** How often a holder shows that it is alive, ms. */
const BEAT_MS = 2_000;
/** A holder on another machine or in another container without a sign of life for this long is considered gone, ms. */
const SILENCE_MS = 3 * BEAT_MS;
/** How often such a lock is checked meanwhile, ms. */
const LOOK_MS = 100;
/** A look at the own lock holds for this long: a process that was stopped for longer looks again before it acknowledges, ms. */
const SEEN_MS = 200;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The namespace of the process id: containers with the same host name have their own. Null if unknown. */
  readonly pidNamespace: string | null;
  /** When the process started, in the system's units; null if unknown. */
  readonly startTime: string | null;
  readonly since: string;
  readonly id: string;
}

/** The state of a process, and when it started, in ticks since boot, which distinguishes processes that reuse an id. Null if unknown. */
async function statusOf(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The program's name, in parentheses, may contain anything; the state follows, and the start time is 19 fields later.
  const { 0: state = null, 19: startTime = null } = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state, startTime };
}

const ownPidNamespace = (): Promise<string | null> => readlink("/proc/self/ns/pid").catch(() => null);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

export class FolderLock {
  #seenAt = Number.NEGATIVE_INFINITY;
  #isReleased = false;

  private constructor(
    private readonly path: string,
    private readonly holder: Holder,
  ) {
    this.#showLife();
  }

  /**
   * Takes the lock of a folder. If its holder is gone, the lock is taken over: at once if that was a process of this machine, and
   * after some seconds without a sign of life if it was on another machine or in another container.
   *
   * @throws UnusableDocument naming the holder; the system error
   */
  static async take(folder: string): Promise<FolderLock> {
    const path = join(folder, "lock");
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      pidNamespace: await ownPidNamespace(),
      startTime: (await statusOf(process.pid)).startTime,
      since: isoOf(wallNow()),
      id: secretToken(),
    };
    while (!(await isWritten(path, holder))) await makeWay(folder, path);
    return new FolderLock(path, holder);
  }

  /** Tells its holder from all others. */
  get id(): string {
    return this.holder.id;
  }

  /** Looks whose lock it is, and waits for the disk, which is short. @throws Error unless it is ours */
  look(): void {
    if (this.#isReleased) return;
    let text = "";
    try {
      text = readFileSync(this.path, "utf8");
    } catch (error) {
      throw new Error(`${this.path} was removed, and another process may use the folder: ${reasonOf(error)}`);
    }
    const found = parsed(text);
    if (found?.id !== this.holder.id) {
      const who = found === undefined ? "another process" : `process ${found.pid} on ${found.host}`;
      throw new Error(`${who} has taken over the folder: stop this one`);
    }
    this.#seenAt = monotonicNow();
  }

  /** The same, unless it was looked at just now. */
  check(): void {
    if (monotonicNow() - this.#seenAt > SEEN_MS) this.look();
  }

  /** Shows other machines that the holder is alive, until the lock is released: writing the last changes may take long. */
  #showLife(): void {
    const show = async () => {
      if (this.#isReleased) return;
      try {
        this.look();
        const seconds = wallNow() / 1000;
        await utimes(this.path, seconds, seconds);
      } catch {
        // A folder that cannot be used is reported when changes are written.
      }
      this.#showLife();
    };
    later(BEAT_MS, show, { background: true });
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    if ((await read(this.path))?.id === this.holder.id) await rm(this.path, { force: true });
  }
}

/** Creates the lock, whole; false if there is one. */
async function isWritten(path: string, holder: Holder): Promise<boolean> {
  const own = `${path}.${holder.id}`;
  try {
    await writeFile(own, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    return await isLinked(own, path);
  } finally {
    await rm(own, { force: true });
  }
}

async function isLinked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}

function parsed(text: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(text);
    return isObject(holder) ? (holder as unknown as Holder) : undefined;
  } catch {
    return undefined;
  }
}

const read = (path: string): Promise<Holder | undefined> =>
  readFile(path, "utf8").then(parsed, () => undefined);

/** Removes a lock whose holder is gone. @throws UnusableDocument if the holder is alive */
async function makeWay(folder: string, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === false)
    throw new UnusableDocument([{ file: path, path: "", message: "must be a file: move it away" }]);
  const holder = await read(path);
  if (holder !== undefined && (await isInUse(holder, path))) {
    const { pid, host, since } = holder;
    const message = `the folder ${folder} is in use by process ${pid} on ${host} since ${since}: stop that one, or use another folder`;
    throw new UnusableDocument([{ file: path, path: "", message }]);
  }
  const stale = `${path}.${secretToken()}`;
  try {
    await rename(path, stale);
  } catch {
    // Another process was quicker.
    return;
  }
  const taken = await read(stale);
  // Another process took the lock over in the meantime, so it is given back.
  if (taken?.id !== holder?.id) await isLinked(stale, path);
  await rm(stale, { force: true });
}

async function isInUse({ pid, host, pidNamespace, startTime }: Holder, path: string): Promise<boolean> {
  if (host !== hostname() || pidNamespace !== (await ownPidNamespace())) return showsLife(path);
  if (!isAlive(pid)) return false;
  const status = await statusOf(pid);
  // A zombie keeps its id until its parent waits for it, and some parents never do.
  return status.state !== "Z" && status.startTime === startTime;
}

/** Observes the lock of another machine or container for a while. */
async function showsLife(path: string): Promise<boolean> {
  const lastSign = () =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
  const seen = await lastSign();
  for (const began = monotonicNow(); monotonicNow() - began < SILENCE_MS; ) {
    await sleep(LOOK_MS);
    const sign = await lastSign();
    if (sign !== seen) return sign !== undefined;
  }
  return false;
}
