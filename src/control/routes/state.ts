/** The state and the settings of a sandbox: its start, records, snapshots, clock, behaviour and faults. */
import { clockSchema } from "../../kernel/clock.js";
import { ID_SERIES } from "../../kernel/names.js";
import { LAST_INSTANT } from "../../kernel/realtime.js";
import type { Infer, InferReadonly, Schema } from "../../kernel/schema.js";
import {
  array,
  boolean,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  unknown,
} from "../../kernel/schema.js";
import { durationSchema, milliseconds } from "../../kernel/units.js";
import { faultRuleSchema, faultSchema, problemsOf } from "../../sandbox/faults.js";
import type { Run } from "../../sandbox/run.js";
import type { Snapshot } from "../../sandbox/states.js";
import { snapshotNameSchema } from "../../sandbox/states.js";
import { behaviourRowSchema } from "../../service/behaviour/behaviour.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { differing } from "../../service/behaviour/table.js";
import type { FixtureDocument, FixtureInput } from "../../service/world/records.js";
import { fixtureSchema } from "../../service/world/records.js";
import { collectionsOf, World } from "../../service/world/world.js";
import { ControlError, existing, unusable } from "../errors.js";
import { clearedSchema, instantIn, instantSchema, recordOf } from "../inputs.js";
import { route } from "../route.js";
import { startSchema } from "../sandbox-maker.js";

const snapshotSchema = object({
  name: snapshotNameSchema,
  now: integer({ description: "the time of its clock, ms" }),
  frozen: boolean(),
});

/** A snapshot of a world; the clock's time in ms. */
export type SnapshotInfo = InferReadonly<typeof snapshotSchema>;

const snapshotView = ({ name, clock }: Snapshot): SnapshotInfo => ({ name, ...clock });

/** A fixture document with all collections and all defaults. */
const stateSchema = fixtureSchema as Schema<FixtureDocument>;

const originSchema = object({
  fixtures: stateSchema,
  standard: boolean({ description: "true if the fixture is the server's" }),
  shipped: boolean({ description: "true if the fixture is the built-in one" }),
  faults: array(faultSchema, { description: "the fault rules of the start" }),
  behaviour: record(unknown(), {
    description: "values that differ from the profile `documented`",
  }) as Schema<Partial<BehaviourValues>>,
  seed: integer(),
  clock: nullable(integer(), { description: "the time of the stopped clock, ms; null for real time" }),
  ids: oneOf(ID_SERIES),
});

/** What a sandbox started with, or was last reset to. */
export type Start = Readonly<Infer<typeof originSchema>>;

/**
 * Advances time, with deliveries settled before and after: what an attempt in flight leads to also falls due. One at a time:
 * a receiver whose delivery is awaited would wait for itself.
 */
async function advance(run: Run, ms: number): Promise<void> {
  const { clock, saver, outbox, signal } = run;
  saver.check();
  if (run.isAdvancing) throw new ControlError("clock.advancing");
  run.isAdvancing = true;
  try {
    for (const stage of [() => outbox.settled(), () => clock.advance(ms), () => outbox.settled()]) {
      await stage();
      if (signal.aborted) throw new ControlError("sandboxes.ended");
    }
  } finally {
    run.isAdvancing = false;
  }
}

export const STATE_ROUTES = [
  route("getStart", "GET /start", {
    summary: "Show the initial settings of the sandbox, or those of its last reset",
    success: { status: 200, schema: originSchema },
    handle: ({ run: { start }, services }) => {
      const { state, isShipped } = services.defaults();
      return {
        body: {
          fixtures: collectionsOf(new World(start.state)),
          standard: start.state === state,
          shipped: start.state === state && isShipped,
          faults: start.faults,
          behaviour: differing(start.behaviour),
          seed: start.seed,
          clock: start.clock ?? null,
          ids: start.ids ?? "same",
        },
      };
    },
  }),
  route("reset", "POST /reset", {
    summary:
      "Reset to the fixture and options of the start, or to others for this reset only; named snapshots stay",
    body: startSchema,
    world: "fixtures",
    bodyOptional: true,
    success: { status: 200, schema: object({ sandbox: string() }) },
    recorded: false,
    handle: ({ sandbox, body, services }) => {
      services.sandboxes.reset(sandbox, body);
      return { body: { sandbox: sandbox.id } };
    },
  }),
  route("getState", "GET /state", {
    secrets: "shown",
    summary: "Show the whole state as a fixture document",
    success: { status: 200, schema: stateSchema },
    handle: ({ run }) => ({ body: collectionsOf(run.shown()) }),
  }),
  route("putState", "PUT /state", {
    secrets: "shown",
    summary: "Replace the state with a fixture document; a later reset still returns to the start",
    body: recordOf<FixtureInput>({ description: "a fixture document" }),
    world: "body",
    success: { status: 200, schema: stateSchema },
    recorded: "call",
    handle: ({ run, body, services, cause }) => {
      const { state, problems } = services.loader.ofStored.loadState(body);
      if (problems !== undefined) throw unusable(problems, "state");
      run.replaceState(state, cause().id);
      return { body: collectionsOf(run.shown()) };
    },
  }),
  route("takeSnapshot", "POST /snapshots", {
    summary: "Save state and clock under a name; replaces an existing snapshot of that name",
    body: object({ name: snapshotNameSchema }),
    success: { status: 201, schema: snapshotSchema },
    handle: ({ sandbox, body: { name } }) => ({ body: snapshotView(sandbox.keep(name)) }),
  }),
  route("listSnapshots", "GET /snapshots", {
    summary: "List the named snapshots",
    success: { status: 200, schema: array(snapshotSchema) },
    handle: ({ sandbox }) => ({ body: [...sandbox.snapshots.values()].map(snapshotView) }),
  }),
  route("restoreSnapshot", "POST /snapshots/:name/restore", {
    summary: "Restore the state and clock of a snapshot; a running clock continues from its time",
    body: object({
      keep: optional({
        ...snapshotNameSchema,
        description: "first save the present state and clock under this name, in place of the snapshot",
      }),
    }),
    bodyOptional: true,
    success: { status: 200, schema: snapshotSchema },
    handle: ({ sandbox, run, params: { name: id }, body: { keep }, cause }) => {
      const snapshot = existing(sandbox.snapshots.get(id), "snapshots.notFound", { id });
      if (keep !== undefined) {
        sandbox.forget(id);
        sandbox.keep(keep);
      }
      run.restore(snapshot, cause().id);
      return { body: snapshotView(snapshot) };
    },
  }),
  route("deleteSnapshot", "DELETE /snapshots/:name", {
    summary: "Delete a snapshot",
    success: { status: 200, schema: object({ name: snapshotNameSchema }) },
    handle: ({ sandbox, params }) => {
      if (!sandbox.forget(params.name)) throw new ControlError("snapshots.notFound", { id: params.name });
      return { body: { name: params.name } };
    },
  }),
  route("getClock", "GET /clock", {
    summary: "Show the sandbox's time",
    success: { status: 200, schema: clockSchema },
    handle: ({ run }) => ({ body: run.clock.state() }),
  }),
  route("setClock", "PUT /clock", {
    summary: "Set the clock, freeze it, or let it run",
    body: object({ now: optional(instantSchema), frozen: optional(boolean()) }, { minProperties: 1 }),
    success: { status: 200, schema: clockSchema },
    handle: ({ run, body: { now, frozen }, cause }) => {
      const instant = now === undefined ? undefined : instantIn(now, "now");
      if (typeof instant === "object") throw unusable([instant]);
      run.setClock({ now: instant, frozen }, cause().id);
      return { body: run.clock.state() };
    },
  }),
  route("advanceClock", "POST /clock/advance", {
    summary:
      "Advance the clock; runs everything that falls due, in order, and responds when it has finished; refused during another advance",
    body: object({ by: durationSchema }),
    success: { status: 200, schema: clockSchema },
    handle: async ({ run, body: { by } }) => {
      const ms = milliseconds(by);
      if (!(run.clock.now() + ms <= LAST_INSTANT))
        throw unusable([{ path: "by", message: `leads beyond the year 9999: ${by}` }]);
      await advance(run, ms);
      return { body: run.clock.state() };
    },
  }),
  route("getBehaviour", "GET /behaviour", {
    summary: "List the entries of the behaviour table with their current values",
    success: { status: 200, schema: array(behaviourRowSchema) },
    handle: ({ run }) => ({ body: run.behaviour.rows() }),
  }),
  route("patchBehaviour", "PATCH /behaviour", {
    summary: "Change values of the behaviour table; returns all entries",
    body: recordOf<Partial<BehaviourValues>>({
      description: "keys of the behaviour table with new values",
      examples: [{ "window.duration": "24h", "timestamps.unit": "s" }],
    }),
    success: { status: 200, schema: array(behaviourRowSchema) },
    recorded: "call",
    handle: ({ run, body, services, cause }) => {
      const checked = services.checker.check(body);
      if (checked.problems !== undefined) throw unusable(checked.problems, "behaviour");
      run.patchBehaviour(checked.values, cause().id);
      return { body: run.behaviour.rows() };
    },
  }),
  route("listFaults", "GET /faults", {
    summary: "List the fault rules, with how often each matched and fired",
    success: { status: 200, schema: array(faultRuleSchema) },
    handle: ({ run }) => ({ body: run.faults.list() }),
  }),
  route("addFault", "POST /faults", {
    summary: "Add a fault rule",
    body: faultSchema,
    success: { status: 201, schema: faultRuleSchema },
    handle: ({ run, body }) => {
      const problems = problemsOf(body);
      if (problems.length > 0) throw unusable(problems);
      return { body: run.faults.add(body) };
    },
  }),
  route("clearFaults", "DELETE /faults", {
    summary: "Delete all fault rules",
    success: { status: 200, schema: clearedSchema },
    handle: ({ run }) => {
      const cleared = run.faults.list().length;
      run.faults.clear();
      return { body: { cleared } };
    },
  }),
  route("deleteFault", "DELETE /faults/:id", {
    summary: "Delete a fault rule",
    success: { status: 200, schema: faultRuleSchema },
    handle: ({ run: { faults }, params: { id } }) => {
      const rule = existing(faults.get(id), "faults.notFound", { id });
      faults.remove(id);
      return { body: rule };
    },
  }),
];
