import { expect, it } from "vitest";
import { MAX_FAULTS } from "../../src/sandbox/faults.js";
import { startSimulator } from "../support/simulator.js";
import { idsOf } from "./support.js";

it("faults are added, with payloads up to the limit, and removed one by one or all at once", async () => {
  const { control } = await startSimulator();
  const nested = JSON.parse(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`);
  const payload = { ...nested, text: "x".repeat(60_000) };
  const added = await control("POST /faults", { on: "delivery", then: { payload } });
  expect(added).toMatchObject({ status: 201, body: { id: "f1", then: { payload }, seen: 0, fired: 0 } });
  for (const on of ["request", "delivery"]) await control("POST /faults", { on, then: "unavailable" });
  expect((await control("DELETE /faults/f2")).body).toMatchObject({ id: "f2", then: { status: 503 } });
  expect((await control("DELETE /faults/f2")).status).toBe(404);
  expect(idsOf(await control("GET /faults"))).toEqual(["f1", "f3"]);
  expect((await control("DELETE /faults")).body).toEqual({ cleared: 2 });
  expect((await control("GET /faults")).body).toEqual([]);
});

it("faults are limited in number", async () => {
  const { control, registry } = await startSimulator();
  const { faults } = registry.default.run;
  for (let at = 0; at < MAX_FAULTS; at += 1) faults.add({ on: "delivery", then: "slow" });
  expect((await control("POST /faults", { on: "request", then: "slow" })).status).toBe(409);
});
