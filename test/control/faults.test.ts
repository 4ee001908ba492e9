import { beforeEach, describe, expect, it } from "vitest";
import { MAX_FAULTS } from "../../src/sandbox/faults.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";

let sim: Running;

/** The status of a call whose answer need not be one of the operation's own. */
const faulty = async () =>
  (await fetch(sim.url + DETAILS.slice("GET ".length), { headers: { token: "acme-token" } })).status;

/** An object so many levels deep. */
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

beforeEach(async () => {
  sim = await startSimulator();
});

describe("faults", () => {
  it("are added, counted and taken away", async () => {
    const added = await sim.control("POST /faults", { on: "request", times: 1, then: "unavailable" });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      id: "f1",
      preset: "unavailable",
      then: { status: 503 },
      seen: 0,
      fired: 0,
    });
    expect(await faulty()).toBe(503);
    expect((await sim.api(DETAILS)).status).toBe(200);
    expect((await sim.control("GET /faults")).body).toMatchObject([{ id: "f1", seen: 2, fired: 1 }]);
    expect((await sim.control("DELETE /faults/f1")).body).toMatchObject({ id: "f1" });
    expect((await sim.control("GET /faults")).body).toEqual([]);
    expect((await sim.control("DELETE /faults/f1")).status).toBe(404);
  });

  it("are taken away all at once", async () => {
    await sim.control("POST /faults", { on: "request", then: "unavailable" });
    await sim.control("POST /faults", { on: "delivery", then: { drop: "before" } });
    expect((await sim.control("DELETE /faults")).body).toEqual({ cleared: 2 });
    expect((await sim.api(DETAILS)).status).toBe(200);
  });

  it.each([
    [{ on: "somewhere", then: "slow" }, "on"],
    [{ on: "request", then: { payload: {} } }, "then.payload"],
    [{ on: "request", then: { copy: {} } }, "then.copy"],
    [{ on: "request", then: { skewMs: 1 } }, "then.skewMs"],
    [{ on: "request", then: { answerLost: true } }, "then.answerLost"],
    [{ on: "delivery", then: { payload: ["eventType"] } }, "then.payload"],
    [{ on: "delivery", then: { payload: null } }, "then.payload"],
    [{ on: "delivery", then: { payload: nested(51) } }, "then.payload"],
    [{ on: "delivery", then: { payload: { text: "x".repeat(65_536) } } }, "then.payload"],
    [{ on: "delivery", then: { payload: { list: Array(10_000).fill(0) } } }, "then.payload"],
    [{ on: "delivery", then: { copy: { payload: nested(51) } } }, "then.copy.payload"],
    [{ on: "delivery", then: { copy: { signature: "good" } } }, "then.copy.signature"],
    [{ on: "delivery", then: { copy: { status: 500 } } }, "then.copy.status"],
    [{ on: "delivery", then: { signature: "odd" } }, "then.signature"],
    [{ on: "delivery", then: { skewMs: 3_600_001 } }, "then.skewMs"],
    [{ on: "delivery", then: { skewMs: 1.5 } }, "then.skewMs"],
    [{ on: "delivery", then: { skewMs: 60_000, signature: "stale" } }, "then.skewMs"],
    [{ on: "delivery", then: { copy: { skewMs: 60_000, signature: "ahead" } } }, "then.copy.skewMs"],
    [{ on: "delivery", then: { answerLost: true, drop: "after" } }, "then.answerLost"],
  ])("refuse %j", async (rule, path) => {
    const { status, body } = await sim.control("POST /faults", rule);
    expect(status).toBe(400);
    expect(body.error.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect((await sim.control("GET /faults")).body).toEqual([]);
  });

  it("take payloads as large as they may be", async () => {
    const payload = { ...(nested(50) as object), text: "x".repeat(60_000) };
    const { status, body } = await sim.control("POST /faults", { on: "delivery", then: { payload } });
    expect([status, body.then]).toEqual([201, { payload }]);
  });

  it("have a bound", async () => {
    const { faults } = sim.registry.default.run;
    for (let at = 0; at < MAX_FAULTS; at += 1) faults.add({ on: "delivery", then: "slow" });
    expect((await sim.control("POST /faults", { on: "request", then: "slow" })).status).toBe(409);
  });
});
