/**
 * The document of a sandbox: its state as a fixture, and under `simulator` everything else that it needs to go on. `toDocument`
 * and `fromDocument` are each other's reverse. Journal, delivery log, warnings, waits and streams are not kept.
 */

import { clockSchema } from "../kernel/clock.js";
import { type Path, valueAt } from "../kernel/json.js";
import { ID_SERIES } from "../kernel/names.js";
import { fromKeys, isObject, keysOf, omitUndefined } from "../kernel/objects.js";
import { lazily } from "../kernel/packages.js";
import { type Problem, problemAt, UnusableDocument, under } from "../kernel/problems.js";
import type { InferReadonly } from "../kernel/schema.js";
import {
  anyOf,
  array,
  integer,
  literal,
  nullable,
  number,
  object,
  oneOf,
  optional,
  partial,
  record,
  type Schema,
  string,
  unknown,
} from "../kernel/schema.js";
import { createAjv, schemaProblems } from "../kernel/schema-problems.js";
import type { BehaviourChecker } from "../service/behaviour/check.js";
import { type BehaviourValues, differing } from "../service/behaviour/table.js";
import type { FixtureLoader } from "../service/world/load.js";
import { type CollectionName, instant } from "../service/world/records.js";
import type { Counters, WorldState } from "../service/world/state.js";
import { collectionsOf, World } from "../service/world/world.js";
import { DELIVERY_FIELDS, type KeptDeliveries, type PendingDelivery } from "./deliveries.js";
import { type FaultInput, faultRuleSchema, faultSchema, type KeptFaults, problemsOf } from "./faults.js";
import { atLeast, SANDBOX_ID } from "./ids.js";
import { rateWindowSchema } from "./rates.js";
import type { KeptSandbox, Sandbox, SandboxSetup } from "./sandbox.js";
import { sinkSettingsSchema } from "./sinks.js";
import { type RunStart, snapshotNameSchema } from "./states.js";

/** It is incremented when a change of the section `simulator` would be misread by older versions. */
const FORMAT = 1 as const;

/** Leaves room to count up without losing precision. */
const MAX_COUNT = 1e15;
const count = () => integer({ minimum: 0, maximum: MAX_COUNT });

const countersSchema = object({
  threads: count(),
  messages: count(),
  participations: count(),
  random: nullable(count()),
});

const stateSchema = object({ counters: countersSchema, fixture: record(unknown()) });
type StateSection = InferReadonly<typeof stateSchema>;

/** The parts of a start that are not the server's. */
const startSchema = object(
  partial({
    state: stateSchema,
    behaviour: record(unknown()),
    seed: integer(),
    clock: instant(),
    faults: array(faultSchema),
    ids: oneOf(ID_SERIES),
  }),
);
type StartSection = InferReadonly<typeof startSchema>;

const pendingSchema = object({
  delivery: object({
    ...DELIVERY_FIELDS,
    id: string({ pattern: "^d[1-9][0-9]*$" }),
    status: literal("pending"),
  }),
  webhook: record(unknown()),
  attempts: count(),
  fault: optional(record(unknown())),
});
type PendingSection = InferReadonly<typeof pendingSchema>;

const pendingSection = ({ delivery, webhook, attempts, fault }: PendingDelivery) =>
  ({ delivery, webhook, attempts, fault }) as unknown as PendingSection;

const stateSection = (state: WorldState): StateSection => ({
  counters: state.counters,
  fixture: collectionsOf(new World(state)),
});

const startSection = ({ state, faults, ...rest }: Partial<RunStart>): StartSection =>
  omitUndefined({
    ...rest,
    state: state && stateSection(state),
    faults: faults && [...faults],
  });

/** A field of the section: its form, and its value in a sandbox. */
const field = <S extends Schema>(form: S, valueIn: (sandbox: Sandbox) => InferReadonly<S> | undefined) => ({
  form,
  valueIn,
});

/** The section `simulator`: everything but the state of the run, and where it comes from. */
const SECTION = {
  format: field(literal(FORMAT), () => FORMAT),
  sandbox: field(string(SANDBOX_ID), ({ id }) => id),
  expiresAt: field(nullable(integer()), ({ expiresAt }) => expiresAt ?? null),
  seed: field(integer(), ({ run }) => run.start.seed),
  ids: field(oneOf(ID_SERIES), ({ run }) => run.start.ids ?? "same"),
  clock: field(anyOf([object({ frozenAt: instant() }), object({ aheadMs: number() })]), ({ run }) =>
    run.clock.position(),
  ),
  began: field(instant(), ({ run }) => run.began),
  counters: field(countersSchema, ({ run }) => run.world.counters),
  /** The last ids of runs with `ids: apart`. */
  reached: field(
    optional(object({ threads: count(), messages: count(), deliveries: count() })),
    ({ reached }) => reached,
  ),
  /** How many entries each log has had. */
  logs: field(
    object({ requests: count(), deliveries: count(), controls: count(), warnings: count() }),
    ({ run }) => run.logs.totals,
  ),
  /** What differs from the documented values. */
  behaviour: field(record(unknown()), ({ run }) => differing(run.behaviour.values)),
  faults: field(object({ added: count(), rules: array(faultRuleSchema) }), ({ run: { faults } }) => ({
    added: faults.added,
    rules: [...faults.rules.values()],
  })),
  rates: field(record(rateWindowSchema), ({ run }) => Object.fromEntries(run.rates.windows)),
  sinks: field(record(sinkSettingsSchema), ({ run }) => Object.fromEntries(run.sinks.settings)),
  deliveries: field(
    object({ pending: array(pendingSchema), failures: record(count()) }),
    ({ run: { deliveries } }) => ({
      pending: Array.from(deliveries.pending.values(), pendingSection),
      failures: Object.fromEntries(deliveries.failures),
    }),
  ),
  snapshots: field(
    array(object({ name: snapshotNameSchema, clock: clockSchema, began: instant(), state: stateSchema })),
    ({ snapshots }) =>
      Array.from(snapshots.values(), ({ state, ...rest }) => ({ ...rest, state: stateSection(state) })),
  ),
  /** What the sandbox resets to, as far as its creator chose it. */
  start: field(startSchema, ({ own }) => startSection(own)),
  /** What the last reset replaced for one run. */
  over: field(startSchema, ({ over }) => startSection(over)),
};

const FIELDS = keysOf(SECTION);
type Forms = { readonly [F in keyof typeof SECTION]: (typeof SECTION)[F]["form"] };
const forms = fromKeys(FIELDS, (name) => SECTION[name].form) as Forms;
const sectionSchema = object({ ...forms, checksum: optional(string()) });
type Section = InferReadonly<typeof sectionSchema>;

/** A sandbox as JSON: the collections of its state, and what else it needs to go on. */
export type SandboxDocument = Readonly<Record<CollectionName, readonly object[]>> & {
  readonly simulator: Omit<Section, "checksum">;
};

/** The document of a sandbox as it is now. Parts of it change with the sandbox: it must be written down at once. */
export const toDocument = (sandbox: Sandbox): SandboxDocument => ({
  ...collectionsOf(sandbox.run.world),
  simulator: omitUndefined(fromKeys(FIELDS, (name) => SECTION[name].valueIn(sandbox))) as Section,
});

export interface OpenContext {
  /** It accepts whatever the simulated API may have accepted. */
  readonly loader: FixtureLoader;
  readonly checker: BehaviourChecker;
  /** The start of the server as it is now. */
  readonly defaults: () => Omit<SandboxSetup, "id">;
}

const validator = lazily(() => createAjv().compile(sectionSchema));

/** What is wrong with the section of a document that is kept under this id, if anything. */
function sectionProblems(section: unknown, id: string): Problem[] {
  if (section === undefined)
    return [problemAt([], "is missing: this is a fixture, and not the document of a sandbox")];
  const format = valueAt(section, ["format"]);
  if (Number.isInteger(format) && format !== FORMAT) {
    const writer = Number(format) > FORMAT ? "a newer messaging-sim" : "a version that was never released";
    const message = `is ${format}, written by ${writer}: this one reads format ${FORMAT}. Use that version, or another folder`;
    return [problemAt(["format"], message)];
  }
  const validate = validator();
  if (!validate(section)) return schemaProblems(validate.errors, section);
  const { sandbox } = section as Section;
  if (sandbox === id) return [];
  return [problemAt(["sandbox"], `is "${sandbox}", but it is kept as "${id}": restore its name`)];
}

/**
 * The sandbox that a document describes, as arguments of `SandboxRegistry.create`.
 *
 * @throws UnusableDocument with every problem of the first part that has any
 */
export function fromDocument(
  document: unknown,
  id: string,
  context: OpenContext,
): readonly [SandboxSetup, KeptSandbox] {
  const refusal = (problems: readonly Problem[], ...path: Path) =>
    new UnusableDocument(path.length === 0 ? problems : problems.map((each) => under(path, each)));
  const given = isObject(document) ? document.simulator : {};
  const strange = sectionProblems(given, id);
  if (strange.length > 0) throw refusal(strange, "simulator");
  const section = given as Section;

  const stateIn = (fixture: unknown, counters: Counters, ...path: Path): WorldState => {
    const { state, problems } = context.loader.loadState(fixture);
    if (problems !== undefined) throw refusal(problems, ...path);
    // Records that were added by hand count, too.
    return { ...state, counters: atLeast(counters, state.counters) };
  };
  const behaviourIn = (input: unknown, ...path: Path): Partial<BehaviourValues> => {
    const { values, problems } = context.checker.check(input);
    if (problems !== undefined) throw refusal(problems, ...path);
    return values;
  };
  const faultsIn = <F extends object>(faults: readonly F[], ...path: Path): readonly F[] => {
    for (const [index, fault] of faults.entries()) {
      const problems = problemsOf(fault as unknown as FaultInput);
      if (problems.length > 0) throw refusal(problems, ...path, index);
    }
    return faults;
  };
  const startIn = ({ state, behaviour, faults, ...rest }: StartSection, name: string): Partial<RunStart> =>
    omitUndefined({
      ...rest,
      state: state && stateIn(state.fixture, state.counters, "simulator", name, "state", "fixture"),
      behaviour: behaviour && behaviourIn(behaviour, "simulator", name, "behaviour"),
      faults: faults && faultsIn(faults, "simulator", name, "faults"),
    });

  const { seed, ids, expiresAt, snapshots, faults, deliveries } = section;
  const state = stateIn(document, section.counters);
  const own = startIn(section.start, "start");
  const options = { ...context.defaults(), ...own, own, id, expiresAt: expiresAt ?? undefined };
  return [
    options,
    {
      // Whatever the server has now, its run goes on with the same.
      over: { ...startIn(section.over, "over"), seed, ids },
      reached: section.reached,
      snapshots: snapshots.map(({ state: { fixture, counters }, ...rest }, index) => ({
        ...rest,
        state: stateIn(fixture, counters, "simulator", "snapshots", index, "state", "fixture"),
      })),
      run: {
        ...section,
        state,
        behaviour: behaviourIn(section.behaviour, "simulator", "behaviour"),
        faults: { ...faults, rules: faultsIn(faults.rules, "simulator", "faults", "rules") } as KeptFaults,
        deliveries: deliveries as unknown as KeptDeliveries,
      },
    },
  ];
}
