import { readFile } from "node:fs/promises";
import { chunked } from "../kernel/chunked.js";
import { parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { sizeText } from "../kernel/size.js";
import type { MemoryBudget } from "../sandbox/memory.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { BundleContext } from "../storage/open-bundle.js";
import type { Persistence } from "../storage/persistence.js";
import type { SimulatorOptions } from "./options.js";

/** One document that shows all of a sandbox as it stands now. */
export async function bundleOf(sandbox: Sandbox): Promise<Readonly<Record<string, unknown>>> {
  // Most simulators take none.
  const { takeBundle } = await import("../storage/bundle.js");
  return chunked(takeBundle(sandbox)());
}

/** @throws UnusableDocument where options stand beside a bundle that say the same otherwise */
export function refuseBesideBundle({ bundle, fixtures, data }: SimulatorOptions): void {
  if (bundle === undefined) return;
  const problems: Problem[] = [];
  if (fixtures !== undefined)
    problems.push(problemAt(["fixtures"], "cannot stand beside a bundle, which holds its own state"));
  if (data !== undefined)
    problems.push(problemAt(["data"], "cannot stand beside a bundle, which is looked at and not kept"));
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
  const { openBundleInSteps } = await import("../storage/open-bundle.js");
  const kept = await chunked(openBundleInSteps(document, context));
  const { start, world, named } = kept.position.states;
  const states = [start.state, world.snapshot(), ...[...named.values()].map(({ state }) => state)];
  const bytes = Math.max(...states.map((state) => state.bytes));
  if (bytes > memory.worldsLimit)
    throw unusable(
      `needs ${sizeText(bytes)} of memory, and worlds may take ${sizeText(memory.worldsLimit)}: give more with --memory`,
    );
  return [kept];
}
