/** What a simulator keeps beyond its process, and what it takes over from another one: a data folder, a store, a bundle. */

import { readFile } from "node:fs/promises";
import { chunked } from "../kernel/chunked.js";
import { parseDocument } from "../kernel/document.js";
import { milliseconds } from "../kernel/duration.js";
import { reasonOf, SILENT } from "../kernel/errors.js";
import { maskedAddress } from "../kernel/masking.js";
import { type Problem, problemAt, UnusableDocument } from "../kernel/problems.js";
import { sizeText } from "../kernel/size.js";
import type { MemoryBudget } from "../sandbox/memory.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import type { BundleContext } from "../storage/open-bundle.js";
import type { Ownership, OwnershipContext } from "../storage/ownership.js";
import type { Persistence } from "../storage/persistence.js";
import type { SimulatorOptions } from "./config/options.js";
import type { ReadOptions } from "./start.js";

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

/** @throws UnusableDocument where options stand beside a bundle that say the same otherwise */
export function refuseBesideBundle({ bundle, fixtures, data }: SimulatorOptions): void {
  if (bundle === undefined) return;
  const problems: Problem[] = [];
  if (fixtures !== undefined)
    problems.push(problemAt(["fixtures"], "cannot be combined with a bundle, which has its own state"));
  if (data !== undefined)
    problems.push(problemAt(["data"], "cannot be combined with a bundle, which is never saved"));
  if (problems.length > 0) throw new UnusableDocument(problems);
}

/** The sandboxes of another process: the one of the bundle, or those of the store. @throws UnusableDocument */
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
  const { openBundleChunked } = await import("../storage/open-bundle.js");
  const kept = await chunked(openBundleChunked(document, context));
  const { start, world, named } = kept.resumeState.states;
  const states = [start.state, world.snapshot(), ...[...named.values()].map(({ state }) => state)];
  const bytes = Math.max(...states.map((state) => state.bytes));
  if (bytes > memory.worldsLimit)
    throw unusable(
      `needs ${sizeText(bytes)} of memory, but worlds may use ${sizeText(memory.worldsLimit)}: raise --memory`,
    );
  return [kept];
}
