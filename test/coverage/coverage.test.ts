/** Coverage: what the system under test has met, from the tables alone. */
import { beforeEach, expect, it } from "vitest";
import { OPERATIONS } from "../../src/api/operations/index.js";
import type { CoverageReport } from "../../src/sandbox/coverage.js";
import { type Running, startSimulator } from "../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";
const hello = { customerThreadId: "9001", text: "Hello" };

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

const coverageOf = async (path = ""): Promise<CoverageReport> =>
  (await sim.control(`GET ${path}/coverage`)).body;
const metOf = ({ operations, events }: CoverageReport) => [
  ...operations.flatMap(({ operation, outcomes }) =>
    outcomes.flatMap(({ outcome, met }) => (met === 0 ? [] : [`${operation} ${outcome} ${met}`])),
  ),
  ...events.flatMap(({ event, cause, legacy, met }) =>
    met === 0 ? [] : [`${event} ${cause} ${legacy} ${met}`],
  ),
];

it("coverage lists every operation with its success, its 400 and its refusals, none of them met yet", async () => {
  const { operations, events, ...report } = await coverageOf();
  expect(operations.map(({ operation }) => operation)).toEqual(OPERATIONS.map(({ id }) => id));
  for (const [index, { outcomes }] of operations.entries()) {
    const names = outcomes.map(({ outcome }) => outcome);
    expect(new Set(names).size).toBe(names.length);
    const { refusals = [] } = OPERATIONS[index] ?? {};
    const rows = ["success", "invalid", "auth.missing", "auth.invalid", ...refusals];
    expect(names).toEqual(expect.arrayContaining(rows));
  }
  const total = operations.flatMap(({ outcomes }) => outcomes).length + events.length;
  expect(report).toEqual({ met: 0, total, behaviours: [] });
});

it("coverage counts outcomes of calls by the system under test, not by scenarios or control calls", async () => {
  await sim.api(SEND, hello);
  await sim.api(SEND, hello);
  await sim.api(SEND, { customerThreadId: "9001" });
  await sim.api(SEND, { ...hello, customerThreadId: "404" });
  await sim.api(SEND, hello, { token: null });
  await sim.api(SEND, hello, { headers: { "x-sim-by": "scenario" } });
  await sim.api("GET /nowhere");
  await sim.control("POST /threads/9001/window", { open: false });
  await sim.api(SEND, hello);
  const report = await coverageOf();
  expect(metOf(report)).toEqual([
    "sendMessageToCustomerThread success 2",
    "sendMessageToCustomerThread invalid 1",
    "sendMessageToCustomerThread window.closedError 1",
    "sendMessageToCustomerThread auth.missing 1",
    "sendMessageToCustomerThread threads.notFound 1",
    "message api false 2",
  ]);
  expect(report.met).toBe(6);
});

it("coverage counts an expired token that a fault causes, but no other response of a fault", async () => {
  const read = "GET /api/get-customer-thread-details?customerThreadId=9001";
  for (const then of [{ tokenExpired: true }, { status: 503, body: { error: "none of its own" } }])
    await sim.control("POST /faults", { on: "request", times: 1, then });
  for (const status of [401, 503, 200]) expect((await sim.api(read)).status).toBe(status);
  expect(metOf(await coverageOf())).toEqual([
    "getCustomerThreadDetails success 1",
    "getCustomerThreadDetails auth.invalid 1",
  ]);
});

it("coverage counts events by their cause", async () => {
  await sim.api("POST /api/update-hook-url", { url: "sink:legacy" });
  await sim.control("POST /threads/9001/inbound", { text: "Hi" });
  await sim.control("POST /threads/9001/employee-message", { userId: "501", text: "Hi" });
  await sim.api(SEND, hello);
  await sim.control("POST /threads/9001/transfer", { businessId: "1002" });
  const { events } = await coverageOf();
  expect(events.filter(({ met }) => met === 0)).toEqual([]);
});

it("coverage does not count events that are not sent", async () => {
  const say = async () => {
    await sim.control("POST /threads/9001/inbound", { text: "Hi" });
    await sim.control("POST /wait", { for: "idle" });
  };
  await sim.control("PATCH /data/webhooks/1", { url: "https://bot.example/x" });
  await say();
  await sim.control("PATCH /data/webhooks/1", { url: "sink:demo" });
  for (const then of [{ drop: "before" }, { status: 200 }])
    await sim.control("POST /faults", { on: "delivery", times: 1, then });
  await say();
  await say();
  expect(metOf(await coverageOf())).toEqual([]);
  await say();
  expect(metOf(await coverageOf())).toEqual(["message customer false 1"]);
});

it("coverage counts the behaviour entries that rules consult, each time", async () => {
  const consulted = async (key: string) =>
    (await coverageOf()).behaviours.find((row) => row.key === key)?.consulted ?? 0;
  expect(await consulted("window.internalMessages")).toBe(0);
  // Reading consults nothing.
  await sim.control("GET /state");
  await sim.control("GET /behaviour");
  await sim.api(SEND, hello, { headers: { "x-sim-by": "scenario" } });
  await sim.control("POST /wait", { for: "idle" });
  const before = await consulted("limits.textLength");
  await sim.api(SEND, hello);
  expect(await consulted("limits.textLength")).toBe(before + 1);
});

it("coverage is kept per sandbox over resets, and for all sandboxes together after their deletion", async () => {
  for (const id of ["one", "two"]) {
    await sim.control("POST /sandboxes", { id });
    await sim.api(SEND, hello, { token: `${id}.acme-token` });
  }
  await sim.control("POST /sandboxes/one/reset");
  const one = ["sendMessageToCustomerThread success 1", "message api false 1"];
  expect(metOf(await coverageOf("/sandboxes/one"))).toEqual(one);
  await sim.control("DELETE /sandboxes/one");
  expect((await sim.control("GET /sandboxes/one/coverage")).status).toBe(404);
  const all = ["sendMessageToCustomerThread success 2", "message api false 2"];
  expect(metOf(await coverageOf())).toEqual(all);
});
