import { milliseconds } from "../kernel/duration.js";
import { SILENT } from "../kernel/logger.js";
import { maskedAddress } from "../kernel/masking.js";
import { reasonOf } from "../kernel/os-errors.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import type { Ownership, OwnershipContext } from "../storage/ownership.js";
import type { Persistence } from "../storage/persistence.js";
import type { ReadOptions } from "./files.js";

const DEFAULT_IDLE = "10m";

/** What keeps the sandboxes beyond the process; undefined where nothing does. @throws UnusableDocument */
export async function openPersistence({
  data,
  durability = "batched",
  logger = SILENT,
}: ReadOptions): Promise<Persistence | undefined> {
  if (data === undefined) return undefined;
  // Most simulators keep nothing.
  const { Persistence } = await import("../storage/persistence.js");
  try {
    return await Persistence.open(data, durability, logger);
  } catch (error) {
    if (error instanceof UnusableDocument) throw error;
    throw unusableFolder(`cannot use ${maskedAddress(data)}: ${reasonOf(error)}`);
  }
}

/** Which process has which sandbox; undefined where this one has all. */
export async function ownershipOf(
  persistence: Persistence | undefined,
  { closeIdle = DEFAULT_IDLE }: ReadOptions,
  context: Omit<OwnershipContext, "persistence" | "idleMs">,
): Promise<Ownership | undefined> {
  const { leases } = persistence ?? {};
  if (persistence === undefined || leases === undefined) return undefined;
  // Most simulators share nothing.
  const { Ownership } = await import("../storage/ownership.js");
  return new Ownership(leases, { ...context, persistence, idleMs: milliseconds(closeIdle) });
}

/** What says that the folder of `data` cannot be used. */
export const unusableFolder = (message: string): UnusableDocument =>
  new UnusableDocument([problemAt(["data"], message)]);
