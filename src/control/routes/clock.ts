import { clockSchema } from "../../kernel/clock.js";
import { durationSchema, milliseconds } from "../../kernel/duration.js";
import { LAST_INSTANT } from "../../kernel/realtime.js";
import { boolean, object, optional } from "../../kernel/schema.js";
import type { Run } from "../../sandbox/run.js";
import { unusable } from "../control-error.js";
import { instantIn, instantSchema } from "../inputs.js";
import { route } from "../route.js";

/** Moves time on, with the deliveries before and after it settled: what an attempt under way leads to falls due as well. */
async function advance({ clock, outbox, signal }: Run, ms: number): Promise<void> {
  await outbox.settled();
  if (!signal.aborted) await clock.advance(ms);
  if (!signal.aborted) await outbox.settled();
}

export const CLOCK_ROUTES = [
  route("getClock", "GET /clock", {
    summary: "The sandbox's time",
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
    summary: "Move time on: what falls due runs in order; answers when all of it has settled",
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
];
