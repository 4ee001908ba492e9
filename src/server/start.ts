import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Defaults } from "../control/sandbox-maker.js";
import { loaderFor } from "../control/sandbox-maker.js";
import { chunked } from "../kernel/chunked.js";
import { reasonOf } from "../kernel/os-errors.js";
import { problemAt, UnusableDocument } from "../kernel/problems.js";
import { seedOf } from "../kernel/random.js";
import { instantOf, isInRange } from "../kernel/realtime.js";
import type { BehaviourChecker } from "../service/behaviour/check.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { PROFILES, STRICT } from "../service/behaviour/table.js";
import type { FixtureInput } from "../service/world/fixture.js";
import type { FixtureLoader } from "../service/world/load.js";
import type { WorldState } from "../service/world/state.js";
import { stateInSteps, stateOf } from "../service/world/state.js";
import type { ReadOptions } from "./files.js";

/** The fixture that ships; the tests check it, so a start need not. */
const DEFAULT_FIXTURE = fileURLToPath(new URL("../../fixtures/default.json", import.meta.url));
const DEFAULT_JOURNAL_LIMIT = 10_000;

/** Reads the options that a world starts from. @throws UnusableDocument with every problem of the first part that has one */
export async function startOf(
  options: ReadOptions,
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
    faults: options.faults ?? [],
    journalLimit: options.journalLimit ?? DEFAULT_JOURNAL_LIMIT,
  };
}

/** The fixture that a bare start serves. */
export const shippedFixture = async (): Promise<FixtureInput> =>
  JSON.parse(await readFile(DEFAULT_FIXTURE, "utf8"));

export async function loadState(
  loader: FixtureLoader,
  fixtures: ReadOptions["fixtures"],
): Promise<WorldState> {
  if (fixtures === undefined) return stateOf(loader.loadTrusted(await shippedFixture()));
  const loaded =
    typeof fixtures === "string"
      ? await loadFile(loader, fixtures)
      : await chunked(loader.loadInSteps(fixtures));
  if (loaded.problems !== undefined) throw new UnusableDocument(loaded.problems);
  return chunked(stateInSteps(loaded.document, loaded.positions));
}

async function loadFile(loader: FixtureLoader, file: string) {
  return loader.readFixtureText(textOf(file), file);
}

/** Reads in one piece: a text that comes in many is in memory twice until it is parsed. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UnusableDocument([{ file, path: "", message: `cannot be read: ${reasonOf(error)}` }]);
  }
}

/** Profile or values, then `strict`, then single values: the later wins. */
export function behaviourOf(
  { behaviour = "documented", strict = false, set = {} }: ReadOptions,
  checker: BehaviourChecker,
): Partial<BehaviourValues> {
  const base = typeof behaviour === "string" ? PROFILES[behaviour] : behaviour;
  const values = typeof behaviour === "string" ? set : { ...behaviour, ...set };
  const checked = checker.check(values);
  if (checked.problems !== undefined) throw new UnusableDocument(checked.problems);
  return { ...base, ...(strict ? STRICT : {}), ...set };
}

function clockOf(clock: string | number | undefined): number | undefined {
  if (clock === undefined) return undefined;
  const instant = instantOf(clock);
  if (!isInRange(instant))
    throw new UnusableDocument([
      problemAt(
        ["clock"],
        `must be an ISO instant or milliseconds, between the years 1970 and 9999, but is "${clock}"`,
      ),
    ]);
  return instant;
}
