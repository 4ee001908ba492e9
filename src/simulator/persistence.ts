import { SILENT } from "../kernel/logger.js";
import { reasonOf } from "../kernel/os-errors.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import type { Persistence } from "../persistence/persistence.js";
import type { ReadOptions } from "./files.js";

/** What keeps the sandboxes beyond the process; undefined where nothing does. @throws UnusableDocument */
export async function openPersistence({
  data,
  durability = "batched",
  logger = SILENT,
}: ReadOptions): Promise<Persistence | undefined> {
  if (data === undefined) return undefined;
  // Most simulators keep nothing.
  const { Persistence } = await import("../persistence/persistence.js");
  try {
    return await Persistence.open(data, durability, logger);
  } catch (error) {
    if (error instanceof UnusableDocument) throw error;
    throw unusableFolder(`cannot use ${data}: ${reasonOf(error)}`);
  }
}

/** What says that the folder of `data` cannot be used. */
export const unusableFolder = (message: string): UnusableDocument =>
  new UnusableDocument([problemAt(["data"], message)]);
