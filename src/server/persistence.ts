/** What a simulator saves beyond its process, and what it loads from another: a data folder, a store, a bundle. */

import { readFile } from "node:fs/promises";
import { parseDocument } from "../kernel/document.js";
import { milliseconds } from "../kernel/duration.js";
import { reasonOf, SILENT } from "../kernel/errors.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { maskedAddress } from "../kernel/secrets.js";
import { sizeText } from "../kernel/size.js";
import type { MemoryBudget } from "../sandbox/memory.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import type { BundleContext } from "../storage/open-bundle.js";
import type { Ownership, OwnershipContext } from "../storage/ownership.js";
import type { Persistence } from "../storage/persistence.js";
import type { SimulatorOptions } from "./config/options.js";
import type { ReadOptions } from "./start.js";

const DEFAULT_IDLE = "10m";

/** The store that saves the sandboxes; undefined without one. @throws UnusableDocument */
export async function openPersistence({
  data,
  durability = "batched",
  logger = SILENT,
}: ReadOptions): Promise<Persistence | undefined> {
  if (data === undefined) return undefined;
  // Most simulators run in memory.
  const { Persistence } = await import("../storage/persistence.js");
  try {
    return await Persistence.open(data, durability, logger);
  } catch (error) {
    if (error instanceof UnusableDocument) throw error;
    throw unusableFolder(`cannot use ${maskedAddress(data)}: ${reasonOf(error)}`);
  }
}

/** Which process holds which sandbox; undefined if this one holds all. */
export async function ownershipOf(
  persistence: Persistence | undefined,
  { closeIdle = DEFAULT_IDLE }: ReadOptions,
  context: Omit<OwnershipContext, "persistence" | "idleMs">,
): Promise<Ownership | undefined> {
  const { leases } = persistence ?? {};
  if (persistence === undefined || leases === undefined) return undefined;
  // Most simulators do not share sandboxes.
  const { Ownership } = await import("../storage/ownership.js");
  return new Ownership(leases, { ...context, persistence, idleMs: milliseconds(closeIdle) });
}

/** The error of a `data` folder that cannot be used. */
export const unusableFolder = (message: string): UnusableDocument =>
  new UnusableDocument([problemAt(["data"], message)]);

/** The sandboxes of another process: the one in the bundle, or those in the store. @throws UnusableDocument */
export async function keptSandboxes(
  { bundle }: Pick<SimulatorOptions, "bundle">,
  persistence: Persistence | undefined,
  memory: MemoryBudget,
  context: BundleContext,
): Promise<KeptSandbox[] | undefined> {
  if (bundle === undefined) return persistence?.load(context);
  const unusable = (message: string) => new UnusableDocument([{ file: bundle, path: "", message }]);
  const text = await readFile(bundle, "utf8").catch((error: unknown) => {
    throw unusable(`cannot be read: ${reasonOf(error)}`);
  });
  const document = await parseDocument(text, { file: bundle });
  if (document.problems !== undefined) throw new UnusableDocument(document.problems);
  const { openBundle } = await import("../storage/open-bundle.js");
  const kept = openBundle(document, context);
  const { start, world, named } = kept.resumeState.states;
  const states = [start.state, world.snapshot(), ...[...named.values()].map(({ state }) => state)];
  const bytes = Math.max(...states.map((state) => state.bytes));
  if (bytes > memory.worldsLimit)
    throw unusable(
      `needs ${sizeText(bytes)} of memory, but worlds may use ${sizeText(memory.worldsLimit)}: raise --memory`,
    );
  return [kept];
}
