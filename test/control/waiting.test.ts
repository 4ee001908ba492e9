import { connect } from "node:net";
import { beforeEach, expect, it } from "vitest";
import { Random } from "../../src/kernel/random.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import type { Sandbox } from "../../src/sandbox/sandbox.js";
import { createSimulator } from "../../src/server/simulator.js";
import { heldReceiver } from "../support/server.js";
import { type Running, startSimulator, withCalls } from "../support/simulator.js";
import { idsOf } from "./support.js";

const DETAILS = "/api/get-customer-thread-details";
const SEND = "/api/send-message-to-customer-thread";
const RESOLVED = { collection: "threads", id: "9001", values: { status: "resolved" } };
const BY_SCENARIO = { headers: { "x-sim-by": "scenario" } };

let sim: Running;
let sandbox: Sandbox;
async function begin(options = {}) {
  sim = await startSimulator(options);
  sandbox = sim.registry.default;
}
beforeEach(() => begin());

const read = (threadId = "9001", options = {}) =>
  sim.api(`GET ${DETAILS}?customerThreadId=${threadId}`, undefined, options);
const say = (text: string, more: object = {}, options = {}) =>
  sim.api(`POST ${SEND}`, { customerThreadId: "9001", text, internal: true, ...more }, options);
const wait = (what: unknown, more: object = {}) => sim.control("POST /wait", { for: what, ...more });
const verify = (what: object) => sim.control("POST /verify", what);
const matchesOf = ({ status, body }: Awaited<ReturnType<typeof wait>>) => {
  expect(status).toBe(200);
  return idsOf({ body: body.matches });
};

/** Resolves when this many waits are open. */
async function opened(where: Sandbox, count = 1): Promise<void> {
  while (where.openWaits !== count) await nextTurn();
}

it("a wait for a delivery responds when an evicted one ends", async () => {
  await begin({ journalLimit: 1 });
  const { url, arrived, release } = await heldReceiver();
  await sim.control("PATCH /data/webhooks/1", { url });
  await say("Hello");
  await arrived;
  await sim.control("PATCH /data/webhooks/1", { url: "http://127.0.0.1:1/" });
  await say("Again");
  const waiting = wait({ deliveries: { status: "delivered", body: { data: { messageBody: "Hello" } } } });
  await opened(sandbox);
  release();
  expect(await waiting).toMatchObject({ status: 200, body: { matches: [{ id: "d1", url }] } });
  expect((await sim.control("GET /deliveries/d1")).status).toBe(404);
});

it("a wait for idleness ignores a retry that is not due", async () => {
  await sim.control("PUT /clock", { frozen: true });
  await sim.control("PATCH /behaviour", { "delivery.attempts": 2, "delivery.backoff": ["1m"] });
  await sim.control("PUT /sinks/demo", { status: 500 });
  await say("Hello");
  expect(await wait("idle")).toMatchObject({ status: 200, body: { idle: true } });
  const pending = [{ status: "pending", attempts: [{ status: 500 }] }];
  expect((await sim.control("GET /deliveries")).body).toMatchObject(pending);
});

/** A call whose body of two bytes has not come yet. */
async function begun() {
  const { hostname, port } = new URL(sim.url);
  const socket = connect(Number(port), hostname);
  const head = `Host: ${hostname}\r\nToken: acme-token\r\nContent-Length: 2`;
  socket.write(`POST ${SEND} HTTP/1.1\r\n${head}\r\n\r\n`);
  while (sandbox.run.calls.idle) await nextTurn();
  return socket;
}

it("a wait for what comes after a call ignores what becomes of that call", async () => {
  const socket = await begun();
  const waiting = wait({ requests: { path: SEND }, since: "r1" });
  await opened(sandbox);
  socket.end("{}");
  expect((await wait("idle")).status).toBe(200);
  await say("After");
  expect(matchesOf(await waiting)).toEqual(["r2"]);
});

it("a wait for idleness lists what is in flight after a timeout", async () => {
  const socket = await begun();
  const late = { error: { code: "timeout" }, onTheirWay: ["r1"] };
  expect(await wait("idle", { timeoutMs: 5 })).toMatchObject({ status: 408, body: late });
  socket.end("{}");
  expect((await wait("idle")).status).toBe(200);
});

it("a wait for a state responds immediately if a record matches, with its current messaging window", async () => {
  await sim.control("POST /threads/9001/window", { open: false });
  const values = { isMessagingWindowOpen: false, status: { $oneOf: ["waiting", "replied"] } };
  const answer = await wait({ state: { ...RESOLVED, values } }, { timeoutMs: 0 });
  expect(answer.body).toMatchObject({ count: 1, matches: [{ id: "9001", isMessagingWindowOpen: false }] });
  const all = await wait({ state: { collection: "organizations", values: {} } });
  expect(matchesOf(all)).toEqual(["200", "300"]);
});

it("a wait for a state responds when the system under test changes the record", async () => {
  const waiting = wait({ state: RESOLVED });
  await opened(sandbox);
  const status = "resolved";
  await sim.api("POST /api/update-thread-status", { customerThreadId: "9002", status });
  await sim.control("POST /threads/9001/inbound", { text: "Hello" });
  expect(sandbox.openWaits).toBe(1);
  await sim.api("POST /api/update-thread-status", { customerThreadId: "9001", status });
  expect((await waiting).body.matches).toEqual([(await sim.control("GET /data/threads/9001")).body]);
});

it.each<[string, object, () => Promise<unknown>]>([
  [
    "time",
    { ...RESOLVED, values: { isMessagingWindowOpen: false } },
    () => sim.control("POST /clock/advance", { by: "25h" }),
  ],
  ["a reset", { ...RESOLVED, values: { status: "waiting" } }, () => sim.control("POST /reset")],
  [
    "a new state",
    { collection: "organizations", id: "200", values: { name: "New" } },
    () => sim.control("PUT /state", { organizations: [{ id: "200", name: "New" }] }),
  ],
  [
    "a new record",
    { collection: "messages", values: { text: { $contains: "refund" } } },
    () => sim.control("POST /threads/9002/inbound", { text: "A refund, please" }),
  ],
])("a wait for a state responds when %s makes a record match", async (_, state, change) => {
  await sim.control("PATCH /behaviour", { "window.duration": "24h" });
  await sim.control("POST /threads/9001/window", { open: true });
  await sim.control("PATCH /data/threads/9001", { status: "resolved" });
  const waiting = wait({ state });
  await opened(sandbox);
  await change();
  expect(await waiting).toMatchObject({ status: 200, body: { count: 1 } });
});

it("a wait for a state shows the nearest misses after a timeout", async () => {
  const late = async (state: object) => (await wait({ state }, { timeoutMs: 5 })).body;
  const { error, nearMisses } = await late(RESOLVED);
  const message = "after 5 ms threads 9001 does not match";
  expect(error).toMatchObject({ code: "timeout", message });
  const differences = [{ path: "status", expected: "resolved", seen: "waiting" }];
  expect(nearMisses).toEqual([{ id: "9001", entry: expect.objectContaining({ id: "9001" }), differences }]);
  const any = await late({ collection: "threads", values: { channel: "SMS", customerId: "nobody" } });
  expect(any.nearMisses[0]).toMatchObject({
    entry: { channel: "SMS" },
    differences: [{ path: "customerId", expected: "nobody" }],
  });
  const none = { error: { message: "after 5 ms there is no record 1 in threads" }, nearMisses: [] };
  expect(await late({ collection: "threads", id: "1", values: {} })).toMatchObject(none);
  expect(sandbox.openWaits).toBe(0);
});

it("a wait for a state ends with its sandbox, and ignores other sandboxes", async () => {
  await sim.control("POST /sandboxes", { id: "s1" });
  const waiting = sim.control("POST /sandboxes/s1/wait", { for: { state: RESOLVED } });
  await opened(sim.registry.get("s1")!);
  await sim.control("PATCH /data/threads/9001", { status: "resolved" });
  expect(sim.registry.get("s1")?.openWaits).toBe(1);
  await sim.control("DELETE /sandboxes/s1");
  expect(await waiting).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
});

it("a wait for a reply ignores other threads, internal messages and what a scenario says", async () => {
  const waiting = wait({ reply: { thread: 9001, matches: "hello|good morning", not: ["error"] } });
  await opened(sandbox);
  await say("hello");
  await say("hello", { customerThreadId: "9003", internal: false });
  await say("hello", { internal: false }, BY_SCENARIO);
  expect(sandbox.openWaits).toBe(1);
  await say("Good Morning, Alan", { internal: false });
  expect(matchesOf(await waiting)).toEqual(["r4"]);
  const { body } = await wait({ reply: { thread: 9001, text: "Bye", within: "5ms" } });
  expect(body.error.message).toContain("5 ms");
});

it.each([
  [2, 200],
  [1, 422, "expected exactly 1, but 2 match"],
  [{ max: 1 }, 422, "expected 0 to 1, but 2 match"],
  [{ min: 2, max: 2 }, 200],
])("POST /verify with count %j answers %d", async (count, status, message?: string) => {
  await read();
  await read();
  const { body, ...answer } = await verify({ requests: { path: DETAILS }, count });
  expect([answer.status, body]).toMatchObject([status, { ok: status === 200, count: 2 }]);
  expect(body.error?.message).toBe(message);
});

it("others have their turns while a regular expression is compared with a log", async () => {
  // Random letters keep the engine from remembering what it has seen.
  const random = new Random(1);
  for (let at = 0; at < 12; at += 1) await say(random.hex(8_000));
  const slow = { body: { text: { $regex: "a[0-9a-f]{190}[xy]" } } };
  for (const compared of [
    () => verify({ requests: slow }),
    () => wait({ requests: slow }, { timeoutMs: 0 }),
  ]) {
    let isOver = false;
    const comparing = compared().finally(() => {
      isOver = true;
    });
    for (let times = 0; times < 3; times += 1) await sim.control("GET /clock");
    expect(isOver).toBe(false);
    expect((await comparing).body).toMatchObject({ count: 0, nearMisses: expect.any(Array) });
  }
});

it("a simulator that closes answers delayed calls of the API and of sinks first", async () => {
  const ending = withCalls(await createSimulator());
  await ending.control("POST /faults", { on: "request", then: { delayMs: 300 } });
  await ending.control("PUT /sinks/late", { delayMs: 400 });
  const calls = [ending.api("GET /api/webhooks/"), ending.control("POST /sinks/late", {})];
  const { run } = ending.registry.default;
  await expect.poll(() => [...run.sinks.received("late").from()].length + run.logs.journal.size).toBe(2);
  const started = performance.now();
  await ending.close(30_000);
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  expect(performance.now() - started).toBeLessThan(20_000);
});

it.each([0, 30_000])(
  "a simulator that closes answers open waits at once, with %i ms of grace",
  async (grace) => {
    const ending = withCalls(await createSimulator());
    const waits = [{ requests: { path: "/never" } }, { deliveries: { status: "delivered" } }].map((what) =>
      ending.control("POST /wait", { for: what, timeoutMs: 60_000 }),
    );
    await opened(ending.registry.default, waits.length);
    const started = performance.now();
    const closed = ending.close(grace);
    const error = { code: "conflict", message: "the sandbox was closed, reset or deleted during the call" };
    for (const answer of await Promise.all(waits))
      expect(answer).toMatchObject({ status: 409, body: { error } });
    await closed;
    expect(performance.now() - started).toBeLessThan(20_000);
  },
);
