import { omitUndefined } from "../../kernel/objects.js";
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
import { ID_SERIES } from "../../protocol/names.js";
import { faultSchema } from "../../sandbox/faults.js";
import type { Run } from "../../sandbox/run.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { Snapshot } from "../../sandbox/states.js";
import { snapshotNameSchema } from "../../sandbox/states.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { differing } from "../../service/behaviour/table.js";
import type { FixtureDocument } from "../../service/world/fixture.js";
import { fixtureSchema } from "../../service/world/fixture.js";
import { collectionsOf, World } from "../../service/world/world.js";
import { ControlError, unusable } from "../errors.js";
import { withSecrets } from "../inputs.js";
import { route } from "../route.js";
import { startSchema } from "../sandbox-maker.js";

const snapshotSchema = object({
  name: snapshotNameSchema,
  now: integer({ description: "the time of its clock, ms" }),
  frozen: boolean(),
  logs: optional(
    boolean({
      description:
        "for a snapshot taken with `logs`: whether restoring it also brings back what a reset has cleared since",
    }),
  ),
});

/** For calls that throw state away: nothing is written between the snapshot and the change. */
const snapshotBefore = object({
  snapshot: optional({
    ...snapshotNameSchema,
    description: "first takes a snapshot of this name with `logs`, in the same step",
  }),
});

/** A snapshot of a world; the clock's time in ms. */
export type SnapshotInfo = InferReadonly<typeof snapshotSchema>;

const snapshotView = (sandbox: Sandbox, snapshot: Snapshot) => ({
  name: snapshot.name,
  ...snapshot.clock,
  ...omitUndefined({ logs: snapshot.epoch === undefined ? undefined : sandbox.bringsBack(snapshot) }),
});

/** A fixture document with all collections and all defaults. */
const stateSchema = fixtureSchema as Schema<FixtureDocument>;

const originSchema = object({
  fixtures: stateSchema,
  standard: boolean({ description: "the fixture is the server's own" }),
  shipped: boolean({ description: "the fixture is the one that ships" }),
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

/** A state that is written back: masked values of its webhooks are replaced by the stored ones. */
const withStoredSecrets = (state: Readonly<Record<string, unknown>>, { world }: Run) =>
  Array.isArray(state.webhooks)
    ? { ...state, webhooks: withSecrets(state.webhooks, () => [[...world.all("webhooks")]], ["webhooks"]) }
    : state;

export const STATE_ROUTES = [
  route("getStart", "GET /start", {
    summary: "Show what the sandbox started with, or was last reset to",
    success: { status: 200, schema: originSchema },
    handle: ({ run: { start }, services }) => {
      const { state, isShipped } = services.defaults();
      return {
        streamed: {
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
    query: snapshotBefore,
    body: startSchema,
    world: "fixtures",
    bodyOptional: true,
    success: { status: 200, schema: object({ sandbox: string() }) },
    refusals: ["snapshots.tooMany"],
    recorded: false,
    handle: async ({ sandbox, body, query, services }) => {
      await services.sandboxes.reset(sandbox, body, query.snapshot);
      return { body: { sandbox: sandbox.id } };
    },
  }),
  route("getState", "GET /state", {
    readable: true,
    summary: "Show the whole state as a fixture document",
    success: { status: 200, schema: stateSchema },
    handle: ({ run }) => ({ streamed: collectionsOf(run.shownSnapshot()) }),
  }),
  route("getBundle", "GET /bundle", {
    readable: true,
    summary: "Export the whole sandbox as one document, with masked secrets, for `serve --bundle`",
    success: {
      status: 200,
      schema: record(unknown(), {
        description: "the state as a fixture; `simulator` holds the pending work, `journal` the logs",
      }),
    },
    handle: async ({ sandbox, services }) => ({
      streamed: await services.bundleOf(sandbox),
      layout: { levels: 6, gap: "\n" },
    }),
  }),
  route("putState", "PUT /state", {
    readable: true,
    summary: "Replace the state with a fixture document; a later reset still returns to the start",
    query: snapshotBefore,
    body: record(unknown(), { description: "a fixture document" }),
    world: "body",
    success: { status: 200, schema: stateSchema },
    recorded: "call",
    refusals: ["snapshots.tooMany", "state.overtaken"],
    handle: async ({ sandbox, run, body, query, services, cause }) => {
      const { state, problems } = await services.loader.ofStored.loadState(withStoredSecrets(body, run));
      if (problems !== undefined) throw unusable(problems, "the state");
      if (run.signal.aborted) throw new ControlError("state.overtaken");
      sandbox.after(query.snapshot, () => run.replaceState(state, cause().id));
      return { streamed: collectionsOf(run.shownSnapshot()) };
    },
  }),
  route("takeSnapshot", "POST /snapshots", {
    summary: "Save state and clock under a name; replaces an existing snapshot of that name",
    body: object({
      name: snapshotNameSchema,
      logs: optional(
        boolean({
          description:
            "if a reset happens later, restoring also brings back logs, faults, behaviour, sinks and deliveries",
        }),
      ),
    }),
    success: { status: 201, schema: snapshotSchema },
    refusals: ["snapshots.tooMany"],
    handle: ({ sandbox, body: { name, logs } }) => ({
      body: snapshotView(sandbox, sandbox.keep(name, logs)),
    }),
  }),
  route("listSnapshots", "GET /snapshots", {
    summary: "List the named snapshots",
    success: { status: 200, schema: array(snapshotSchema) },
    handle: ({ sandbox }) => ({
      body: [...sandbox.snapshots.values()].map((snapshot) => snapshotView(sandbox, snapshot)),
    }),
  }),
  route("restoreSnapshot", "POST /snapshots/:name/restore", {
    summary: "Restore the state and clock of a snapshot; a running clock continues from its time",
    success: { status: 200, schema: snapshotSchema },
    query: snapshotBefore,
    refusals: ["memory.full", "snapshots.notFound", "snapshots.tooMany"],
    handle: ({ sandbox, params, query, cause }) => {
      const snapshot = sandbox.snapshots.get(params.name);
      if (snapshot === undefined) throw new ControlError("snapshots.notFound", { id: params.name });
      const body = snapshotView(sandbox, snapshot);
      sandbox.after(query.snapshot, () => sandbox.restore(snapshot, cause().id));
      return { body };
    },
  }),
  route("deleteSnapshot", "DELETE /snapshots/:name", {
    summary: "Delete a snapshot",
    success: { status: 200, schema: object({ name: snapshotNameSchema }) },
    refusals: ["snapshots.notFound"],
    handle: ({ sandbox, params }) => {
      if (!sandbox.forget(params.name)) throw new ControlError("snapshots.notFound", { id: params.name });
      return { body: { name: params.name } };
    },
  }),
];
