import { link, readFile, readlink, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { hasCode } from "../kernel/errors.js";
import { isObject } from "../kernel/json.js";
import { UnusableDocument } from "../kernel/problems.js";
import { secretToken } from "../kernel/random.js";
import { isoOf, later, monotonicNow, sleep, wallNow } from "../kernel/realtime.js";
import { refuseSpecialFile } from "./document-file.js";

/** How often a holder shows that it is alive, ms. */
const BEAT_MS = 2_000;
/** A holder on another machine or in another container without a sign of life for this long is considered gone, ms. */
const SILENCE_MS = 3 * BEAT_MS;
/** How often such a lock is checked meanwhile, ms. */
const LOOK_MS = 100;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The namespace of the process id: containers with the same host name have their own. Null if unknown. */
  readonly numbering: string | null;
  /** When the process started, in the system's units; null if unknown. */
  readonly born: string | null;
  readonly since: string;
  readonly id: string;
  /** The fencing number: greater than that of any earlier holder. Missing in locks of older versions. */
  readonly fence?: number;
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
  /** When the last successful check of the lock began, of monotonic time, ms. */
  provenAt = monotonicNow();
  readonly fence: number;
  #isReleased = false;
  #newOwner: Error | undefined;
  #look: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | undefined;

  private constructor(
    private readonly path: string,
    private readonly holder: Holder,
    private readonly highest: () => Promise<number>,
  ) {
    this.fence = holder.fence ?? 0;
    this.#showLife();
  }

  /**
   * Takes the lock of a folder. If its holder is gone, the lock is taken over: at once if that was a process of this machine, and
   * after some seconds without a sign of life if it was on another machine or in another container. `highest` is the highest
   * fencing number in the names of the folder's files.
   *
   * @throws UnusableDocument naming the holder; the system error
   */
  static async take(folder: string, highest: () => Promise<number>): Promise<FolderLock> {
    const path = join(folder, "lock");
    let before = 0;
    for (;;) {
      const fence = Math.max(before, await highest()) + 1;
      const holder: Holder = {
        pid: process.pid,
        host: hostname(),
        numbering: await ownPidNamespace(),
        born: (await statusOf(process.pid)).startTime,
        since: isoOf(wallNow()),
        id: secretToken(),
        fence,
      };
      if (!(await isWritten(path, holder))) before = Math.max(before, await makeWay(folder, path));
      else if ((await highest()) < fence) return new FolderLock(path, holder, highest);
      else await rm(path, { force: true });
    }
  }

  get isLost(): boolean {
    return this.#newOwner !== undefined;
  }

  /** @throws Error if another process is known to have taken the lock over */
  check(): void {
    if (this.#newOwner !== undefined) throw this.#newOwner;
  }

  /** Resolves when a check that began after this call has confirmed that the lock is ours. @throws Error if it is not */
  prove(): Promise<void> {
    const before = this.#look.catch(() => {});
    this.#nextLook ??= before.then(() => {
      // Later calls need another check.
      this.#look = this.#nextLook ?? this.#look;
      this.#nextLook = undefined;
      return this.#prove();
    });
    return this.#nextLook;
  }

  async #prove(): Promise<void> {
    this.check();
    const began = monotonicNow();
    let found = await read(this.path);
    // A check may end after the folder is closed.
    if (this.#isReleased) return;
    // If it was deleted, it is ours as long as nobody has used the folder since.
    if (found === undefined && (await this.highest()) <= this.fence)
      found = (await isWritten(this.path, this.holder)) ? this.holder : await read(this.path);
    if (found?.id !== this.holder.id) {
      const who = found === undefined ? "another process" : `process ${found.pid} on ${found.host}`;
      const error = new Error(`${who} has taken over the folder: stop this one`);
      if (found !== undefined) this.#newOwner = error;
      throw error;
    }
    this.provenAt = began;
  }

  /** Shows other machines that the holder is alive, until the lock is released: writing the last changes may take long. */
  #showLife(): void {
    const show = async () => {
      if (this.#isReleased) return;
      const seconds = wallNow() / 1000;
      // A folder that cannot be written is reported when changes are written.
      await this.prove()
        .then(() => utimes(this.path, seconds, seconds))
        .catch(() => {});
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

const read = async (path: string): Promise<Holder | undefined> => {
  try {
    refuseSpecialFile(path, await stat(path));
    const holder: unknown = JSON.parse(await readFile(path, "utf8"));
    return isObject(holder) ? (holder as unknown as Holder) : undefined;
  } catch {
    return undefined;
  }
};

/** Removes a lock whose holder is gone. @returns its fencing number @throws UnusableDocument if the holder is alive */
async function makeWay(folder: string, path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined) refuseSpecialFile(path, found);
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
    return 0;
  }
  const taken = await read(stale);
  // Another process took the lock over in the meantime, so it is given back.
  if (taken?.id !== holder?.id) await isLinked(stale, path);
  await rm(stale, { force: true });
  return taken?.fence ?? 0;
}

async function isInUse({ pid, host, numbering, born }: Holder, path: string): Promise<boolean> {
  if (host !== hostname() || numbering !== (await ownPidNamespace())) return showsLife(path);
  if (!isAlive(pid)) return false;
  const status = await statusOf(pid);
  // A zombie keeps its id until its parent waits for it, and some parents never do.
  return status.state !== "Z" && status.startTime === born;
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
