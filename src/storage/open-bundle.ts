import type { Chunked } from "../kernel/chunked.js";
import { chunked } from "../kernel/chunked.js";
import type { ParsedDocument } from "../kernel/document.js";
import { given } from "../kernel/given.js";
import { keysOf } from "../kernel/keys.js";
import type { Path } from "../kernel/path.js";
import type { Problem } from "../kernel/problems.js";
import { UnusableDocument, under } from "../kernel/problems.js";
import { JournalEntry, KeptControlRecord } from "../sandbox/journal.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import type { KeptLogs } from "../sandbox/run-position.js";
import { BehaviourChecker } from "../service/behaviour/check.js";
import { FixtureLoader } from "../service/world/load.js";
import { COLLECTIONS } from "../service/world/records.js";
import type { WorldState } from "../service/world/state.js";
import { stateOf } from "../service/world/state.js";
import { collectionsOf, World } from "../service/world/world.js";
import type { StateSection } from "./base-document.js";
import { ownName } from "./bundle.js";
import { withStandIns } from "./bundle-mask.js";
import { BundleChecker } from "./bundle-problems.js";
import type { BundleDocument } from "./bundle-schemas.js";
import { LOGS } from "./bundle-schemas.js";
import type { ResumeContext } from "./resume.js";
import { resumeInSteps } from "./resume.js";

/** What bundles are read with. */
export interface BundleContext extends ResumeContext {
  readonly checker: BehaviourChecker;
}

/**
 * The sandbox that a bundle shows, as it stood when the bundle was taken: its clock stands still there, nothing that was on
 * its way goes out, and it does not end by itself.
 *
 * @throws UnusableDocument with file and place of everything that is wrong
 */
export function* openBundleInSteps(document: ParsedDocument, context: BundleContext): Chunked<KeptSandbox> {
  const { file } = document;
  const value = withStandIns(document.value);
  const refuse = (problems: readonly Problem[]) => {
    if (problems.length > 0) throw new UnusableDocument(document.locate(problems));
  };
  refuse([...document.duplicateKeys(), ...(yield* new BundleChecker(context.checker).problemsOf(value))]);
  // The problems above are those of every part that the type names.
  const bundle = value as BundleDocument;
  const { journal, simulator } = bundle;
  const longest = Math.max(...keysOf(LOGS).map((log) => journal[log]?.length ?? 0));
  const journalLimit = Math.max(context.journalLimit, longest);
  const stored = { name: file, base: standingStill(bundle), entries: [] };
  let kept: KeptSandbox;
  try {
    kept = yield* resumeInSteps(stored, { ...context, journalLimit });
  } catch (error) {
    if (error instanceof UnusableDocument) refuse(error.problems);
    throw error;
  }
  const { options, position } = kept;
  const { start, begun, named } = position.states;
  refuse(yield* stateProblems(simulator.start.state, start.state, ["start", "state"], context));
  if (simulator.run?.state)
    refuse(yield* stateProblems(simulator.run.state, begun.state, ["run", "state"], context));
  for (const [index, { state }] of [...named.values()].entries()) {
    const delta = simulator.snapshots[index]?.state;
    if (delta !== undefined)
      refuse(yield* stateProblems(delta, state, ["snapshots", index, "state"], context));
  }
  const run = { ...position.run, logs: logsOf(bundle) };
  return { options: { ...options, expiresAt: undefined }, position: { ...position, run } };
}

/** What is wrong with a bundle, with file and place. */
export async function bundleFileProblems(document: ParsedDocument): Promise<readonly Problem[]> {
  const loader = new FixtureLoader().ofStored;
  const common = stateOf(loader.loadTrusted({}));
  const context = { loader, checker: new BehaviourChecker(), journalLimit: 1, common };
  try {
    await chunked(openBundleInSteps(document, context));
    return [];
  } catch (error) {
    if (error instanceof UnusableDocument) return error.problems;
    throw error;
  }
}

/** The base document of a sandbox that stands where the bundle was taken, with nothing on its way. */
function standingStill({ journal, simulator, ...state }: BundleDocument): object {
  const { values } = simulator;
  const run = { ...values.run, clock: { frozenAt: journal.at } };
  return { ...state, simulator: { ...simulator, values: { ...values, run, deliveries: {} } } };
}

/** What is wrong between the records of a state that the document holds as differences from another. */
function* stateProblems(
  delta: StateSection,
  state: WorldState,
  path: Path,
  { loader, common }: BundleContext,
): Chunked<Problem[]> {
  if (state === common || COLLECTIONS.every((name) => delta[name] === undefined)) return [];
  const lists = Object.entries(collectionsOf(new World(state))).map(([name, records]) => [
    name,
    [...records],
  ]);
  const { problems = [] } = yield* loader.loadInSteps(Object.fromEntries(lists));
  return problems.map((problem) => under(["simulator", ...path], problem));
}

function logsOf({ journal, simulator, tokens = [] }: BundleDocument): KeptLogs {
  const known = new Set(tokens.map(({ id }) => id));
  const ownToken = (token: string | null): string | null => {
    const own = token === null ? null : ownName(simulator.sandbox, token);
    return own !== null && known.has(own) ? own : null;
  };
  return {
    requests: journal.requests.map((record) => JournalEntry.from(record, ownToken(record.token))),
    deliveries: journal.deliveries,
    warnings: journal.warnings,
    controls: journal.controls.map((record) => new KeptControlRecord(record)),
    changes: journal.changes ?? [],
    ...given({ scenarioRun: journal.scenarioRun }),
  };
}
