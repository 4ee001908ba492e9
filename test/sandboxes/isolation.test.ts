import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { settled } from "../wire/client.js";
import { exercise, observe } from "./observe.js";

const START = { clock: "2026-01-01T09:00:00Z", set: {} };

it("sandboxes that are used at once see what each would see alone, and nothing of another", async () => {
  const sim = await startSimulator(START);
  const before = await observe(sim, "default");
  const live = async (id: string) => {
    await sim.control("POST /sandboxes", { id });
    // The observation omits the sandbox's own name only.
    await sim.control(`PATCH /sandboxes/${id}/data/customers/cust_001`, { company: `${id}.` });
    return exercise(sim, id);
  };
  const alone = await live("alone");
  const ids = Array.from({ length: 12 }, (_, at) => `w${at + 1}`);
  for (const seen of await Promise.all(ids.map(live))) expect(seen).toEqual(alone);
  expect(await observe(sim, "default")).toEqual(before);
});

it("the deletion of a sandbox does not affect others", async () => {
  const sim = await startSimulator(START);
  for (const id of ["w1", "w2"]) {
    await sim.control("POST /sandboxes", { id });
    await sim.control(`PUT /sandboxes/${id}/sinks/demo`, { delayMs: 20 });
    await sim.control(`POST /sandboxes/${id}/threads/9001/inbound`, { text: id });
  }
  await sim.control("DELETE /sandboxes/w1");
  await sim.control("POST /sandboxes", { id: "w1" });
  await settled(sim, "/sandboxes/w2");
  expect((await sim.control("GET /sandboxes/w2/deliveries")).body).toMatchObject([{ status: "delivered" }]);
  expect((await sim.control("GET /sandboxes/w1/deliveries")).body).toEqual([]);
  expect((await sim.control("GET /sandboxes/w1/sinks/demo/received")).body).toEqual([]);
});
