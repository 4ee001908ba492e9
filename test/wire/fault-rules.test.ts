/** When a fault fires: counted over real calls, and what is left of it after a reset. */
import { expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";
import { DETAILS } from "./client.js";

/** The statuses of calls made one after the other. */
async function statuses(sim: Running, calls: number, token: string): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < calls) seen.push((await sim.api(`GET ${DETAILS}`, undefined, { token })).status);
  return seen;
}

it("a rule with a probability fires according to the sandbox's seed", async () => {
  const sim = await startSimulator({ set: {} });
  const rule = { on: "request", then: "unavailable", probability: 0.5 };
  const run = async (id: string, seed: number) => {
    await sim.control("POST /sandboxes", { id, seed });
    await sim.control(`POST /sandboxes/${id}/faults`, rule);
    return (await statuses(sim, 40, `${id}.acme-token`)).join();
  };
  const [first, again, other] = [await run("a", 7), await run("b", 7), await run("c", 8)];
  expect([again === first, other === first]).toEqual([true, false]);
  const fired = first.match(/503/g)?.length;
  expect((await sim.control("GET /sandboxes/a/faults")).body).toMatchObject([{ seen: 40, fired }]);
  expect(fired).toBeGreaterThan(5);
  expect(fired).toBeLessThan(35);
});

it("faults given at the start apply to every sandbox, and a reset restores them", async () => {
  const sim = await startSimulator({ set: {}, faults: [{ on: "request", times: 1, then: "unavailable" }] });
  await sim.control("POST /sandboxes", { id: "s" });
  for (const [sandbox, token] of [
    ["", "acme-token"],
    ["/sandboxes/s", "s.acme-token"],
  ] as const) {
    expect(await statuses(sim, 2, token)).toEqual([503, 200]);
    await sim.control(`DELETE ${sandbox}/faults`);
    await sim.control(`POST ${sandbox}/faults`, { on: "request", then: { status: 418 } });
    expect(await statuses(sim, 1, token)).toEqual([418]);
    await sim.control(`POST ${sandbox}/reset`);
    expect((await sim.control(`GET ${sandbox}/faults`)).body).toMatchObject([{ id: "f1", fired: 0 }]);
    expect(await statuses(sim, 2, token)).toEqual([503, 200]);
  }
});
