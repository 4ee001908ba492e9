import { durationSchema, milliseconds } from "../../kernel/duration.js";
import { boolean, object, optional } from "../../kernel/schema.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { unusable } from "../errors.js";
import { clockSchema, instantIn, instantSchema, LAST_INSTANT } from "../inputs.js";
import type { ControlRoute } from "../route.js";
import { route } from "../route.js";

/** Moves time on, with the deliveries before and after it settled: what an attempt under way leads to falls due as well. */
async function advance(sandbox: Sandbox, ms: number): Promise<void> {
  let over = false;
  const forget = sandbox.onReset(() => {
    over = true;
  });
  try {
    await sandbox.outbox.settled();
    if (!over) await sandbox.clock.advance(ms);
    if (!over) await sandbox.outbox.settled();
  } finally {
    forget();
  }
}

export const CLOCK_ROUTES: readonly ControlRoute[] = [
  route({
    id: "getClock",
    method: "GET",
    path: "/clock",
    scope: "sandbox",
    summary: "The sandbox's time",
    success: { status: 200, schema: clockSchema },
    handle: ({ sandbox }) => ({ body: sandbox.clock.state() }),
  }),
  route({
    id: "setClock",
    method: "PUT",
    path: "/clock",
    scope: "sandbox",
    summary: "Set the clock, freeze it, or let it run",
    body: object({ now: optional(instantSchema), frozen: optional(boolean()) }, { minProperties: 1 }),
    success: { status: 200, schema: clockSchema },
    handle: ({ sandbox, body: { now, frozen } }) => {
      const instant = now === undefined ? undefined : instantIn(now, "now");
      if (typeof instant === "object") throw unusable([instant]);
      sandbox.clock.set({ now: instant, frozen });
      return { body: sandbox.clock.state() };
    },
  }),
  route({
    id: "advanceClock",
    method: "POST",
    path: "/clock/advance",
    scope: "sandbox",
    summary: "Move time on: what falls due runs in order; answers when all of it has settled",
    body: object({ by: durationSchema }),
    success: { status: 200, schema: clockSchema },
    handle: async ({ sandbox, body: { by } }) => {
      const ms = milliseconds(by);
      if (!(sandbox.clock.now() + ms <= LAST_INSTANT))
        throw unusable([{ path: "by", message: `leads beyond the year 9999: ${by}` }]);
      await advance(sandbox, ms);
      return { body: sandbox.clock.state() };
    },
  }),
];
