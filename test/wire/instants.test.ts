/** An instant that the calendar does not have is refused wherever one is read, and changes nothing. */
import { beforeEach, expect, it } from "vitest";
import { UnusableDocument } from "../../src/kernel/problems.js";
import { read } from "../scenarios/support.js";
import { type OpenSandbox, openSandbox, startSimulator } from "../support/simulator.js";

const START = "2026-01-01T09:00:00Z";

let sim: OpenSandbox;
beforeEach(async () => {
  sim = await openSandbox({ clock: START });
});

it("such an instant is refused by the clock, a new sandbox, the start and a scenario", async () => {
  const instant = "2026-02-30T09:00:00Z";
  const { status, body } = await sim.control("PUT /clock", { now: instant });
  const message = expect.stringContaining("must be an ISO instant or milliseconds");
  expect([status, body.error.details]).toEqual([400, [{ path: "now", message }]]);
  expect((await sim.control("GET /clock")).body).toEqual({ now: Date.parse(START), frozen: true });
  const sandbox = await sim.control("POST /sandboxes", { id: "never", clock: instant });
  expect([sandbox.status, sandbox.body.error.details[0].path]).toEqual([400, "clock"]);
  await expect(startSimulator({ clock: instant })).rejects.toThrow(UnusableDocument);
  await expect(read(`name: one\nclock: "${instant}"\nsteps:\n  - log: x\n`)).rejects.toThrow(/clock/);
  const scenario = { name: "one", clock: instant, steps: [{ log: "x" }] };
  expect((await sim.control("POST /scenarios/run", { scenario })).status).toBe(400);
});

it.each([
  ["messages", "555001", "timestamp"],
  ["threads", "9001", "windowClosesAt"],
  ["tokens", "acme-token", "issuedAt"],
])("an instant of %s that has no ISO form is refused", async (collection, id, field) => {
  const before = (await sim.control(`GET /data/${collection}`)).body;
  const late = { [field]: 8_640_000_000_000_001 };
  const { status, body } = await sim.control(`PATCH /data/${collection}/${id}`, late);
  expect([status, body.error.details[0].path]).toEqual([400, field]);
  expect((await sim.control(`GET /data/${collection}`)).body).toEqual(before);
});

it("a clock beyond the year 9999 leaves a state that can be loaded again", async () => {
  await sim.control("PUT /clock", { now: 253_402_300_799_999, frozen: false });
  await sim.control("POST /wait", { for: { requests: {} }, timeoutMs: 5 });
  await sim.control("POST /threads/9001/inbound", { text: "late" });
  const { body } = await sim.control("GET /state");
  expect(body.messages.at(-1).timestamp).toBeGreaterThan(253_402_300_799_999);
  expect((await sim.control("PUT /state", body)).status).toBe(200);
  expect((await sim.control("GET /threads/9001/transcript?format=md")).body).toContain("+010000-01-01T00:");
});

it("an instant without an offset is UTC, in every time zone", async () => {
  const zone = process.env.TZ;
  process.env.TZ = "America/New_York";
  try {
    const { body } = await sim.control("PUT /clock", { now: "2026-07-01T09:00" });
    expect(body.now).toBe(Date.UTC(2026, 6, 1, 9));
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});
