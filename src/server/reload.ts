import { isDeepStrictEqual } from "node:util";
import type { Defaults, StartContext } from "../control/sandbox-maker.js";
import type { Logger } from "../kernel/errors.js";
import { keysOf, omitUndefined } from "../kernel/objects.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { LoadedStart, StartFiles } from "../sandbox/states.js";
import { LOADED_PARTS } from "../sandbox/states.js";
import type { SimulatorOptions } from "./config/options.js";
import { behaviourOf, checkStart, filesOf, loadState, refuseUnknownOptions } from "./start.js";

/** The parts of a start that can be reloaded. `behaviour`, `strict` and `set` belong together: omitted ones keep their value. */
export type LoadOptions = Pick<SimulatorOptions, "fixtures" | "behaviour" | "strict" | "set" | "faults">;

/** Those options, and which part each belongs to. */
const LOAD_OPTIONS = {
  fixtures: "fixtures",
  behaviour: "behaviour",
  strict: "behaviour",
  set: "behaviour",
  faults: "faults",
} as const satisfies Record<keyof LoadOptions, "fixtures" | "behaviour" | "faults">;

/** The default start of sandboxes, and the options that it was read from. */
interface CurrentStart {
  defaults: Defaults;
  options: LoadOptions;
}

interface LoadContext extends Omit<StartContext, "defaults"> {
  readonly current: CurrentStart;
  readonly registry: SandboxRegistry;
  readonly logger: Logger;
  readonly source: StartFiles | undefined;
  /** The simulator was closed. */
  readonly isOver: () => boolean;
}

/**
 * Reloads parts of the start: sandboxes without their own are reset to them, and later ones start with them.
 *
 * @returns what was reloaded: `fixtures`; `behaviour` and `faults` if they have changed
 * @throws UnusableDocument with all problems of the first part that has any, and Refusal if the change cannot be saved: then
 * nothing changes
 */
export async function reload(options: LoadOptions, context: LoadContext): Promise<readonly string[]> {
  const { current, registry, logger, source, isOver } = context;
  refuseUnknownOptions(options, keysOf(LOAD_OPTIONS));
  const all = { ...current.options, ...options };
  const read = await readParts(all, new Set(keysOf(options).map((name) => LOAD_OPTIONS[name])), context);
  const { defaults } = current;
  const parts = otherThan(defaults, read);
  const names = keysOf(parts).map((part) => LOADED_PARTS[part]);
  if (isOver() || names.length === 0) return [];
  const { state } = parts;
  if (state !== undefined) checkStart({ state }, registry.memory, takenBeside(defaults, registry));
  registry.default.log.check();
  current.options = { ...current.options, ...options };
  const isShipped = state === undefined ? defaults.isShipped : all.fixtures === undefined;
  current.defaults = { ...defaults, ...parts, isShipped, files: source?.files ?? defaults.files };
  const reached = [...registry.all()].filter((sandbox) => sandbox.load(parts, source).length > 0);
  // If it cannot be written now, the store reports that and keeps trying.
  await Promise.allSettled(reached.map(({ log }) => log.settled()));
  logger.info({ sandboxes: reached.length }, `reloaded: ${names.join(", ")}`);
  return names;
}

async function readParts(
  { fixtures, behaviour, strict, set, faults = [] }: LoadOptions,
  wanted: ReadonlySet<string>,
  { loader, checker }: LoadContext,
): Promise<LoadedStart> {
  const read = await filesOf({
    ...(wanted.has("behaviour") && omitUndefined({ behaviour, strict, set })),
    ...(wanted.has("faults") && { faults }),
  });
  return {
    ...(wanted.has("fixtures") && { state: await loadState(loader, fixtures) }),
    ...(wanted.has("behaviour") && { behaviour: behaviourOf(read, checker) }),
    ...(wanted.has("faults") && { faults: read.faults ?? [] }),
  };
}

const otherThan = (before: LoadedStart, parts: LoadedStart): LoadedStart =>
  Object.fromEntries(
    keysOf(parts)
      .filter((part) => part === "state" || !isDeepStrictEqual(parts[part], before[part]))
      .map((part) => [part, parts[part]]),
  );

/** The size of worlds besides a replaced state, which stays if a snapshot has it. */
function takenBeside({ state }: Defaults, registry: SandboxRegistry): number {
  const isKept = [...registry.all()].some(({ snapshots }) =>
    [...snapshots.values()].some(({ start }) => start === state),
  );
  return registry.memory.worlds - (isKept ? 0 : state.bytes);
}
