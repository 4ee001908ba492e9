/** A sandbox is a document that people can read; test/sandboxes/twins.ts shows that it is read back as it was. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COLLECTIONS } from "../../src/service/world/records.js";
import { startSimulator } from "../support/simulator.js";
import { newFolder } from "./support.js";

const CLOCK = "2026-01-01T09:00:00Z";

it("is a fixture with one more section, in lines that people can read", async () => {
  const data = newFolder();
  const sim = await startSimulator({ data, clock: CLOCK });
  await sim.control("POST /threads/9001/inbound", { text: "Read me" });
  expect((await sim.control("POST /checkpoint")).body).toEqual({ sandboxes: 1 });
  const written = readFileSync(join(data, "default.json"), "utf8");
  const { body: state } = await sim.control("GET /state");
  await sim.close();
  const { simulator, ...collections } = JSON.parse(written);
  expect(Object.keys(collections)).toEqual(COLLECTIONS);
  expect(collections).toEqual(state);
  expect(written.split("\n").filter((line) => line.includes("Read me"))).toEqual([
    expect.stringMatching(/^\{"id":"555023",.*\},?$/),
  ]);
  expect(simulator).toMatchObject({
    format: 1,
    sandbox: "default",
    clock: { frozenAt: Date.parse(CLOCK) },
    start: {},
    checksum: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
});

it("a sandbox with a start of its own goes back to that, and any other to the server's as it is now", async () => {
  const data = newFolder();
  const first = await startSimulator({ data, seed: 1, set: { "delivery.attempts": 2 } });
  await first.control("PUT /sandboxes/own", {
    fixtures: { organizations: [{ id: "1", name: "Own" }] },
    seed: 9,
  });
  await first.control("POST /sandboxes/own/snapshots", { name: "kept" });
  await first.close();
  const second = await startSimulator({ data, seed: 3, set: { "delivery.attempts": 5 } });
  const attempts = (id: string) => second.registry.get(id)!.run.behaviour.values["delivery.attempts"];
  expect([attempts("default"), attempts("own")]).toEqual([2, 2]);
  expect(second.registry.default.run.start.seed).toBe(1);
  for (const id of ["default", "own"]) await second.control(`POST /sandboxes/${id}/reset`);
  expect([attempts("default"), attempts("own")]).toEqual([5, 5]);
  expect([second.registry.default.run.start.seed, second.registry.get("own")!.run.start.seed]).toEqual([
    3, 9,
  ]);
  const { body } = await second.control("GET /sandboxes/own/state");
  expect(body.organizations).toEqual([{ id: "1", name: "Own" }]);
  expect((await second.control("GET /sandboxes/own/snapshots")).body).toMatchObject([{ name: "kept" }]);
});
