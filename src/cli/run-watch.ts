import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { later } from "../kernel/realtime.js";

/** How long after a change others may follow that belong to it, ms. */
const SETTLING = 50;

/** Resolves with true when one of the files has changed, with false when the process is asked to end. */
export function waitForChange(files: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const names = new Map<string, Set<string>>();
    for (const file of files) {
      const folder = dirname(file);
      names.set(folder, (names.get(folder) ?? new Set()).add(basename(file)));
    }
    // Folders are watched, not files: many editors write a new file and rename it.
    const watchers = [...names].map(([folder, known]) =>
      watch(folder, (_event, name) => {
        if (name !== null && known.has(name)) later(SETTLING, () => end(true));
      }),
    );
    const onSignal = () => end(false);
    const end = (changed: boolean) => {
      for (const watcher of watchers) watcher.close();
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, onSignal);
      resolve(changed);
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, onSignal);
  });
}
