import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/simulator.js";
import { until } from "../support/until.js";

const AT = Date.parse("2026-01-01T09:00:00Z");
const HOUR = 3_600_000;

describe("the clock", () => {
  it("follows real time unless it is set or frozen", async () => {
    const { control } = await openSandbox();
    const before = Date.now();
    const { body } = await control("GET /clock");
    expect(body.frozen).toBe(false);
    expect(body.now).toBeGreaterThanOrEqual(before);
    expect(body.now).toBeLessThanOrEqual(Date.now());
  });

  it("can be set, frozen and unfrozen", async () => {
    const { control } = await openSandbox();
    const set = await control("PUT /clock", { now: "2026-01-01T09:00:00Z", frozen: true });
    expect([set.status, set.body]).toEqual([200, { now: AT, frozen: true }]);
    expect((await control("PUT /clock", { now: AT + 5 })).body).toEqual({ now: AT + 5, frozen: true });
    const { body } = await control("PUT /clock", { frozen: false });
    expect(body.frozen).toBe(false);
    expect(body.now).toBeGreaterThanOrEqual(AT + 5);
    expect((await control("PUT /clock", { frozen: true })).body.frozen).toBe(true);
  });
});

describe("advancing", () => {
  it.each<[string | number, number]>([
    ["24h", 24 * HOUR],
    ["1.5s", 1_500],
    [250, 250],
    [0, 0],
  ])("by %s moves %i ms", async (by, ms) => {
    const { control } = await openSandbox({ clock: AT });
    const { status, body } = await control("POST /clock/advance", { by });
    expect([status, body]).toEqual([200, { now: AT + ms, frozen: true }]);
  });

  it("keeps a running clock running", async () => {
    const { control } = await openSandbox();
    const { body: before } = await control("GET /clock");
    const { body } = await control("POST /clock/advance", { by: "1h" });
    expect(body.frozen).toBe(false);
    expect(body.now).toBeGreaterThanOrEqual(before.now + HOUR);
  });

  it("responds after all due retries, including that of an attempt in flight", async () => {
    const behaviour = { "delivery.attempts": 3, "delivery.backoff": ["1m", "5m"] } as const;
    const { control } = await openSandbox({ clock: AT, behaviour });
    await control("PUT /sinks/demo", { status: 503 });
    await control("POST /threads/9001/inbound", { text: "Hi" });
    await control("POST /clock/advance", { by: "10m" });
    const { body } = await control("GET /sinks/demo/received");
    expect(body.map(({ at }: { at: number }) => at - AT)).toEqual([0, 60_000, 360_000]);
  });

  it("fails with 409 if a reset interrupts it", async () => {
    const { control } = await openSandbox({ clock: AT, behaviour: { "delivery.attempts": 2 } });
    await control("POST /connect", { url: "sink:bot" });
    await control("PUT /sinks/bot", { status: 500 });
    await control("POST /threads/9001/inbound", { text: "Hello" });
    await control("POST /wait", { for: "idle" });
    await control("PUT /sinks/bot", { delayMs: 60_000 });
    const advanced = control("POST /clock/advance", { by: "1h" });
    await until(async () => (await control("GET /sinks/bot/received")).body.length === 2);
    await control("POST /reset");
    const { status, body } = await advanced;
    const message = expect.stringContaining("the clock was not advanced");
    expect([status, body.error.message]).toEqual([409, message]);
    expect((await control("GET /clock")).body).toEqual({ now: AT, frozen: true });
  });
});
