/** From the options of a simulator to the start of its sandboxes. */

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { instantIn } from "../control/inputs.js";
import { type Defaults, loaderFor, type StartContext } from "../control/sandbox-maker.js";
import { type Logger, reasonOf } from "../kernel/errors.js";
import { keyProblemAt, problemAt, UnusableDocument, under } from "../kernel/problems.js";
import { seedOf } from "../kernel/random.js";
import { unknownKey } from "../kernel/words.js";
import type { FaultInput } from "../sandbox/faults.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { LoadedStart } from "../sandbox/states.js";
import type { BehaviourChecker } from "../service/behaviour/check.js";
import { type BehaviourValues, PROFILES, STRICT } from "../service/behaviour/table.js";
import type { FixtureLoader } from "../service/world/load.js";
import type { FixtureInput } from "../service/world/records.js";
import { stateOf, type WorldState } from "../service/world/state.js";
import { checkFaults, isProfile, noProfile } from "./config/files.js";
import { DEFAULT_JOURNAL_LIMIT, LIBRARY_OPTIONS, type SimulatorOptions } from "./config/options.js";

/** @throws UnusableDocument naming every unknown option */
export function refuseUnknownOptions(options: object): void {
  const problems = Object.keys(options)
    .filter((name) => !LIBRARY_OPTIONS.includes(name))
    .map((name) => keyProblemAt([name], unknownKey("option", name, LIBRARY_OPTIONS)));
  if (problems.length > 0) throw new UnusableDocument(problems);
}

/** Reads the options that a world starts from. @throws UnusableDocument with every problem of the first part that has any */
export async function startOf(
  options: SimulatorOptions,
  loader: FixtureLoader,
  checker: BehaviourChecker,
): Promise<Defaults> {
  const behaviour = behaviourOf(options, checker);
  return {
    state: await loadState(loaderFor(behaviour, loader), options.fixtures),
    isShipped: options.fixtures === undefined,
    behaviour,
    seed: seedOf(options.seed ?? 1),
    clock: clockOf(options.clock),
    faults: faultsOf(options.faults),
    journalLimit: options.journalLimit ?? DEFAULT_JOURNAL_LIMIT,
  };
}

/** A built-in fixture: that of a start without options, or `empty`. The tests validate them, so that a start need not. */
export const shippedFixture = async (name: "default" | "empty" = "default"): Promise<FixtureInput> =>
  JSON.parse(await readFile(fileURLToPath(new URL(`../../fixtures/${name}.json`, import.meta.url)), "utf8"));

async function loadState(loader: FixtureLoader, fixtures: SimulatorOptions["fixtures"]): Promise<WorldState> {
  if (fixtures === undefined || fixtures === "empty")
    return stateOf(loader.loadTrusted(await shippedFixture(fixtures)));
  const loaded =
    typeof fixtures === "string"
      ? await loader.readFixtureText(textOf(fixtures), fixtures)
      : loader.loadFixture(fixtures);
  if (loaded.problems !== undefined) throw new UnusableDocument(loaded.problems);
  return stateOf(loaded.document);
}

/** Reads the file at once: reading it in chunks would keep it in memory twice until it is parsed. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UnusableDocument([{ file, path: "", message: `cannot be read: ${reasonOf(error)}` }]);
  }
}

/** Profile or values, then `strict`, then single values: later ones win. */
function behaviourOf(
  { behaviour = "documented", strict = false, set = {} }: SimulatorOptions,
  checker: BehaviourChecker,
): Partial<BehaviourValues> {
  const checked = (input: object) => {
    const { values, problems } = checker.check(input);
    if (problems !== undefined) throw new UnusableDocument(problems);
    return values;
  };
  const isName = typeof behaviour === "string";
  if (isName && !isProfile(behaviour))
    throw new UnusableDocument([problemAt(["behaviour"], `"${behaviour}" is ${noProfile(behaviour)}`)]);
  const base = isName ? PROFILES[behaviour] : checked(behaviour);
  return { ...base, ...(strict ? STRICT : {}), ...checked(set) };
}

function faultsOf(given: readonly FaultInput[] = []): readonly FaultInput[] {
  if (given.length === 0) return given;
  const { faults, problems } = checkFaults(given);
  if (problems.length > 0) throw new UnusableDocument(problems.map((one) => under(["faults"], one)));
  return faults;
}

function clockOf(clock: string | number | undefined): number | undefined {
  if (clock === undefined) return undefined;
  const instant = instantIn(clock, "clock");
  if (typeof instant === "object") throw new UnusableDocument([instant]);
  return instant;
}

/** What is reloaded: the fixture if it is given, and the behaviour as a whole. */
export type LoadOptions = Pick<SimulatorOptions, "fixtures" | "behaviour" | "strict" | "set">;

interface LoadContext extends Omit<StartContext, "defaults"> {
  /** The default start of sandboxes. */
  readonly current: { defaults: Defaults };
  readonly registry: SandboxRegistry;
  readonly logger: Logger;
  /** The simulator was closed. */
  readonly isOver: () => boolean;
}

/**
 * Reloads parts of the start: sandboxes without their own are reset to them, and later ones start with them.
 *
 * @returns what was reloaded: `fixtures`; `behaviour` if it has changed
 * @throws UnusableDocument with all problems of the first part that has any, and Refusal if the change cannot be saved: then
 * nothing changes
 */
export async function reload(options: LoadOptions, context: LoadContext): Promise<readonly string[]> {
  const { current, registry, loader, checker, logger, isOver } = context;
  const behaviour = behaviourOf(options, checker);
  const { fixtures } = options;
  const state = fixtures === undefined ? undefined : await loadState(loaderFor(behaviour, loader), fixtures);
  const { defaults } = current;
  const isOther = !isDeepStrictEqual(behaviour, defaults.behaviour);
  const parts: LoadedStart = { ...(state && { state }), ...(isOther && { behaviour }) };
  const names = [...(state ? ["fixtures"] : []), ...(isOther ? ["behaviour"] : [])];
  if (isOver() || names.length === 0) return [];
  registry.default.saver.check();
  current.defaults = { ...defaults, ...parts, isShipped: state === undefined && defaults.isShipped };
  const reached = [...registry.all()].filter((sandbox) => sandbox.load(parts));
  // If it cannot be written now, the store reports that and keeps trying.
  await Promise.allSettled(reached.map(({ saver }) => saver.settled()));
  logger.info({ sandboxes: reached.length }, `reloaded: ${names.join(", ")}`);
  return names;
}
