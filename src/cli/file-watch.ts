import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { sleep } from "../kernel/realtime.js";

/** How long between two looks at the files, ms. */
const LOOK_MS = 75;
/** A file that is gone for so many looks is gone for good; less often it is being replaced. */
const MAX_LOOKS_GONE = 10;

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

  /**
   * The files that are others than when they were last told of, as soon as two looks find the same: changes that come together
   * are one. None once the signal is aborted.
   */
  async changes(signal: AbortSignal): Promise<ReadonlySet<string>> {
    let before = this.#changed();
    for (let looksGone = 0; ; ) {
      try {
        await sleep(LOOK_MS, signal);
      } catch {
        return new Set();
      }
      const now = this.#changed();
      looksGone = [...now.values()].includes(undefined) ? looksGone + 1 : 0;
      const isSettled = isDeepStrictEqual(now, before) && (looksGone === 0 || looksGone > MAX_LOOKS_GONE);
      before = now;
      if (now.size === 0 || !isSettled) continue;
      for (const [file, version] of now) this.#versions.set(file, version);
      return new Set(now.keys());
    }
  }

  #changed(): Map<string, Version> {
    const now = [...this.#versions.keys()].map((file) => [file, versionOf(file)] as const);
    return new Map(now.filter(([file, version]) => version !== this.#versions.get(file)));
  }
}

function versionOf(file: string): Version {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return undefined;
  }
}
