/** Clock, behaviour and faults of a sandbox. */

import { clockSchema } from "../../kernel/clock.js";
import { durationSchema, milliseconds } from "../../kernel/duration.js";
import { LAST_INSTANT } from "../../kernel/realtime.js";
import type { Schema } from "../../kernel/schema.js";
import { array, boolean, object, optional, record, unknown } from "../../kernel/schema.js";
import { faultRuleSchema, faultSchema, problemsOf } from "../../sandbox/faults.js";
import type { Run } from "../../sandbox/run.js";
import { behaviourRowSchema } from "../../service/behaviour/behaviour.js";
import type { BehaviourValues } from "../../service/behaviour/table.js";
import { ControlError, unusable } from "../errors.js";
import { clearedSchema, instantIn, instantSchema } from "../inputs.js";
import { route } from "../route.js";

/**
 * Advances time, with deliveries settled before and after: what an attempt in flight leads to also falls due.
 *
 * @throws ControlError if the run ends first; Refusal if this cannot be saved
 */
async function advance({ clock, log, outbox, signal }: Run, ms: number): Promise<void> {
  log.check();
  for (const stage of [() => outbox.settled(), () => clock.advance(ms), () => outbox.settled()]) {
    await stage();
    if (signal.aborted) throw new ControlError("clock.overtaken");
  }
}

export const CLOCK_ROUTES = [
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
    summary: "Advance the clock; runs everything that falls due, in order, and responds when it has finished",
    body: object({ by: durationSchema }),
    success: { status: 200, schema: clockSchema },
    refusals: ["clock.overtaken"],
    handle: async ({ run, body: { by } }) => {
      const ms = milliseconds(by);
      if (!(run.clock.now() + ms <= LAST_INSTANT))
        throw unusable([{ path: "by", message: `leads beyond the year 9999: ${by}` }]);
      await advance(run, ms);
      return { body: run.clock.state() };
    },
  }),
];

export const BEHAVIOUR_ROUTES = [
  route("getBehaviour", "GET /behaviour", {
    summary: "List what the specification leaves open and how the sandbox behaves",
    success: { status: 200, schema: array(behaviourRowSchema) },
    handle: ({ run }) => ({ body: run.behaviour.rows() }),
  }),
  route("patchBehaviour", "PATCH /behaviour", {
    summary: "Change some values; returns all",
    body: record(unknown(), {
      description: "keys of the behaviour table with new values",
      examples: [{ "window.duration": "24h", "timestamps.unit": "s" }],
    }) as Schema<Record<string, unknown>, Partial<BehaviourValues>>,
    success: { status: 200, schema: array(behaviourRowSchema) },
    recorded: "call",
    stored: ({ behaviour }) => [behaviour.values],
    handle: ({ run, body, services, cause }) => {
      const checked = services.checker.check(body);
      if (checked.problems !== undefined) throw unusable(checked.problems, "the behaviour");
      run.patchBehaviour(checked.values, cause().id);
      return { body: run.behaviour.rows() };
    },
  }),
];

export const FAULTS_ROUTES = [
  route("listFaults", "GET /faults", {
    summary: "List the fault rules, with how often each matched and fired",
    success: { status: 200, schema: array(faultRuleSchema) },
    handle: ({ run }) => ({ body: run.faults.list() }),
  }),
  route("addFault", "POST /faults", {
    summary: "Add a fault rule",
    body: faultSchema,
    success: { status: 201, schema: faultRuleSchema },
    refusals: ["faults.tooMany"],
    stored: ({ faults }) => faults.list(),
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
    refusals: ["faults.notFound"],
    handle: ({ run, params }) => {
      const rule = run.faults.get(params.id);
      if (rule === undefined) throw new ControlError("faults.notFound", { id: params.id });
      run.faults.remove(params.id);
      return { body: rule };
    },
  }),
];
