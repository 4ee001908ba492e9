import { statSync } from "node:fs";
import { elapsedSince, monotonicNow, sleep } from "../kernel/realtime.js";

/** How long between two looks at the files, ms. */
const LOOK_MS = 150;
/** Files that have changed must stay as they are for so long: changes that come together are one. */
const SETTLING_MS = 50;
/** For so long at most: a file that is gone by then is gone for good, ms. */
const MAX_SETTLING_MS = 1_000;

/** What tells one version of a file from the next; undefined while it cannot be read. */
type Version = string | undefined;

/**
 * Looks at files from time to time: unlike the system's notifications this tells of changes on every file system, in
 * mounted folders and behind links, and of files that are replaced by others of their name, as many editors do.
 *
 * @example
 * const watch = new FileWatch(["fixtures/acme.json"]);
 * while ((await watch.changes(signal)).size > 0) load();
 */
export class FileWatch {
  #versions = new Map<string, Version>();

  constructor(files: Iterable<string>) {
    this.follow(files);
  }

  /** Watches these files and no others. A file that was watched before has changed if it did so in the meantime. */
  follow(files: Iterable<string>): void {
    const known = this.#versions;
    this.#versions = new Map(
      [...files].map((file) => [file, known.has(file) ? known.get(file) : versionOf(file)]),
    );
  }

  /** The files that are others than when they were last told of, as soon as there are any; none once the signal is aborted. */
  async changes(signal: AbortSignal): Promise<ReadonlySet<string>> {
    try {
      while (this.#changed().size === 0) await sleep(LOOK_MS, signal);
      const changed = await this.#settled(signal);
      for (const [file, version] of changed) this.#versions.set(file, version);
      return changed.size > 0 ? new Set(changed.keys()) : await this.changes(signal);
    } catch (error) {
      if (signal.aborted) return new Set();
      throw error;
    }
  }

  #changed(): Map<string, Version> {
    const now = [...this.#versions.keys()].map((file) => [file, versionOf(file)] as const);
    return new Map(now.filter(([file, version]) => version !== this.#versions.get(file)));
  }

  /** What has changed once nothing changes any more, and all files are there. */
  async #settled(signal: AbortSignal): Promise<ReadonlyMap<string, Version>> {
    const began = monotonicNow();
    for (let before = this.#changed(); ; ) {
      await sleep(SETTLING_MS, signal);
      const now = this.#changed();
      const isSettled = isSame(before, now) && ![...now.values()].includes(undefined);
      if (isSettled || elapsedSince(began, 0) > MAX_SETTLING_MS) return now;
      before = now;
    }
  }
}

const isSame = (one: ReadonlyMap<string, Version>, other: ReadonlyMap<string, Version>): boolean =>
  one.size === other.size && [...one].every(([file, version]) => other.get(file) === version);

function versionOf(file: string): Version {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return undefined;
  }
}
