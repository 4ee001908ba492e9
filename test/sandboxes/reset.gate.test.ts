/** Whatever has been done to a sandbox: once it is reset it is as one that was just made. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { commands } from "./commands.js";
import { exercise, observe } from "./observe.js";

const START = { clock: "2026-01-01T09:00:00Z", set: {} };

describe("a sandbox after a reset", () => {
  it("is as a fresh one, and goes on like one", { timeout: 60_000 }, async () => {
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
        for (const command of all) await command(sim, used);
        await sim.control(`POST /sandboxes/${used}/reset`);
        expect(await observe(sim, used)).toEqual(before);
        expect(await exercise(sim, used)).toEqual(after);
        await sim.control(`DELETE /sandboxes/${used}`);
      }),
      { numRuns: 10 },
    );
  });
});
