import { readFile } from "node:fs/promises";
import { BOUNDS } from "../kernel/bounds.js";
import { type ParsedDocument, parseDocument } from "../kernel/document.js";
import { reasonOf } from "../kernel/errors.js";
import { isObject, type Path } from "../kernel/json.js";
import { MASK, masked, OF_NAMED_VALUES } from "../kernel/masking.js";
import { fromKeys, keysOf, mapped, omitUndefined } from "../kernel/objects.js";
import { lazily } from "../kernel/packages.js";
import { type Problem, problemAt, UnusableDocument, under } from "../kernel/problems.js";
import type { Chunked } from "../kernel/realtime.js";
import { atOnce } from "../kernel/realtime.js";
import { array, type InferReadonly, object, optional } from "../kernel/schema.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import { sizeText } from "../kernel/units.js";
import { deliverySchema } from "../sandbox/deliveries.js";
import { type FaultInput, problemsOf } from "../sandbox/faults.js";
import {
  controlRecordSchema,
  JournalEntry,
  KeptControlRecord,
  requestRecordSchema,
  warningSchema,
} from "../sandbox/journal.js";
import type { MemoryBudget } from "../sandbox/memory.js";
import { scenarioRunSchema } from "../sandbox/observer.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import type { KeptLogs } from "../sandbox/run-logs.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { threadChangeSchema } from "../sandbox/threads.js";
import { BehaviourChecker } from "../service/behaviour/check.js";
import { FixtureLoader } from "../service/world/load.js";
import { COLLECTIONS, instant, type Token } from "../service/world/records.js";
import { stateOf, type WorldState } from "../service/world/state.js";
import { World } from "../service/world/world.js";
import { type SimulatorSection, type StateSection, sectionProblems } from "./base-document.js";
import { capture } from "./capture.js";
import { type ResumeContext, resumeChunked } from "./resume.js";

/** What a bundle omits: secrets of the systems around the simulator. Tokens of the fixture stay, because nothing works without them. */

/** Whether a text is a token of the sandbox's own fixture. */
type IsTestToken = (text: string) => boolean;

const maskedFor = (value: unknown, isTestToken: IsTestToken): unknown =>
  masked(value, "", { isStrict: true, isShown: isTestToken });

/** A bundle with masks replaced by text that HTTP allows, so that values with masks can be sent. */
const withStandIns = (bundle: unknown): unknown =>
  JSON.parse(JSON.stringify(bundle).replace(new RegExp(`${MASK}(?=[^"]{0,4}["@&;#])`, "g"), "****"));

const LONG_LISTS = ["records", "ids", "snapshots"];

/** The same for an object with long lists, whose items are masked as they are read. */
function maskedSection(section: object, isTestToken: IsTestToken): object {
  // A delivery, whose fields say which of its headers are secret.
  if ("secretHeaders" in section) return maskedFor(section, isTestToken) as object;
  return Object.fromEntries(
    Object.entries(section).flatMap(([key, part]) => {
      if (LONG_LISTS.includes(key) && Array.isArray(part))
        return [[key, mapped(part, (item) => maskedFor(item, isTestToken))]];
      if (isObject(part) && !OF_NAMED_VALUES.has(key)) return [[key, maskedSection(part, isTestToken)]];
      return Object.entries(maskedFor({ [key]: part }, isTestToken) as object);
    }),
  );
}

/**
 * One document that shows a whole sandbox as it is now: its base document, and its logs under `journal`, without secrets. It is
 * assembled in steps; its lists are generated as they are read.
 */
export function takeBundle(sandbox: Sandbox): () => Chunked<Record<string, unknown>> {
  const { run, start, id } = sandbox;
  const base = capture(sandbox);
  const at = run.clock.now();
  const { controls, warnings, changes, scenarioRun, ...logs } = run.logs.kept;
  // Entries that may still change are copied; finished ones never change.
  const requests = logs.requests.map((entry) =>
    entry.settled ? entry : JournalEntry.from(entry.toJSON(), entry.ownToken),
  );
  const deliveries = logs.deliveries.map((delivery) =>
    delivery.status === "pending" ? { ...delivery } : delivery,
  );
  const worlds = [run.world.snapshot(), run.start.state, start.state].map((state) => new World(state));
  const isTestToken: IsTestToken = (text) => {
    const own = ownName(id, text);
    return worlds.some((world) => world.get("tokens", own) !== undefined);
  };
  const mask = (value: object) => maskedFor(value, isTestToken);
  return function* () {
    const { simulator, ...state } = yield* base();
    return {
      ...fromKeys(COLLECTIONS, (collection) => mapped(state[collection] as Iterable<object>, mask)),
      simulator: maskedSection(simulator as object, isTestToken),
      journal: {
        at,
        requests: mapped(requests, (entry) => maskedEntry(entry, isTestToken)),
        deliveries: mapped(deliveries, mask),
        warnings: mapped(warnings, mask),
        controls: mapped(controls, (control) => mask(control.toJSON())),
        changes: mapped(changes, mask),
        ...(scenarioRun && { scenarioRun: maskedFor(scenarioRun, isTestToken) }),
      },
    };
  };
}

/** The token that a call had on receipt, even if it was deleted since. */
const maskedEntry = (entry: JournalEntry, isTestToken: IsTestToken): unknown =>
  maskedFor(entry.toJSON(), (text) => (entry.ownToken !== null && text === entry.token) || isTestToken(text));

/** A token without its sandbox prefix. */
const ownName = (sandboxId: string, token: string): string =>
  token.startsWith(`${sandboxId}.`) ? token.slice(sandboxId.length + 1) : token;

/** What a bundle contains besides the state. It is validated more strictly than a store's own files, since anybody may have written it. */
const journalSchema = object({
  at: instant(),
  requests: array(requestRecordSchema),
  deliveries: array(deliverySchema),
  warnings: array(warningSchema),
  controls: array(controlRecordSchema),
  // Bundles of earlier versions have none.
  changes: optional(array(threadChangeSchema)),
  scenarioRun: optional(scenarioRunSchema),
});

/** The letters of the ids in each log. */
const PREFIXES = { requests: "r", deliveries: "d", warnings: "w", controls: "c", changes: "s" } as const;

/** A validated bundle. */
interface BundleDocument {
  readonly simulator: SimulatorSection;
  readonly journal: InferReadonly<typeof journalSchema>;
  readonly tokens?: readonly Token[];
}

/** The largest number of an id, so that later ones are exact. */
const MAX_ID = 1e15;

const validator = lazily(() => createAjv().compile(journalSchema));

/** The problems of a bundle other than those of its state, found before anything is built from it. */
export function bundleProblems(input: unknown, checker: BehaviourChecker): Problem[] {
  const { simulator, journal } = (isObject(input) ? input : {}) as Partial<BundleDocument>;
  if (simulator === undefined || journal === undefined) {
    const missing = simulator === undefined ? "simulator" : "journal";
    return [problemAt([], `is not a bundle of messaging-sim state --bundle: it has no "${missing}"`)];
  }
  const validate = validator();
  const problems = [
    ...sectionProblems(simulator),
    ...(validate(journal) ? [] : schemaProblems(validate.errors, journal, ["journal"])),
  ];
  if (problems.length > 0) return problems;
  return [
    ...settingsProblems(simulator, checker),
    ...keysOf(PREFIXES).flatMap((log) => idProblems(log, { simulator, journal })),
  ];
}

function settingsProblems(
  { start, run, values, snapshots }: BundleDocument["simulator"],
  checker: BehaviourChecker,
): Problem[] {
  const settings = Object.entries({ start, ...(run && { run }), values }).flatMap(
    ([name, { behaviour = {}, faults = {} }]) => {
      const path = ["simulator", name];
      const rules = Array.isArray(faults) ? [...faults.entries()] : Object.entries(faults);
      return [
        ...(checker.check(behaviour).problems ?? []).map((problem) => under([...path, "behaviour"], problem)),
        ...rules.flatMap(([key, rule]) =>
          problemsOf(rule as FaultInput).map((problem) => under([...path, "faults", key], problem)),
        ),
        ...atMost(rules.length, BOUNDS.faults.limit, [...path, "faults"]),
      ];
    },
  );
  const names = snapshots.map(({ name }) => name);
  const faults = Object.entries(values.faults ?? {}).filter(([id, rule]) => rule.id !== id);
  const again = names.flatMap((name, index) => (names.indexOf(name) === index ? [] : [index]));
  return [
    ...settings,
    ...faults.map(([id]) => problemAt(["simulator", "values", "faults", id, "id"], `must be "${id}"`)),
    ...atMost(names.length, BOUNDS.snapshots.limit, ["simulator", "snapshots"]),
    ...again.map((index) =>
      problemAt(["simulator", "snapshots", index, "name"], "is already used by an earlier one"),
    ),
  ];
}

const atMost = (count: number, limit: number, path: Path): Problem[] =>
  count <= limit ? [] : [problemAt(path, `must be at most ${limit}, but are ${count}`)];

/** Ids must be in order, and within the log's total. Only the first problem is listed: it may be the cause of all others. */
function idProblems(
  log: keyof typeof PREFIXES,
  { simulator, journal }: Pick<BundleDocument, "simulator" | "journal">,
): Problem[] {
  const prefix = PREFIXES[log];
  // The number of thread changes is not saved: their ids restart with each process.
  const total = log === "changes" ? MAX_ID : (simulator.values.run?.logs?.[log] ?? 0);
  const form = new RegExp(`^${prefix}([1-9]\\d{0,15})$`);
  let last = 0;
  for (const [index, { id }] of (journal[log] ?? []).entries()) {
    const number = Number(form.exec(id)?.[1] ?? 0);
    if (number <= last || number > total) {
      const message = `must be an id between ${prefix}${last + 1} and ${prefix}${total}, in the order of the log, but is "${id}"`;
      return [problemAt(["journal", log, index, "id"], message)];
    }
    last = number;
  }
  return [];
}

interface BundleContext extends ResumeContext {
  readonly checker: BehaviourChecker;
}

/**
 * The sandbox in a bundle, as it was when the bundle was saved: its clock is frozen, pending deliveries are not sent, and it
 * does not expire.
 *
 * @throws UnusableDocument with file and location of every problem
 */
function openBundle(document: ParsedDocument, context: BundleContext): KeptSandbox {
  const value = withStandIns(document.value);
  const refuse = (problems: readonly Problem[]) => {
    if (problems.length > 0) throw new UnusableDocument(document.locate(problems));
  };
  refuse([...document.duplicateKeys(), ...bundleProblems(value, context.checker)]);
  // The validation above covers every part of the type.
  const bundle = value as BundleDocument;
  const { start, run, snapshots } = bundle.simulator;
  const logs = logsOf(bundle);
  const longest = Math.max(...keysOf(PREFIXES).map((log) => logs[log].length));
  const journalLimit = Math.max(context.journalLimit, longest);
  const stored = { name: document.file, base: standingStill(bundle), entries: [] };
  try {
    const { options, resumeState } = atOnce(resumeChunked(stored, { ...context, journalLimit }));
    const { states } = resumeState;
    const named = [...states.named.values()];
    const problems = [
      ...stateProblems(start.state, states.start.state, ["start", "state"], context),
      ...(run?.state ? stateProblems(run.state, states.begun.state, ["run", "state"], context) : []),
      ...snapshots.flatMap(({ state: delta }, index) => {
        const state = named[index]?.state;
        return state === undefined ? [] : stateProblems(delta, state, ["snapshots", index, "state"], context);
      }),
    ];
    refuse(problems);
    return {
      options: { ...options, expiresAt: undefined },
      resumeState: { ...resumeState, run: { ...resumeState.run, logs } },
    };
  } catch (error) {
    if (error instanceof UnusableDocument) refuse(error.problems);
    throw error;
  }
}

/** The sandbox in a bundle file. @throws UnusableDocument with every problem, or if it does not fit into memory */
export async function openBundleFile(
  file: string,
  { worldsLimit }: MemoryBudget,
  context: BundleContext,
): Promise<KeptSandbox> {
  const unusable = (message: string) => new UnusableDocument([{ file, path: "", message }]);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unusable(`cannot be read: ${reasonOf(error)}`);
  });
  const document = await parseDocument(text, { file });
  if (document.problems !== undefined) throw new UnusableDocument(document.problems);
  const kept = openBundle(document, context);
  const { start, world, named } = kept.resumeState.states;
  const states = [start.state, world.snapshot(), ...[...named.values()].map(({ state }) => state)];
  const bytes = Math.max(...states.map((state) => state.bytes));
  if (bytes <= worldsLimit) return kept;
  const [needed, limit] = [bytes, worldsLimit].map(sizeText);
  throw unusable(`needs ${needed} of memory, but worlds may use ${limit}: raise --memory`);
}

/** The problems of a bundle, with file and location. */
export function bundleFileProblems(document: ParsedDocument): readonly Problem[] {
  const loader = new FixtureLoader().ofStored;
  const common = stateOf(loader.loadTrusted({}));
  try {
    openBundle(document, { loader, checker: new BehaviourChecker(), journalLimit: 1, common });
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
function stateProblems(
  delta: StateSection,
  state: WorldState,
  path: Path,
  { loader, common }: BundleContext,
): Problem[] {
  if (state === common || COLLECTIONS.every((name) => delta[name] === undefined)) return [];
  const world = new World(state);
  const { problems = [] } = loader.loadFixture(fromKeys(COLLECTIONS, (name) => [...world.all(name)]));
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
