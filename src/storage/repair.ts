import { existsSync } from "node:fs";
import { join } from "node:path";
import { chunked } from "../kernel/chunked.js";
import { fromKeys } from "../kernel/objects.js";
import { UnusableDocument } from "../kernel/problems.js";
import { byName } from "../sandbox/registry.js";
import { FixtureLoader } from "../service/world/load.js";
import { COLLECTIONS } from "../service/world/records.js";
import { stateChunked } from "../service/world/state.js";
import { FolderStore } from "./folder-store.js";
import type { Stored } from "./port.js";
import { ADDRESS } from "./port.js";
import { resumeChunked } from "./resume.js";

/**
 * Saves what a damaged data folder still holds into a data folder inside it, and changes nothing else. Of each sandbox that is its
 * base document and the entries of its log up to the first that is missing.
 *
 * @returns what was saved and what is lost, a line each
 * @throws UnusableDocument where the folder is in use; the system's error
 */
export async function repairFolder(path: string): Promise<string[]> {
  if (ADDRESS.test(path)) throw unusable("works on folders only: use the server's own tools");
  if (!existsSync(join(path, "sandboxes"))) throw unusable(`there is no data in ${path}`);
  const damaged = await FolderStore.open(path, "strict", () => {});
  const target = freeFolder(path);
  const saved = await FolderStore.open(target, "batched", () => {});
  const lines: string[] = [];
  try {
    for (const id of (await damaged.list()).toSorted(byName)) {
      try {
        const { stored, lost } = await damaged.salvage(id);
        const entries = await usable(stored);
        await save(saved, id, { ...stored, entries });
        lines.push(`${id}: saved with ${entries.length} changes since its base document`);
        if (entries.length < stored.entries.length)
          lines.push(
            `  lost: ${stored.entries.length - entries.length} changes that do not match the document`,
          );
        for (const line of lost) lines.push(`  lost: ${line}`);
      } catch (error) {
        if (!(error instanceof UnusableDocument)) throw error;
        lines.push(`${id}: lost, ${error.message}`);
      }
    }
  } finally {
    await saved.close();
    await damaged.close();
  }
  return [...lines, `${path} is unchanged; start with --data ${target} to use what was saved`];
}

const EMPTY = fromKeys(COLLECTIONS, () => []);
const unusable = (message: string) => new UnusableDocument([{ path: "--data-repair", message }]);

function freeFolder(path: string): string {
  for (let n = 1; ; n += 1) {
    const folder = join(path, n === 1 ? "repaired" : `repaired-${n}`);
    if (!existsSync(folder)) return folder;
  }
}

/** The entries with which a sandbox can be opened: all, or none. @throws UnusableDocument where it cannot be without them either */
async function usable(stored: Stored): Promise<readonly unknown[]> {
  const loader = new FixtureLoader().ofStored;
  const common = await chunked(stateChunked(EMPTY));
  const tried = (entries: readonly unknown[]) =>
    chunked(resumeChunked({ ...stored, entries }, { loader, journalLimit: 1, common })).then(() => entries);
  return tried(stored.entries).catch(() => tried([]));
}

async function save(store: FolderStore, id: string, { base, entries }: Stored): Promise<void> {
  store.rotate(id);
  await store.compact(id, base as Record<string, unknown>);
  for (const entry of entries) await store.append(id, JSON.stringify(entry));
}
