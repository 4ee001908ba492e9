import { beforeEach, describe, expect, it } from "vitest";
import { MAX_FAULTS } from "../../src/sandbox/faults.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";

let sim: Running;

/** The status of a call that a fault may answer. */
const faulty = async () =>
  (await fetch(sim.url + DETAILS.slice("GET ".length), { headers: { token: "acme-token" } })).status;

/** An object with this many levels. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

beforeEach(async () => {
  sim = await startSimulator();
});

describe("faults", () => {
  it("are added, counted and removed", async () => {
    const added = await sim.control("POST /faults", { on: "request", times: 1, then: "unavailable" });
    const rule = { id: "f1", preset: "unavailable", then: { status: 503 }, seen: 0, fired: 0 };
    expect(added).toMatchObject({ status: 201, body: rule });
    expect(await faulty()).toBe(503);
    expect((await sim.api(DETAILS)).status).toBe(200);
    expect((await sim.control("GET /faults")).body).toMatchObject([{ id: "f1", seen: 2, fired: 1 }]);
    expect((await sim.control("DELETE /faults/f1")).body).toMatchObject({ id: "f1" });
    expect((await sim.control("GET /faults")).body).toEqual([]);
    expect((await sim.control("DELETE /faults/f1")).status).toBe(404);
  });

  it("can be removed all at once", async () => {
    await sim.control("POST /faults", { on: "request", then: "unavailable" });
    await sim.control("POST /faults", { on: "delivery", then: { drop: "before" } });
    expect((await sim.control("DELETE /faults")).body).toEqual({ cleared: 2 });
    expect((await sim.api(DETAILS)).status).toBe(200);
  });

  it("accept payloads up to the limit", async () => {
    const payload = { ...(nested(50) as object), text: "x".repeat(60_000) };
    const { status, body } = await sim.control("POST /faults", { on: "delivery", then: { payload } });
    expect([status, body.then]).toEqual([201, { payload }]);
  });

  it("are limited in number", async () => {
    const { faults } = sim.registry.default.run;
    for (let at = 0; at < MAX_FAULTS; at += 1) faults.add({ on: "delivery", then: "slow" });
    expect((await sim.control("POST /faults", { on: "request", then: "slow" })).status).toBe(409);
  });
});
