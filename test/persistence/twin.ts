/** A sandbox whose process stopped at any point continues like its twin that never stopped. */
import fc from "fast-check";
import { expect } from "vitest";
import { briefCommands } from "../sandboxes/commands.js";
import { EXERCISE, plain } from "../sandboxes/observe.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";
import { imageOf, newFolder, observeKept } from "./support.js";

const NOON = Date.UTC(2026, 0, 1, 12);
const START = {
  clock: "2026-01-01T09:00:00Z",
  set: {},
  faults: [{ on: "delivery", after: 4, times: 1, then: "unavailable" }] as const,
};

/** A fault of the session may close the connection of a call, or break its answer. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
}

/** Runs the rest of a session, and returns all answers. */
async function goOn(sim: Running, id: string): Promise<unknown> {
  const answers: unknown[] = [];
  for (const [call, body] of EXERCISE) {
    // What was delivered before the stop is not kept.
    if (call.endsWith("/replay")) continue;
    const [method, path = ""] = call.split(" ");
    const answer = path.startsWith("/api/")
      ? await sim.api(call, body, { token: `${id}.acme-token` }).catch(unreadable)
      : await sim.control(`${method} /sandboxes/${id}${path}`, body);
    await settled(sim, `/sandboxes/${id}`);
    if (answer === undefined) {
      answers.push([call, "no answer that can be read"]);
      continue;
    }
    // A call with a token that is gone belongs to another sandbox.
    const isOwn = sim.registry.get(id)!.run.world.get("tokens", "acme-token") !== undefined;
    const request = isOwn ? answer.headers.get("x-sim-request") : null;
    answers.push([call, answer.status, request, answer.body]);
  }
  return plain(answers, id);
}

/** Running clocks would differ, so they are frozen again at once. */
async function halt(sims: readonly Running[], id: string): Promise<void> {
  if (sims.every((sim) => sim.registry.get(id)!.run.clock.state().frozen)) return;
  for (const sim of sims) await sim.control(`PUT /sandboxes/${id}/clock`, { frozen: true, now: NOON });
}

/** Stops this many sandboxes, each after a session of its own, and compares each with its twin. */
export async function expectSameAsTwin(sessions: number): Promise<void> {
  const twin = await startSimulator(START);
  const folder = newFolder();
  const stopped = await startSimulator({ ...START, data: folder, durability: "strict" });
  let made = 0;
  await fc.assert(
    fc.asyncProperty(briefCommands, fc.boolean(), fc.boolean(), async (all, apart, compacted) => {
      made += 1;
      const id = `s${made}`;
      const sims = [twin, stopped];
      for (const sim of sims) await sim.control("POST /sandboxes", { id, ids: apart ? "apart" : "same" });
      for (const [index, command] of all.entries()) {
        for (const sim of sims) {
          await command(sim, id);
          await settled(sim, `/sandboxes/${id}`);
        }
        await halt(sims, id);
        if (compacted && index === 3) await stopped.control("POST /checkpoint");
      }
      // Counters are written with the next change that waits for the disk.
      for (const sim of sims) await sim.control(`POST /sandboxes/${id}/snapshots`, { name: "last" });
      const before = await observeKept(twin, id);
      expect(await observeKept(stopped, id)).toEqual(before);
      const again = await startSimulator({ ...START, data: imageOf(folder), durability: "strict" });
      await settled(again, `/sandboxes/${id}`);
      expect(await observeKept(again, id)).toEqual(before);
      expect(await goOn(again, id)).toEqual(await goOn(twin, id));
      expect(await observeKept(again, id)).toEqual(await observeKept(twin, id));
      await again.close();
      for (const sim of sims) await sim.control(`DELETE /sandboxes/${id}`);
    }),
    { numRuns: sessions },
  );
}
