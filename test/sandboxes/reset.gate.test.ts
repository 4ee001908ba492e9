/** Whatever has been done to a sandbox: once it is reset it is as one that was just made. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { commands, play } from "./commands.js";
import { exercise, observe } from "./observe.js";

const START = { clock: "2026-01-01T09:00:00Z", set: {} };

it("a sandbox after a reset is like a new one, and continues like one", async () => {
  const sim = await startSimulator({
    ...START,
    faults: [{ on: "delivery", after: 4, times: 1, then: "unavailable" }],
  });
  let made = 0;
  const fresh = async () => {
    made += 1;
    await sim.control("POST /sandboxes", { id: `s${made}` });
    return `s${made}`;
  };
  const untouched = await fresh();
  const before = await observe(sim, untouched);
  const after = await exercise(sim, untouched);
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      const used = await fresh();
      for (const command of all) await play(sim, used, command);
      await sim.control(`POST /sandboxes/${used}/reset`);
      expect(await observe(sim, used)).toEqual(before);
      expect(await exercise(sim, used)).toEqual(after);
      await sim.control(`DELETE /sandboxes/${used}`);
    }),
    { numRuns: 10 },
  );
});

it("a reset to another start applies once", async () => {
  const sim = await startSimulator(START);
  const shown = async () => {
    const { body: sandbox } = await sim.control("GET /sandboxes/default");
    const { body: start } = await sim.control("GET /start");
    const { body: clock } = await sim.control("GET /clock");
    return { tokens: sandbox.tokens, seed: start.seed, now: clock.now };
  };
  const start = await shown();
  await sim.control("POST /reset", { seed: 99, clock: "2030-01-01", fixtures: {} });
  expect(await shown()).toEqual({ tokens: {}, seed: 99, now: Date.UTC(2030, 0) });
  await sim.control("POST /reset");
  expect(await shown()).toEqual(start);
});
