/** From the options of a simulator to the start of its sandboxes. */

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { instantIn } from "../control/inputs.js";
import type { StartContext } from "../control/sandbox-maker.js";
import { type Defaults, loaderFor } from "../control/sandbox-maker.js";
import type { Logger } from "../kernel/errors.js";
import { reasonOf } from "../kernel/errors.js";
import type { Path } from "../kernel/json.js";
import type { ProfileName } from "../kernel/names.js";
import { keysOf, omitUndefined } from "../kernel/objects.js";
import { keyProblemAt, UnusableDocument, under } from "../kernel/problems.js";
import { seedOf } from "../kernel/random.js";
import { unknownKey } from "../kernel/words.js";
import type { FaultInput } from "../sandbox/faults.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { LOADED_PARTS, type LoadedStart, type StartFiles } from "../sandbox/states.js";
import type { BehaviourChecker } from "../service/behaviour/check.js";
import { type BehaviourValues, PROFILES, STRICT } from "../service/behaviour/table.js";
import type { FixtureLoader } from "../service/world/load.js";
import type { FixtureInput } from "../service/world/records.js";
import { stateOf, type WorldState } from "../service/world/state.js";
import { OptionFiles } from "./config/files.js";
import { DEFAULT_JOURNAL_LIMIT, type SimulatorOptions } from "./config/options.js";

/** @throws UnusableDocument naming every unknown option */
export function refuseUnknownOptions(options: object, known: readonly string[]): void {
  const problems = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => keyProblemAt([name], unknownKey("option", name, known)));
  if (problems.length > 0) throw new UnusableDocument(problems);
}

/** The options, with file names replaced by the files' contents. */
export type InlineOptions = Omit<SimulatorOptions, "behaviour" | "faults"> & {
  readonly behaviour?: ProfileName | Partial<BehaviourValues> | undefined;
  readonly faults?: readonly FaultInput[];
};

/** The location of an option in the library. */
const PATHS: Readonly<Record<string, Path>> = {
  fault: ["faults"],
  "tls-cert": ["tls", "cert"],
  "tls-key": ["tls", "key"],
  "webhook-ca": ["webhookCa"],
};

/**
 * Reads the files that options name, as the command does: behaviour values, faults and certificates.
 *
 * @throws UnusableDocument with every problem of the files and of inline faults
 */
export async function filesOf(options: SimulatorOptions): Promise<InlineOptions> {
  const { behaviour, faults = [], tls, webhookCa, ...rest } = options;
  const files = new OptionFiles(
    (file) => readFile(file, "utf8"),
    (name, problem) => under(PATHS[name] ?? [name], problem),
  );
  const read = {
    behaviour: await files.behaviour(behaviour),
    faults: await files.faults(faults),
    tls: await files.tls(tls?.cert, tls?.key),
    webhookCa: await files.authority(webhookCa),
  };
  if (files.problems.length > 0) throw new UnusableDocument(files.problems);
  return omitUndefined({ ...rest, ...read });
}

/** Reads the options that a world starts from. @throws UnusableDocument with every problem of the first part that has any */
export async function startOf(
  options: InlineOptions,
  loader: FixtureLoader,
  checker: BehaviourChecker,
  files: readonly string[],
): Promise<Defaults> {
  const behaviour = behaviourOf(options, checker);
  return {
    files,
    state: await loadState(loaderFor(behaviour, loader), options.fixtures),
    isShipped: options.fixtures === undefined,
    behaviour,
    seed: seedOf(options.seed ?? 1),
    clock: clockOf(options.clock),
    faults: options.faults ?? [],
    journalLimit: options.journalLimit ?? DEFAULT_JOURNAL_LIMIT,
  };
}

/** A built-in fixture: that of a start without options, or `empty`. The tests validate them, so that a start need not. */
export const shippedFixture = async (name: "default" | "empty" = "default"): Promise<FixtureInput> =>
  JSON.parse(await readFile(fileURLToPath(new URL(`../../fixtures/${name}.json`, import.meta.url)), "utf8"));

async function loadState(loader: FixtureLoader, fixtures: InlineOptions["fixtures"]): Promise<WorldState> {
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
  { behaviour = "documented", strict = false, set = {} }: InlineOptions,
  checker: BehaviourChecker,
): Partial<BehaviourValues> {
  const checked = (input: object) => {
    const { values, problems } = checker.check(input);
    if (problems !== undefined) throw new UnusableDocument(problems);
    return values;
  };
  const base = typeof behaviour === "string" ? PROFILES[behaviour] : checked(behaviour);
  return { ...base, ...(strict ? STRICT : {}), ...checked(set) };
}

function clockOf(clock: string | number | undefined): number | undefined {
  if (clock === undefined) return undefined;
  const instant = instantIn(clock, "clock");
  if (typeof instant === "object") throw new UnusableDocument([instant]);
  return instant;
}

/** The options that can be reloaded; omitted ones keep their value, and files that they name are read again. */
export type LoadOptions = Pick<SimulatorOptions, "fixtures" | "behaviour" | "strict" | "set" | "faults">;

const LOAD_OPTIONS: readonly (keyof LoadOptions)[] = ["fixtures", "behaviour", "strict", "set", "faults"];

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
  const { current, registry, loader, checker, logger, source, isOver } = context;
  refuseUnknownOptions(options, LOAD_OPTIONS);
  const all = { ...current.options, ...options };
  const { behaviour, strict, set, faults } = all;
  const read = await filesOf(omitUndefined({ behaviour, strict, set, faults }));
  const found: LoadedStart = {
    ...("fixtures" in options && { state: await loadState(loader, options.fixtures) }),
    behaviour: behaviourOf(read, checker),
    faults: read.faults ?? [],
  };
  const { defaults } = current;
  const isOther = (part: keyof LoadedStart) => !isDeepStrictEqual(found[part], defaults[part]);
  const changed = keysOf(found).filter((part) => part === "state" || isOther(part));
  const parts: LoadedStart = Object.fromEntries(changed.map((part) => [part, found[part]]));
  const names = changed.map((part) => LOADED_PARTS[part]);
  if (isOver() || names.length === 0) return [];
  const { state } = parts;
  registry.default.saver.check();
  current.options = all;
  const isShipped = state === undefined ? defaults.isShipped : all.fixtures === undefined;
  current.defaults = { ...defaults, ...parts, isShipped, files: source?.files ?? defaults.files };
  const reached = [...registry.all()].filter((sandbox) => sandbox.load(parts, source).length > 0);
  // If it cannot be written now, the store reports that and keeps trying.
  await Promise.allSettled(reached.map(({ saver }) => saver.settled()));
  logger.info({ sandboxes: reached.length }, `reloaded: ${names.join(", ")}`);
  return names;
}
