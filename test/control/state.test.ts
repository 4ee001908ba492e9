import { beforeEach, expect, it } from "vitest";
import { serverOf } from "../support/server.js";
import { type OpenSandbox, openSandbox, startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";

const SAY = "POST /threads/9001/inbound";
const AT = Date.parse("2026-01-01T09:00:00Z");
const HOUR = 3_600_000;

let sim: OpenSandbox;
beforeEach(async () => {
  sim = await openSandbox({ clock: AT });
});

const get = async (path: string) => (await sim.control(`GET /${path}`)).body;

it("a state accepts everything that the API accepted", async () => {
  const user = { email: "ida@customer.example", locale: "" };
  const message = { businessId: "1001", message: "", user };
  expect((await sim.api("POST /api/widget/send-message-to-business", message)).status).toBe(200);
  const state = await get("state");
  expect(state.customers.at(-1).locale).toBe("");
  expect((await sim.control("PUT /state", state)).status).toBe(200);
});

it("a loaded state updates the timers of messaging windows", async () => {
  const state = await get("state");
  state.threads[0].windowClosesAt = AT + 60_000;
  await sim.control("PUT /state", state);
  await sim.control("POST /clock/advance", { by: "1m" });
  expect((await get("data/threads/9001")).isMessagingWindowOpen).toBe(false);
});

const take = (name: string) => sim.control("POST /snapshots", { name });
const restore = (name: string) => sim.control(`POST /snapshots/${name}/restore`);

it("snapshots restore state, ids and clock", async () => {
  const taken = await take("start");
  expect([taken.status, taken.body]).toEqual([201, { name: "start", now: AT, frozen: true }]);
  const before = await get("state");
  const { body: first } = await sim.control(SAY, { text: "Hi" });
  await sim.control("POST /clock/advance", { by: "1h" });
  const restored = await restore("start");
  expect([restored.status, restored.body]).toEqual([200, taken.body]);
  expect(await get("state")).toEqual(before);
  expect(await get("clock")).toEqual({ now: AT, frozen: true });
  expect((await sim.control(SAY, { text: "Hi" })).body).toEqual(first);
});

it("snapshots let a running clock continue from their time", async () => {
  await sim.control("PUT /clock", { frozen: false });
  const { body: taken } = await take("running");
  await sim.control("PUT /clock", { now: 0, frozen: true });
  await restore("running");
  const { now, frozen } = await get("clock");
  expect([taken.frozen, frozen]).toEqual([false, false]);
  expect(now).toBeGreaterThanOrEqual(taken.now);
  expect(now).toBeLessThan(taken.now + 60_000);
});

it("snapshots are replaced, listed and deleted by name", async () => {
  for (const name of ["a/b", "c"]) await take(name);
  await sim.control("PUT /clock", { now: 5 });
  await take("a/b");
  expect(await get("snapshots")).toEqual([
    { name: "a/b", now: 5, frozen: true },
    { name: "c", now: AT, frozen: true },
  ]);
  expect((await sim.control("DELETE /snapshots/a%2Fb")).status).toBe(200);
  expect((await restore("a%2Fb")).status).toBe(404);
});

it("a snapshot restores state and clock after a reset, and leaves logs, faults, behaviour and sinks as they are", async () => {
  const settled = ["requests", "deliveries", "warnings", "faults", "behaviour", "sinks/demo/received"];
  const standing = (paths: readonly string[]) => Promise.all(paths.map(get));
  const traffic = async (text: string) => {
    await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId: 9001, text });
    await sim.control(SAY, { text });
    await sim.control("POST /wait", { for: "idle" });
  };
  await traffic("Before");
  await sim.control("PUT /clock", { now: AT + 5 });
  const before = await standing(["state", "clock"]);
  expect((await take("before")).body).toEqual({ name: "before", now: AT + 5, frozen: true });
  await sim.control("POST /reset");
  await sim.control("PATCH /behaviour", { "delivery.attempts": 3 });
  await traffic("After");
  await sim.control("POST /faults", { on: "request", then: "unavailable" });
  const after = await standing(settled);
  expect(after.map((all) => all.length)).not.toContain(0);
  expect((await restore("before")).body).toEqual({ name: "before", now: AT + 5, frozen: true });
  expect(await standing(["state", "clock"])).toEqual(before);
  expect(await standing(settled)).toEqual(after);
  expect((await sim.control(SAY, { text: "On it goes" })).status).toBe(201);
});

it("PATCH /behaviour answers with the whole table as it then is", async () => {
  const { body } = await sim.control("PATCH /behaviour", { "window.duration": "12h" });
  expect(body).toContainEqual(expect.objectContaining({ key: "window.duration", value: "12h" }));
  expect(await get("behaviour")).toEqual(body);
});

it("GET /__sim/start is what the sandbox started with, whatever happened since", async () => {
  const faults = [{ on: "delivery", times: 1, then: "unavailable" }] as const;
  const sim = await startSimulator({ seed: 5, faults });
  const start = async () => (await sim.control("GET /start")).body;
  const { body: state } = await sim.control("GET /state");
  await sim.control("PATCH /behaviour", { "delivery.attempts": 2 });
  await sim.control("PATCH /data/threads/9001", { status: "resolved" });
  const own = { behaviour: {}, seed: 5, clock: null };
  const kind = { standard: true, shipped: true, ids: "same" };
  expect(await start()).toEqual({ fixtures: state, faults, ...own, ...kind });
  const fixtures = { organizations: [{ id: "1", name: "Alone" }] };
  const other = { clock: 1000, seed: 7, behaviour: { "delivery.attempts": 3 } };
  await sim.control("POST /reset", { fixtures, ...other });
  const replaced = { fixtures: { ...fixtures, threads: [] }, standard: false, shipped: false };
  expect(await start()).toMatchObject({ ...other, ...replaced });
  await sim.control("POST /reset");
  expect(await start()).toMatchObject({ ...own, ...kind });
});

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

it.each([
  ["24h", 24 * HOUR],
  [250, 250],
  [0, 0],
] as const)("advancing a frozen clock by %s moves %i ms", async (by, ms) => {
  const { status, body } = await sim.control("POST /clock/advance", { by });
  expect([status, body]).toEqual([200, { now: AT + ms, frozen: true }]);
});

it("advancing a frozen clock responds after all due retries, including that of an attempt in flight", async () => {
  await sim.control("PATCH /behaviour", { "delivery.attempts": 3, "delivery.backoff": ["1m", "5m"] });
  await sim.control("PUT /sinks/demo", { status: 503 });
  await sim.control("POST /threads/9001/inbound", { text: "Hi" });
  await sim.control("POST /clock/advance", { by: "10m" });
  const { body } = await sim.control("GET /sinks/demo/received");
  expect(body.map(({ at }: { at: number }) => at - AT)).toEqual([0, 60_000, 360_000]);
});

it("an advance during another one is refused at once, so that a receiver that advances does not wait for itself", async () => {
  const inner: unknown[] = [];
  const statuses = [503];
  const url = await serverOf(async (_request, response) => {
    const status = statuses.pop();
    if (status === undefined) {
      const { status: refused, body } = await sim.control("POST /clock/advance", { by: "1m" });
      inner.push([refused, body.error.code, body.error.message]);
    }
    response.writeHead(status ?? 200).end();
  });
  const set = { "delivery.attempts": 2, "delivery.backoff": ["1m"], "delivery.timeoutMs": 60_000 };
  await sim.control("PATCH /behaviour", set);
  await sim.control("PATCH /data/webhooks/1", { url });
  await sim.control(SAY, { text: "Hi" });
  await sim.control("POST /wait", { for: "idle" });
  const { status, body } = await sim.control("POST /clock/advance", { by: "2m" });
  expect([status, body.now - AT]).toEqual([200, 120_000]);
  expect(inner).toEqual([[409, "conflict", expect.stringMatching(/^the clock is already advancing: /)]]);
  expect((await sim.control("POST /clock/advance", { by: "1m" })).status).toBe(200);
});

it("advancing a frozen clock fails with 409 if a reset interrupts it", async () => {
  await sim.control("PATCH /behaviour", { "delivery.attempts": 2 });
  await sim.control("PUT /sinks/demo", { status: 503 });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  await sim.control("POST /wait", { for: "idle" });
  await sim.control("PUT /sinks/demo", { delayMs: 60_000 });
  const advanced = sim.control("POST /clock/advance", { by: "1h" });
  await until(async () => (await sim.control("GET /sinks/demo/received")).body.length === 2);
  await sim.control("POST /reset");
  const { status, body } = await advanced;
  const message = expect.stringContaining("reset or deleted during the call");
  expect([status, body.error.message]).toEqual([409, message]);
  expect((await sim.control("GET /clock")).body).toEqual({ now: AT, frozen: true });
});
