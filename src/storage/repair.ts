import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../kernel/errors.js";
import { fromKeys } from "../kernel/objects.js";
import { UnusableDocument } from "../kernel/problems.js";
import { chunked } from "../kernel/realtime.js";
import { byName } from "../sandbox/registry.js";
import { FixtureLoader } from "../service/world/load.js";
import { COLLECTIONS } from "../service/world/records.js";
import { stateChunked } from "../service/world/state.js";
import { FolderStore } from "./folder-store.js";
import { compareLogNames, salvageLog } from "./log-file.js";
import { ADDRESS, type Stored } from "./port.js";
import { resumeChunked } from "./resume.js";

/**
 * Saves what a damaged data folder still holds into a data folder inside it, and changes nothing else. Of each sandbox that is its
 * base document and the entries of its logs up to the first that is missing.
 *
 * @returns what was saved and what is lost, a line each
 * @throws UnusableDocument where the folder is in use; the system's error
 */
export async function repairFolder(path: string): Promise<string[]> {
  if (ADDRESS.test(path)) throw unusable("works on folders only: use the server's own tools");
  await stat(join(path, "sandboxes")).catch((error: unknown) => {
    throw hasCode(error, "ENOENT") ? unusable(`there is no data in ${path}`) : error;
  });
  const damaged = await FolderStore.open(path, "strict", () => {});
  const target = freeFolder(path);
  let saved: FolderStore | undefined;
  const lines: string[] = [];
  try {
    for (const id of (await damaged.list()).toSorted(byName)) {
      try {
        const { stored, lost } = await salvage(damaged, id);
        const entries = await usable(stored);
        saved ??= await FolderStore.open(target, "batched", () => {});
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
    for (const id of damaged.removed) lines.push(`${id}: was being deleted, and was not saved`);
    await saved?.close();
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  } finally {
    await damaged.close();
  }
  const use =
    saved === undefined ? "nothing can be saved" : `start with --data ${target} to use what was saved`;
  return [...lines, `${path} is unchanged; ${use}`];
}

/** The entries of all logs up to the first that is missing, and what is lost. @throws UnusableDocument if there is no document */
async function salvage(store: FolderStore, id: string): Promise<{ stored: Stored; lost: string[] }> {
  const { mark, kept, isChanged, logs, logPath } = await store.parts(id);
  const texts = new Map<number, string>();
  const damages: { readonly begins: number; readonly message?: string }[] = [];
  let [newest, named] = [mark.after, mark.isNumbered ? [mark.log] : []];
  for (const name of logs) {
    const path = logPath(name);
    named = named.filter((one) => compareLogNames(one, name) !== 0);
    try {
      const { entries, begins, next, damagedAt } = await salvageLog(path, newest + 1, mark);
      // What an earlier log has from here on was never acknowledged.
      for (const seq of texts.keys()) if (seq >= begins) texts.delete(seq);
      for (const [seq, text] of entries) {
        texts.set(seq, text);
        newest = Math.max(newest, seq);
      }
      if (next !== undefined) named.push(next);
      damages.push({ begins, ...(damagedAt && { message: `${path}:${damagedAt}:1  is damaged here` }) });
    } catch (error) {
      if (!(error instanceof UnusableDocument)) throw error;
      damages.push({ begins: Number.POSITIVE_INFINITY, message: error.message });
    }
  }
  const entries: unknown[] = [];
  const nextText = () => texts.get(mark.after + entries.length + 1);
  for (let text = nextText(); text !== undefined; text = nextText()) entries.push(JSON.parse(text));
  const last = mark.after + entries.length;
  // Nothing is lost in a log if a later one continues what is there.
  const isWhole = (at: number) => damages.slice(at + 1).some(({ begins }) => begins <= last + 1);
  const lost = damages.flatMap(({ message }, at) => (message === undefined || isWhole(at) ? [] : [message]));
  for (const name of named) lost.push(`${logPath(name)}  is missing`);
  if (newest > last) lost.push(`at least ${newest - last} changes after the saved ones`);
  if (isChanged) lost.unshift(`${kept.name}: its checksum does not match; it is used as it is`);
  return { stored: { ...kept, entries }, lost };
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
