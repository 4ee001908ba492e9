import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { sleep } from "../kernel/realtime.js";

/** The interval between checks of the files, ms. */
const LOOK_MS = 75;
/** A file missing for this many checks was deleted; for fewer, it is being replaced. */
const MAX_LOOKS_GONE = 10;

/** Identifies a version of a file; undefined while it cannot be read. */
type Version = string | undefined;

/**
 * Polls files: unlike system notifications, this detects changes on every file system, in mounted folders and behind links, and
 * files that are replaced by others of the same name, as many editors do.
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

  /** Watches exactly these files. A file that was watched before counts as changed if it has changed in the meantime. */
  follow(files: Iterable<string>): void {
    const known = this.#versions;
    this.#versions = new Map(
      [...files].map((file) => [file, known.has(file) ? known.get(file) : versionOf(file)]),
    );
  }

  /**
   * The files that have changed since the last call, as soon as two checks find the same: changes in quick succession are
   * reported once. Empty once the signal is aborted.
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
