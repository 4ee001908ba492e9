/** The files that commands read, write and watch. */

import { statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type ParsedDocument, parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/errors.js";
import { isKeyOf } from "../kernel/objects.js";
import { type Problem, UnusableDocument } from "../kernel/problems.js";
import { sleep } from "../kernel/realtime.js";
import { refused } from "./command.js";
import type { Terminal } from "./terminal.js";

/** @throws UnusableDocument */
const readText = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((error) => {
    throw new UnusableDocument([{ file, path: "", message: `cannot be read: ${reasonOf(error)}` }]);
  });

/** Reads a JSON or YAML file, or reports why it cannot be read. */
export async function readDocument(
  file: string,
): Promise<ParsedDocument | { readonly problems: readonly Problem[] }> {
  try {
    return await parseDocument(await readText(file), { file });
  } catch (error) {
    if (error instanceof UnusableDocument) return { problems: error.problems };
    throw error;
  }
}

/** Prints a report, or writes it to the file in an option, with its folder. @throws UnusableDocument */
export async function printOrWrite(
  text: string,
  file: string | undefined,
  { out }: Terminal,
  option = "--out",
): Promise<void> {
  if (file === undefined) return out(text);
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    refused(`cannot write the report to ${file}: ${reasonOf(error)}`, option);
  }
}

const REPORTER_OF: Readonly<Record<string, string>> = {
  ".json": "json",
  ".md": "markdown",
  ".tap": "tap",
  ".xml": "junit",
};

/** The reporter for a file's extension; `pretty` if there is none. */
export function reporterNamed<R extends { readonly pretty: unknown }>(reporters: R, file?: string): keyof R {
  const name = file === undefined ? undefined : REPORTER_OF[extname(file)];
  return name !== undefined && isKeyOf(reporters, name) ? name : "pretty";
}

/** The interval between checks of the files, ms. */
const LOOK_MS = 75;

/** Identifies a version of a file; undefined while it cannot be read. */
type Version = string | undefined;

/**
 * Polls files: unlike system notifications, this detects changes on every file system, in mounted folders and behind links, and
 * files that are replaced by others of the same name, as many editors do. A missing file has not changed until it is back.
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
    for (let before = this.#changed(); ; ) {
      try {
        await sleep(LOOK_MS, signal);
      } catch {
        return new Set();
      }
      const now = this.#changed();
      const isSettled = isDeepStrictEqual(now, before);
      before = now;
      if (now.size === 0 || !isSettled) continue;
      for (const [file, version] of now) this.#versions.set(file, version);
      return new Set(now.keys());
    }
  }

  #changed(): Map<string, Version> {
    const now = [...this.#versions.keys()].map((file) => [file, versionOf(file)] as const);
    return new Map(
      now.filter(([file, version]) => version !== undefined && version !== this.#versions.get(file)),
    );
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
