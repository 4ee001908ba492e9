import { beforeEach, describe, expect, it } from "vitest";
import { type OpenSandbox, openSandbox } from "../support/simulator.js";
import { until } from "../support/until.js";

const AT = Date.parse("2026-01-01T09:00:00Z");
const HOUR = 3_600_000;

it("the clock follows real time, and runs on after an advance, until it is frozen", async () => {
  const { control } = await openSandbox();
  const before = Date.now();
  const { body: real } = await control("GET /clock");
  expect(real).toEqual({ now: expect.any(Number), frozen: false });
  expect(real.now - before).toBeGreaterThanOrEqual(0);
  expect(Date.now() - real.now).toBeGreaterThanOrEqual(0);
  const { body: advanced } = await control("POST /clock/advance", { by: "1h" });
  expect(advanced.frozen).toBe(false);
  expect(advanced.now - real.now).toBeGreaterThanOrEqual(HOUR);
  const set = await control("PUT /clock", { now: "2026-01-01T09:00:00Z", frozen: true });
  expect([set.status, set.body]).toEqual([200, { now: AT, frozen: true }]);
  expect((await control("PUT /clock", { now: AT + 5 })).body).toEqual({ now: AT + 5, frozen: true });
  const { body: again } = await control("PUT /clock", { frozen: false });
  expect(again.frozen).toBe(false);
  expect(again.now).toBeGreaterThanOrEqual(AT + 5);
});

describe("advancing a frozen clock", () => {
  const behaviour = { "delivery.attempts": 3, "delivery.backoff": ["1m", "5m"] } as const;
  let sim: OpenSandbox;
  beforeEach(async () => {
    sim = await openSandbox({ clock: AT, behaviour });
  });

  it.each([
    ["24h", 24 * HOUR],
    [250, 250],
    [0, 0],
  ] as const)("by %s moves %i ms", async (by, ms) => {
    const { status, body } = await sim.control("POST /clock/advance", { by });
    expect([status, body]).toEqual([200, { now: AT + ms, frozen: true }]);
  });

  it("responds after all due retries, including that of an attempt in flight", async () => {
    await sim.control("PUT /sinks/demo", { status: 503 });
    await sim.control("POST /threads/9001/inbound", { text: "Hi" });
    await sim.control("POST /clock/advance", { by: "10m" });
    const { body } = await sim.control("GET /sinks/demo/received");
    expect(body.map(({ at }: { at: number }) => at - AT)).toEqual([0, 60_000, 360_000]);
  });

  it("fails with 409 if a reset interrupts it", async () => {
    await sim.control("PUT /sinks/demo", { status: 503 });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.control("POST /wait", { for: "idle" });
    await sim.control("PUT /sinks/demo", { delayMs: 60_000 });
    const advanced = sim.control("POST /clock/advance", { by: "1h" });
    await until(async () => (await sim.control("GET /sinks/demo/received")).body.length === 2);
    await sim.control("POST /reset");
    const { status, body } = await advanced;
    const message = expect.stringContaining("the clock was not advanced");
    expect([status, body.error.message]).toEqual([409, message]);
    expect((await sim.control("GET /clock")).body).toEqual({ now: AT, frozen: true });
  });
});
