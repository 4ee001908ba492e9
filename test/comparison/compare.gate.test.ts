// Slow: each comparison plays its scenario at two addresses.
import { expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";
import { compareWith, fakeService, lyingService } from "./support.js";

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
const HOOK = { url: "https://bot.example", subscribedEvents: [] };
const GOOD = { customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true };

/** The fields that differ from the answer of a service. */
async function differing(step: object, body: unknown) {
  const { url } = await fakeService(() => ({ status: 200, body }));
  const { report } = await compareWith({ steps: [step] }, url);
  return report.scenarios[0]?.differences.flatMap(({ fields }) => fields.map(({ path }) => path));
}

it("compare finds no difference between two simulators with their own ids and times", async () => {
  const { url } = await startSimulator({ seed: 99, clock: "2031-01-01T00:00:00Z" });
  const steps = [
    details,
    sent,
    { request: "GET /api/customers/cust_001/profile" },
    { request: "POST /api/webhooks/", body: HOOK, id: "hook" },
    { request: "GET /api/webhooks/${hook.body.hookId}" },
    { repeat: { times: 3, steps: [{ request: `GET ${DETAILS}&round=\${round}` }] } },
    { request: "GET /api/nowhere", token: null, expect: 404 },
    { request: "PUT /api/webhooks/", expect: 405 },
    ...OPENS_A_THREAD,
  ];
  const { code, report } = await compareWith({ steps }, url);
  expect([code, report.ok]).toEqual([0, true]);
  expect(report.scenarios).toMatchObject([{ compared: 12, differences: [], failures: [] }]);
});

it("compare sends only requests, once each, with the other side's token and no header of the simulator", async () => {
  const other = await fakeService(() => ({ status: 200, body: GOOD }));
  const steps = [
    { log: "begin" },
    { customer: { thread: "9001", says: "Hello" } },
    { delivered: "message" },
    { ...details, expect: 404 },
    { advance: "1h" },
    { ...details, token: null, headers: { "X-Trace": "7" } },
    { ...details, token: "made-up" },
  ];
  await compareWith({ steps }, other.url, [], "real-key");
  expect(other.calls.map(({ line }) => line)).toEqual(Array(3).fill(`GET ${DETAILS}`));
  expect(other.calls.map(({ headers }) => headers.token)).toEqual(["real-key", undefined, "made-up"]);
  expect(other.calls[1]?.headers["x-trace"]).toBe("7");
  const names = other.calls.flatMap(({ headers }) => Object.keys(headers));
  expect(names.filter((name) => name.startsWith("x-sim"))).toEqual([]);
});

it("compare shows both answers, each field that differs, and the section that the other side contradicts", async () => {
  const body = { customerChannel: "SMS", status: "closed", open: [1] };
  const { url } = await fakeService(() => ({ status: 203, body }));
  const { code, report } = await compareWith({ steps: [details] }, url);
  const call = `GET ${DETAILS}`;
  const section = "States and transitions / Thread status";
  const fields = [
    { path: "status", simulator: 200, other: 203 },
    { path: "body.status", simulator: "waiting", other: "closed" },
    { path: "body.isMessagingWindowOpen", simulator: true },
    { path: "body.open", other: [1] },
  ];
  const place = { file: expect.any(String), line: 1, column: expect.any(Number), path: "steps[0]" };
  const operation = "getCustomerThreadDetails";
  expect(report.scenarios[0]?.differences).toEqual([
    {
      ...{ name: call, place, call, operation, fields, entries: [], section },
      ...{ simulator: { status: 200, body: GOOD }, other: { status: 203, body } },
    },
  ]);
  expect([code, report.contradictions]).toEqual([
    1,
    [
      {
        ...{ scenario: "Compared", step: `steps[0]: ${call}`, operation, section },
        expected: 'status 200, body.status "waiting", body.isMessagingWindowOpen true, body.open nothing',
        seen: 'status 203, body.status "closed", body.isMessagingWindowOpen nothing, body.open [1]',
      },
    ],
  ]);
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
  expect(await found({ editable: false })).toEqual(["body.editable"]);
});

it("compare compares texts that were sent, and no others", async () => {
  const names = ["Bob", "Rob", "Alan"];
  const { api } = await startSimulator();
  const { body } = await api("GET /api/customers/cust_001/profile");
  const { url } = await fakeService((line) =>
    line.startsWith("GET")
      ? { status: 200, body: { ...body, company: names.shift() } }
      : { status: 200, body: {} },
  );
  const read = { request: "GET /api/customers/cust_001/profile" };
  const write = { request: "POST /api/customers/cust_001/profile/update", body: { company: "Globex" } };
  const { report } = await compareWith({ steps: [read, read, write, read] }, url);
  const places = report.scenarios[0]?.differences.map(({ place }) => place.path);
  expect(places).toEqual(["steps[3]"]);
});

it("compare does not send a call whose token has no counterpart", async () => {
  const other = await fakeService(() => ({ status: 200, body: GOOD }));
  const steps = [details, { ...details, token: "globex-token", expect: {} }];
  const { code, err } = await compareWith({ steps }, other.url);
  const problem = "--token-for globex-token: is missing: Compared uses this token in GET ";
  expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
  expect(other.calls).toEqual([]);
  await compareWith({ steps }, other.url, ["--token-for", "globex-token=k2"]);
  expect(other.calls.map(({ headers }) => headers.token)).toEqual(["acme-token", "k2"]);
});

it("compare continues if a call lacks a value on one side", async () => {
  const { url } = await fakeService(() => ({ status: 200, body: {} }));
  const { report } = await compareWith({ steps: [...OPENS_A_THREAD, details] }, url);
  const [, second, third] = report.scenarios[0]?.differences ?? [];
  const missing = expect.stringMatching(/^\$\{opened\} has no value/);
  expect(second?.fields).toEqual([{ path: "status", simulator: 200, other: missing }]);
  expect(third?.place.path).toBe("steps[2]");
});

it("compare calls no webhook, whatever the scenario does to faults", async () => {
  const receiver = await fakeService(() => ({ status: 200 }));
  const { url } = await fakeService(() => ({ status: 418 }));
  const connect = { set: { collection: "webhooks", id: "1", values: { url: receiver.url } } };
  const steps = [connect, { clearFaults: true }, sent, { reset: true }, connect, sent];
  const { report } = await compareWith({ steps }, url);
  expect(report.scenarios[0]).toMatchObject({ compared: 2 });
  expect(receiver.calls).toEqual([]);
});

it("compare never agrees where the scenario's own expectations fail", async () => {
  const { url } = await startSimulator();
  const { code, report } = await compareWith({ steps: [{ ...details, expect: 404 }] }, url);
  expect([code, report.ok]).toEqual([1, false]);
  expect(report.scenarios[0]?.differences).toEqual([]);
  expect(report.scenarios[0]?.failures.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^on the simulator: .*as expected: it answered 200/),
    expect.stringMatching(/^on the other side: .*as expected: it answered 200/),
  ]);
});

it("compare finds contradictions in what a scenario changes", async () => {
  const url = await lyingService({
    [`GET ${DETAILS}`]: ({ body }) => ({ body: { ...body, status: "waiting" } }),
    '"contentSid":"b"': () => ({ status: 200, body: {} }),
    '"businessId":"2001"': ({ body }) => ({ body: { ...body, developerMessage: "No" } }),
    subscribedEvents: ({ body }) => ({ body: { ...body, enabled: false } }),
    "nobody@acme": () => ({ body: { error: "No such user" } }),
  });
  const steps = [
    { request: "POST /api/update-thread-status", body: { customerThreadId: "9001", status: "resolved" } },
    details,
    { ...sent, body: { customerThreadId: "9001", text: "a", contentSid: "b" }, expect: {} },
    {
      request: "POST /api/widget/send-message-to-business",
      body: { businessId: "2001", message: "Hi", user: { email: "a@b.example" } },
      expect: {},
    },
    { request: "POST /api/webhooks/", body: HOOK },
    { request: "POST /api/user/delete-by-email", body: { email: "nobody@acme.example" }, expect: {} },
  ];
  const { report } = await compareWith({ steps }, url);
  expect(report.contradictions.map(({ step, section }) => [step.slice(0, 8), section])).toEqual([
    ["steps[1]", "States and transitions / Thread status"],
    ["steps[2]", "Endpoints / Send message to a customer thread"],
    ["steps[3]", "Errors / Widget route"],
    ["steps[4]", "Endpoints / Webhooks (REST)"],
    ["steps[5]", "Errors / Delete user by email"],
  ]);
});
