// Slow: each comparison plays its scenario at two addresses and waits for deliveries.

import type { IncomingHttpHeaders } from "node:http";
import { expect, it } from "vitest";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { compareWith } from "./support.js";

const DETAILS = "/api/get-customer-thread-details?customerThreadId=9001";
const details = { request: `GET ${DETAILS}` };
const OPENS_A_THREAD = [
  {
    request: "POST /api/widget/send-message-to-business",
    body: { businessId: "1001", message: "Hello", user: { sms: "+15550100999" } },
    capture: { opened: "body.customerThreadId" },
  },
  { request: "GET /api/get-customer-thread-details?customerThreadId=${opened}" },
];
const sent = {
  request: "POST /api/send-message-to-customer-thread",
  body: { customerThreadId: "9001", text: "Hi" },
};

/** A service that gives every call the same answer, and the calls that it received. */
async function service(status: number, body: string, headers = { "content-type": "application/json" }) {
  const seen: { readonly line: string; readonly headers: IncomingHttpHeaders }[] = [];
  const url = await serverOf((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    response.writeHead(status, headers).end(body);
  });
  return { url, seen };
}

const HOOK = { url: "https://bot.example", subscribedEvents: [] };
const GOOD = JSON.stringify({ customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true });

/** The fields that differ from the answer of a service. */
async function differing(step: object, body: object, ...ignore: string[]) {
  const other = await service(200, JSON.stringify(body));
  const { scenarios } = await compareWith({ steps: [step] }, other, ignore);
  return scenarios[0]?.differences.flatMap(({ fields }) => fields.map(({ path }) => path));
}

it("compare finds no difference between two simulators with their own ids and times", async () => {
  const other = await startSimulator({ seed: 99, clock: "2031-01-01T00:00:00Z" });
  const steps = [
    details,
    sent,
    { request: "GET /api/customers/cust_001/profile" },
    { request: "POST /api/webhooks/", body: HOOK, id: "hook" },
    { request: "GET /api/webhooks/${hook.body.hookId}" },
    { repeat: { times: 3, steps: [{ request: `GET ${DETAILS}&round=\${round}` }] } },
    { request: "GET /api/nowhere", token: null },
    { request: "PUT /api/webhooks/" },
    ...OPENS_A_THREAD,
  ];
  const comparison = await compareWith({ steps }, other);
  expect(comparison).toMatchObject({ ok: true, proposal: null });
  expect(comparison.scenarios).toMatchObject([{ compared: 12, differences: [], notSent: [], failures: [] }]);
});

it("compare sends only requests, once each, with the other side's token and no header of the simulator", async () => {
  const other = await service(200, GOOD);
  const steps = [
    { log: "begin" },
    { customer: "Hello" },
    { delivered: "message" },
    { ...details, expect: 404 },
    { advance: "1h" },
    { ...details, token: null, headers: { "X-Trace": "7" } },
    { ...details, token: "made-up" },
  ];
  await compareWith({ steps }, { url: other.url, token: "real-key" });
  expect(other.seen.map(({ line }) => line)).toEqual(Array(3).fill(`GET ${DETAILS}`));
  expect(other.seen.map(({ headers }) => headers.token)).toEqual(["real-key", undefined, "made-up"]);
  expect(other.seen[1]?.headers["x-trace"]).toBe("7");
  const names = other.seen.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => name.startsWith("x-sim"))).toEqual([]);
  // Answers are compared as they are written, so none may be compressed.
  expect(other.seen.map(({ headers }) => headers["accept-encoding"])).toEqual(Array(3).fill("identity"));
});

it("compare shows each field that differs, and the location of the step", async () => {
  const body = JSON.stringify({ customerChannel: "SMS", status: "waiting", open: [1] });
  const text = "text/plain; charset=utf-8";
  const other = await service(203, body, { "content-type": text });
  const { scenarios } = await compareWith({ steps: [details] }, other);
  const type = { simulator: expect.stringMatching(/^application\/json/), other: text };
  const call = `GET ${DETAILS}`;
  const fields = [
    { path: "status", simulator: 200, other: 203 },
    { path: "headers.content-type", ...type },
    { path: "body.customerChannel", simulator: "WHATSAPP", other: "SMS" },
    { path: "body.isMessagingWindowOpen", simulator: true },
    { path: "body.open", other: [1] },
  ];
  expect(scenarios[0]?.differences).toEqual([
    { name: call, place: { path: "steps[0]" }, call, behaviour: null, fields, after: [] },
  ]);
});

it("compare ignores paths with everything below them", async () => {
  const body = { customerChannel: "SMS", status: { a: { b: 1 } }, isMessagingWindowOpen: true };
  const found = (...ignore: string[]) => differing(details, body, ...ignore);
  expect(await found()).toEqual(["body.customerChannel", "body.status"]);
  expect(await found("body.customerChannel")).toEqual(["body.status"]);
  expect(await found("body.*")).toEqual([]);
  expect(await found("body.stat")).toEqual(["body.customerChannel", "body.status"]);
});

it("compare compares ids and times by their type, times also by their unit", async () => {
  const profile = "GET /api/customers/cust_001/profile";
  const { body } = await (await startSimulator()).api(profile);
  const found = (changes: object) => differing({ request: profile }, { ...body, ...changes });
  const surveyed = (createdAt: number) => ({
    lastSurveys: { ...body.lastSurveys, nps: { text: "8", createdAt } },
  });
  expect(await found({ id: "another" })).toEqual([]);
  expect(await found({ id: 7 })).toEqual(["body.id"]);
  expect(await found(surveyed(1_690_000_000_001))).toEqual([]);
  expect(await found(surveyed(1_690_000_000))).toEqual(["body.lastSurveys.nps.createdAt"]);
  expect(await found({ firstName: "Bob" })).toEqual(["body.firstName"]);
});

it("compare does not send a call whose token has no counterpart", async () => {
  const other = await service(200, GOOD);
  const steps = [details, { ...details, token: "globex-token" }];
  const unknown = await compareWith({ steps }, { url: other.url, token: "k" });
  expect(unknown.scenarios[0]?.notSent).toMatchObject([
    { place: { path: "steps[1]" }, reason: expect.stringContaining("--token-for globex-token=KEY") },
  ]);
  expect(other.seen).toHaveLength(1);
  await compareWith({ steps }, { url: other.url, token: "k", tokens: { "globex-token": "k2" } });
  expect(other.seen.map(({ headers }) => headers.token)).toEqual(["k", "k", "k2"]);
});

it("compare continues if a call lacks a value on one side", async () => {
  const other = await service(200, "{}");
  const { scenarios } = await compareWith({ steps: [...OPENS_A_THREAD, details] }, other);
  const [, second, third] = scenarios[0]?.differences ?? [];
  const missing = expect.stringMatching(/^not called: \$\{opened\} has no value/);
  expect(second?.fields).toEqual([{ path: "", simulator: 200, other: missing }]);
  expect(third?.place.path).toBe("steps[2]");
});

it("compare calls no webhook, whatever the scenario does to faults", async () => {
  const receiver = await service(200, "{}");
  const other = await service(418, "{}");
  const connect = { set: { collection: "webhooks", id: "1", values: { url: receiver.url } } };
  const steps = [connect, { clearFaults: true }, sent, { reset: true }, connect, sent];
  const { scenarios } = await compareWith({ steps }, other);
  expect(scenarios[0]).toMatchObject({ compared: 2, failures: [] });
  expect(receiver.seen).toEqual([]);
});

it("compare checks the scenario's expectations on both sides, each with its own values", async () => {
  const other = await service(200, GOOD.replace("waiting", "replied"));
  const steps = [
    { ...details, id: "first" },
    { ...details, expect: { body: { status: "${first.body.status}", isMessagingWindowOpen: false } } },
    { ...details, expect: { body: { status: "waiting" } } },
  ];
  const { scenarios } = await compareWith({ steps }, other, ["body.status"]);
  expect(scenarios[0]).toMatchObject({ ok: true, compared: 3 });
  expect(scenarios[0]?.unexpected).toMatchObject([
    { side: "simulator", place: { path: "steps[1]" } },
    { side: "other", place: { path: "steps[1]" } },
    { side: "other", place: { path: "steps[2]" }, reason: expect.stringContaining("as expected") },
  ]);
});

it("compare treats a late answer as no answer", async () => {
  const url = await serverOf((request, response) => {
    if (request.method === "POST") return;
    response.writeHead(200, { "content-type": "application/json" }).end(GOOD);
  });
  const steps = [{ ...sent, expect: 200 }, details];
  const { scenarios } = await compareWith({ steps }, { url, timeoutMs: 1000 });
  expect(scenarios[0]).toMatchObject({
    compared: 2,
    unexpected: [{ side: "other", reason: "no response within 1000 ms" }],
    differences: [{ fields: [{ path: "status", simulator: 200, other: "no response within 1000 ms" }] }],
  });
});
