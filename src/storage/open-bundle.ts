import type { Chunked } from "../kernel/chunked.js";
import { chunked } from "../kernel/chunked.js";
import type { ParsedDocument } from "../kernel/document.js";
import type { Path } from "../kernel/json.js";
import { isObject, valueAt } from "../kernel/json.js";
import { fromKeys, keysOf, omitUndefined } from "../kernel/objects.js";
import { lazily } from "../kernel/packages.js";
import type { Problem } from "../kernel/problems.js";
import { ProblemList, problemAt, UnusableDocument, under } from "../kernel/problems.js";
import type { Infer, InferReadonly, Schema } from "../kernel/schema.js";
import { array, object, optional, unknown } from "../kernel/schema.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { deliverySchema } from "../sandbox/deliveries.js";
import type { FaultInput } from "../sandbox/faults.js";
import { MAX_FAULTS, problemsOf } from "../sandbox/faults.js";
import {
  controlRecordSchema,
  JournalEntry,
  KeptControlRecord,
  requestRecordSchema,
  warningSchema,
} from "../sandbox/journal.js";
import { scenarioRunSchema } from "../sandbox/observer.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import type { KeptLogs } from "../sandbox/run-logs.js";
import { MAX_SNAPSHOTS } from "../sandbox/states.js";
import { threadChangeSchema } from "../sandbox/threads.js";
import { BehaviourChecker } from "../service/behaviour/check.js";
import { FixtureLoader } from "../service/world/load.js";
import type { Token } from "../service/world/records.js";
import { COLLECTIONS, instant } from "../service/world/records.js";
import type { WorldState } from "../service/world/state.js";
import { stateOf } from "../service/world/state.js";
import { collectionsOf, World } from "../service/world/world.js";
import type { SimulatorSection, StartSection, StateSection } from "./base-document.js";
import { allValuesSchema, sectionProblems } from "./base-document.js";
import { ownName, withStandIns } from "./bundle.js";
import type { ResumeContext } from "./resume.js";
import { resumeChunked } from "./resume.js";

/** What a bundle contains besides the state. It is validated more strictly than a store's own files, since anybody may have written it. */

/** The logs, each with the letter of its ids, the schema of its entries, and its form before these are validated. */
const LOGS = {
  requests: { prefix: "r", schema: requestRecordSchema, list: array(unknown()) },
  deliveries: { prefix: "d", schema: deliverySchema, list: array(unknown()) },
  warnings: { prefix: "w", schema: warningSchema, list: array(unknown()) },
  controls: { prefix: "c", schema: controlRecordSchema, list: array(unknown()) },
  // Bundles of earlier versions have none.
  changes: { prefix: "s", schema: threadChangeSchema, list: optional(array(unknown())) },
} as const;

const journalSchema = object({
  at: instant(),
  ...fromKeys(keysOf(LOGS), (log) => LOGS[log].list),
  scenarioRun: optional(scenarioRunSchema),
});

type Entries = {
  readonly [Log in keyof typeof LOGS]: readonly InferReadonly<(typeof LOGS)[Log]["schema"]>[];
};

/** A validated bundle. */
interface BundleDocument {
  readonly simulator: SimulatorSection & { readonly values: Infer<typeof allValuesSchema> };
  readonly journal: Pick<Infer<typeof journalSchema>, "at" | "scenarioRun"> &
    Omit<Entries, "changes"> &
    Partial<Entries>;
  readonly tokens?: readonly Token[];
}

/** The largest number of an id, so that later ones are exact. */
const MAX_ID = 1e15;

/** Ajv caches compiled schemas by identity. */
const ajv = lazily(() => createAjv());

function problemsBy(schema: Schema, value: unknown, path: Path): Problem[] {
  const validate = ajv().compile(schema);
  return validate(value) ? [] : schemaProblems(validate.errors, value, path);
}

/** The problems of a bundle other than those of its state, found before anything is built from it. */
export function* bundleProblems(input: unknown, checker: BehaviourChecker): Chunked<Problem[]> {
  const { simulator, journal } = (isObject(input) ? input : {}) as Partial<BundleDocument>;
  if (simulator === undefined || journal === undefined) {
    const missing = simulator === undefined ? "simulator" : "journal";
    return [problemAt([], `is not a bundle of messaging-sim state --bundle: it has no "${missing}"`)];
  }
  const outer = [
    ...sectionProblems(simulator),
    ...problemsBy(allValuesSchema, valueAt(simulator, ["values"]), ["simulator", "values"]),
    ...problemsBy(journalSchema, journal, ["journal"]),
  ];
  if (outer.length > 0) return outer;
  const problems = new ProblemList({ endsWhenFull: true });
  for (const problem of settingsProblems(simulator, checker)) problems.add(() => problem);
  for (const log of keysOf(LOGS)) {
    // The number of thread changes is not saved: their ids restart with each process.
    const total = log === "changes" ? MAX_ID : simulator.values.run.logs[log];
    yield* addLogProblems(log, journal[log] ?? [], total, problems);
  }
  return problems.all;
}

function settingsProblems(
  { start, run, values, snapshots }: BundleDocument["simulator"],
  checker: BehaviourChecker,
): Problem[] {
  const faults = Object.entries(values.faults);
  const names = snapshots.map(({ name }) => name);
  return [
    ...startProblems(start, ["simulator", "start"], checker),
    ...(run === null ? [] : startProblems(run, ["simulator", "run"], checker)),
    ...behaviourProblems(values.behaviour, ["simulator", "values", "behaviour"], checker),
    ...faults.flatMap(([id, rule]) =>
      problemsOf(rule as FaultInput).map((problem) => under(["simulator", "values", "faults", id], problem)),
    ),
    ...faults.flatMap(([id, rule]) =>
      rule.id === id ? [] : [problemAt(["simulator", "values", "faults", id, "id"], `must be "${id}"`)],
    ),
    ...atMost(faults.length, MAX_FAULTS, ["simulator", "values", "faults"]),
    ...atMost(names.length, MAX_SNAPSHOTS, ["simulator", "snapshots"]),
    ...names.flatMap((name, index) =>
      names.indexOf(name) === index
        ? []
        : [problemAt(["simulator", "snapshots", index, "name"], "is already used by an earlier one")],
    ),
  ];
}

const startProblems = (
  { behaviour, faults }: Pick<StartSection, "behaviour" | "faults">,
  path: Path,
  checker: BehaviourChecker,
): Problem[] => [
  ...behaviourProblems(behaviour, [...path, "behaviour"], checker),
  ...faults.flatMap((fault, index) =>
    problemsOf(fault).map((problem) => under([...path, "faults", index], problem)),
  ),
  ...atMost(faults.length, MAX_FAULTS, [...path, "faults"]),
];

const behaviourProblems = (
  values: SimulatorSection["start"]["behaviour"],
  path: Path,
  checker: BehaviourChecker,
): Problem[] => (checker.check(values).problems ?? []).map((problem) => under(path, problem));

const atMost = (count: number, limit: number, path: Path): Problem[] =>
  count <= limit ? [] : [problemAt(path, `must be at most ${limit}, but are ${count}`)];

/** Entries must be valid, in the order of their ids, and within the log's total. */
function* addLogProblems(
  log: keyof typeof LOGS,
  entries: readonly unknown[],
  total: number,
  problems: ProblemList,
): Chunked<void> {
  const { prefix, schema } = LOGS[log];
  const id = new RegExp(`^${prefix}([1-9]\\d{0,15})$`);
  let last = 0;
  for (let index = 0; index < entries.length && !problems.isFull; index += 1) {
    const entry = entries[index];
    const path: Path = ["journal", log, index];
    const found = problemsBy(schema, entry, path);
    if (found.length === 0) {
      const { id: given } = entry as { readonly id: string };
      const number = Number(id.exec(given)?.[1] ?? 0);
      if (number <= last || number > total)
        found.push(problemAt([...path, "id"], idProblem(given, prefix, last, total)));
      else last = number;
    }
    for (const problem of found) problems.add(() => problem);
    yield;
  }
}

const idProblem = (given: string, prefix: string, last: number, total: number): string =>
  `must be an id between ${prefix}${last + 1} and ${prefix}${total}, in the order of the log, but is "${given}"`;

export interface BundleContext extends ResumeContext {
  readonly checker: BehaviourChecker;
}

/**
 * The sandbox in a bundle, as it was when the bundle was saved: its clock is frozen, pending deliveries are not sent, and it
 * does not expire.
 *
 * @throws UnusableDocument with file and location of every problem
 */
export function* openBundleChunked(document: ParsedDocument, context: BundleContext): Chunked<KeptSandbox> {
  const { file } = document;
  const value = withStandIns(document.value);
  const refuse = (problems: readonly Problem[]) => {
    if (problems.length > 0) throw new UnusableDocument(document.locate(problems));
  };
  refuse([...document.duplicateKeys(), ...(yield* bundleProblems(value, context.checker))]);
  // The validation above covers every part of the type.
  const bundle = value as BundleDocument;
  const { journal, simulator } = bundle;
  const longest = Math.max(...keysOf(LOGS).map((log) => journal[log]?.length ?? 0));
  const journalLimit = Math.max(context.journalLimit, longest);
  const stored = { name: file, base: standingStill(bundle), entries: [] };
  let kept: KeptSandbox;
  try {
    kept = yield* resumeChunked(stored, { ...context, journalLimit });
  } catch (error) {
    if (error instanceof UnusableDocument) refuse(error.problems);
    throw error;
  }
  const { options, resumeState } = kept;
  const { start, begun, named } = resumeState.states;
  refuse(yield* stateProblems(simulator.start.state, start.state, ["start", "state"], context));
  if (simulator.run?.state)
    refuse(yield* stateProblems(simulator.run.state, begun.state, ["run", "state"], context));
  for (const [index, { state }] of [...named.values()].entries()) {
    const delta = simulator.snapshots[index]?.state;
    if (delta !== undefined)
      refuse(yield* stateProblems(delta, state, ["snapshots", index, "state"], context));
  }
  const run = { ...resumeState.run, logs: logsOf(bundle) };
  return { options: { ...options, expiresAt: undefined }, resumeState: { ...resumeState, run } };
}

/** The problems of a bundle, with file and location. */
export async function bundleFileProblems(document: ParsedDocument): Promise<readonly Problem[]> {
  const loader = new FixtureLoader().ofStored;
  const common = stateOf(loader.loadTrusted({}));
  const context = { loader, checker: new BehaviourChecker(), journalLimit: 1, common };
  try {
    await chunked(openBundleChunked(document, context));
    return [];
  } catch (error) {
    if (error instanceof UnusableDocument) return error.problems;
    throw error;
  }
}

/** The base document of a sandbox frozen at the time of the bundle, with nothing in flight. */
function standingStill({ journal, simulator, ...state }: BundleDocument): object {
  const { values } = simulator;
  const run = { ...values.run, clock: { frozenAt: journal.at } };
  return { ...state, simulator: { ...simulator, values: { ...values, run, deliveries: {} } } };
}

/** The problems between the records of a state that is stored as a difference from another. */
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
  const { problems = [] } = yield* loader.loadChunked(Object.fromEntries(lists));
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
    ...omitUndefined({ scenarioRun: journal.scenarioRun }),
  };
}
