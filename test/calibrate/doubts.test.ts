/** Small recordings of which little can be said: nothing is learned from them by mistake, and no honest exchange is accused. */
import { expect, test } from "vitest";
import { exchangesIn } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { expectation } from "../../src/lab/calibrate/report.js";
import { type Call, entriesOf } from "./calls.js";

const calibrated = (calls: readonly Call[]) => learn(exchangesIn(entriesOf(calls), "a.har"));
const said = async (calls: readonly Call[]) => {
  const { learned, intervals, contradictions } = await calibrated(calls);
  const others = learned.filter((one) => JSON.stringify(one.value) !== JSON.stringify(one.default));
  return {
    learned: others.map(({ key, value }) => `${key}=${JSON.stringify(value)}`),
    bounded: intervals.map(({ key, atLeast, atMost }) => `${key} ${atLeast ?? ""}..${atMost ?? ""}`),
    contradictions: contradictions.map(({ exchange, section }) => `#${exchange} ${section}`),
  };
};

const SEND = "POST /api/send-message-to-customer-thread";
const WIDGET = "POST /api/widget/send-message-to-business";
const DETAILS = "GET /api/get-customer-thread-details?customerThreadId";
const read = (body: object = {}, more: Partial<Call> = {}): Call => ({
  line: `${DETAILS}=9001`,
  body: { customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true, ...body },
  ...more,
});
const text = (words: string, status = 200, body: unknown = {}): Call => ({
  line: SEND,
  sent: { customerThreadId: "9001", text: words },
  status,
  body,
});
const template = (status = 200, body: unknown = {}): Call => ({
  line: SEND,
  sent: { customerThreadId: "9001", contentSid: "HX1" },
  status,
  body,
});
const remove = (status: number, body?: unknown, more: Partial<Call> = {}): Call => ({
  line: "POST /api/user/delete-by-email",
  sent: { email: "ida@acme.example" },
  status,
  body,
  ...more,
});
const moved = (status: string, code = 200, body: unknown = {}, more: Partial<Call> = {}): Call => ({
  line: "POST /api/update-thread-status",
  sent: { customerThreadId: "9001", status },
  status: code,
  body,
  ...more,
});
const closed = { error: "The messaging window is closed: send a template" };
const hook = {
  hookId: "crm",
  url: "https://bot.example/a",
  enabled: true,
  subscribedEvents: ["messages"],
  extraHeaders: [],
};
const transfer: Call = {
  line: "POST /hook",
  sent: {
    eventType: "transfer",
    timestamp: Date.UTC(2026, 0, 5, 9, 0, 20),
    data: {
      ...{ customerThreadId: "9001", organizationId: 100, previousBusinessId: 1001, newBusinessId: 1002 },
      ...{ newBusinessName: "B", employeeUserId: 501, businessParticipationId: 5, customerChannel: "SMS" },
    },
  },
};
const forTransfers = {
  ...hook,
  hookId: "new",
  url: "https://api.example/hook",
  subscribedEvents: ["transfers"],
};
const listed = (...hooks: readonly object[]): Call => ({ line: "GET /api/webhooks/", body: hooks });
const single: Call = { line: "GET /api/webhooks/crm", body: hook };
const none = (body: object): Call => ({ line: "GET /api/webhooks/none", status: 404, body });
const profile = (more: object): Call => ({
  line: "GET /api/customers/cust_1/profile",
  body: {
    id: "cust_1",
    type: "prospect",
    editable: true,
    pictureHref: "",
    displayName: "A B",
    emailAddress: "",
    phoneNumber: "",
    firstName: "A",
    lastName: "B",
    company: "",
    channel: "SMS",
    customerData: [],
    lastSurveys: {},
    ...more,
  },
});
const started = (status: number, body: object, more: Partial<Call> = {}): Call => ({
  line: WIDGET,
  sent: { businessId: "1001", message: "Hi", user: { email: "a@b.example" } },
  status,
  body,
  ...more,
});
const PROFILE = "Endpoints / Get customer profile";

type Said = Partial<Awaited<ReturnType<typeof said>>>;
const ROWS: readonly (readonly [name: string, calls: readonly Call[], expected?: Said])[] = [
  ["too many calls", [read(), read(), remove(429, { error: "Rate limit exceeded: retry in 51 s" })]],
  [
    "a body that is too large",
    [read(), template(413, { error: "too large" })],
    {
      bounded: ["limits.bodyBytes ..45"],
      learned: ['limits.bodyError={"status":413,"body":{"error":"too large"}}'],
    },
  ],
  [
    "a body that is too large, and an answer that was not recorded",
    [read(), { ...template(413), body: undefined, size: 20 }],
    { bounded: ["limits.bodyBytes ..45"] },
  ],
  [
    "a body that is too large for a gateway",
    [read(), template(413, "<html>")],
    { bounded: ["limits.bodyBytes ..45"] },
  ],
  [
    "a body that is too large, and no answer",
    [read(), template(413, "")],
    { bounded: ["limits.bodyBytes ..45"] },
  ],
  [
    "a method and a path in one text",
    [
      listed(),
      ...["/api/nothing", "/api/zip"].map((path) => ({
        line: `GET ${path}`,
        status: 404,
        body: { error: `Cannot GET ${path}` },
      })),
      listed(),
    ],
  ],
  [
    "an id within a word",
    [listed(hook), single, none({ error: "no hook_none" }), none({ error: "no hook_none" }), single],
  ],
  [
    "legacy webhooks, whose ids are not shown",
    ["a", "b", "b"].map((path) => ({
      line: "POST /api/update-hook-url",
      sent: { url: `https://bot.example/${path}` },
      body: {},
    })),
    { bounded: ["limits.webhooks 3.."] },
  ],
  [
    "an empty list where the call sends true",
    [{ line: "POST /api/update-hook-url", sent: { url: "https://bot.example/a" }, body: [] }],
    { learned: ['hookUrl.response={"status":200,"body":[]}'], bounded: ["limits.webhooks 1.."] },
  ],
  [
    "names with slashes",
    [listed(hook), single, none({ "a/b": "x", a: { b: "y" } }), single],
    { learned: ['webhooks.notFound={"status":404,"body":{"a/b":"x","a":{"b":"y"}}}'] },
  ],
  [
    "two threads in one call, told apart by their channel",
    [
      read(),
      read({ customerChannel: "SMS" }, { line: `${DETAILS}=9003` }),
      read({}, { line: `${DETAILS}=9001&customerThreadId=9003` }),
    ],
    { learned: ['query.repeated="first"'] },
  ],
  [
    "a read while the status is being changed",
    [read(), moved("resolved", 200, {}, { time: 5_000 }), read(), read({ status: "resolved" }, { at: 10 })],
  ],
  [
    "a text elsewhere that is longer than what is refused",
    [
      read(),
      { line: "POST /api/notes", sent: { text: "x".repeat(3_000) }, body: { ok: 1 } },
      text("x".repeat(30), 400, { error: "long" }),
      text("x".repeat(5)),
      read(),
    ],
    { bounded: ["limits.textLength 5.."] },
  ],
  [
    "a key that has expired",
    [read(), { line: "GET /api/webhooks/none", status: 401, body: { error: "Invalid API token" } }],
  ],
  [
    "an outage",
    [read(), remove(503, { error: "maintenance" }), { line: "GET /api/zip", status: 502, body: "<html>" }],
  ],
  ["an answer that is not JSON", [{ line: "GET /api/webhooks/none", status: 404, body: "<pre>Cannot GET" }]],
  [
    "an answer that was not recorded",
    [{ line: "GET /api/webhooks/none", status: 404, size: 30 }, read(), { ...read(), body: "", size: 50 }],
  ],
  ["a page at another path", [{ line: "GET /api/health", body: { ok: true }, token: "" }]],
  ["a closed window before a template", [template(), text("A text of twenty-four ch", 400, closed)]],
  ["an empty text in a closed window and in an open one", [text("", 400, closed), read(), text("")]],
  [
    "a thread that was transferred away",
    [template(), template(403, { error: "Customer thread is not accessible to this user" })],
  ],
  [
    "webhooks in a read of GraphQL before those of REST",
    [
      {
        line: "POST /graphql",
        sent: { query: "get-hook-query" },
        body: { data: { hook: [{ hookId: "crm", url: hook.url, enabled: true }] } },
      },
      listed({ ...hook, subscribedEvents: ["messages", "transfers"] }),
    ],
  ],
  ["webhooks of two organizations", [listed(hook), { ...listed(), token: "token-2" }]],
  [
    "a permission that is missing",
    [
      read(),
      {
        line: "POST /api/webhooks/",
        sent: { url: "https://bot.example/b", subscribedEvents: ["messages"] },
        status: 403,
        body: { error: "The token lacks the permission x" },
      },
    ],
  ],
  [
    "a method that is repeated",
    [read(), { line: "GET /api/update-thread-status", status: 405, body: { error: "GET not here" } }],
  ],
  [
    "an id that is in the request and in the scope",
    [read(), { ...text("Hi", 404, { error: "no 66" }), sent: { customerThreadId: "66", text: "Hi" } }],
  ],
  [
    "a number for a time",
    [profile({ lastSurveys: { nps: { createdAt: "2020", text: "8" } } })],
    { contradictions: [`#0 ${PROFILE}`] },
  ],
  [
    "a lie before the truth",
    [
      profile({ customerData: [{ name: "a", value: 1 }] }),
      profile({ customerData: [{ name: "a", value: "1" }] }),
    ],
    { contradictions: [`#0 ${PROFILE}`] },
  ],
  [
    "a channel in lower case",
    [read({ customerChannel: "whatsapp" })],
    { contradictions: ["#0 Resources and their fields / Customer thread"] },
  ],
  [
    "a widget that refuses a missing token otherwise",
    [started(200, { result: "ok", customerThreadId: "9" }), started(403, { error: "no" }, { token: "" })],
    { bounded: ["limits.textLength 2.."], contradictions: ["#1 Errors / Widget route"] },
  ],
  [
    "a window as text, and a result in upper case",
    [read({ isMessagingWindowOpen: "false" }), started(200, { result: "OK", customerThreadId: "9" })],
    {
      contradictions: [
        "#0 Endpoints / Get customer thread details",
        "#1 Endpoints / Start a conversation from the widget route",
      ],
    },
  ],
  [
    "a webhook after its removal",
    [listed(hook), { line: "POST /api/webhooks/crm/delete", body: {} }, listed(hook)],
    { contradictions: ["#2 Endpoints / Webhooks (REST)"] },
  ],
  [
    "the removal of a webhook that is answered with it",
    [listed(hook), { line: "POST /api/webhooks/crm/delete", body: hook }, listed()],
  ],
  [
    "a webhook at the address of an earlier legacy one",
    [
      read(),
      { line: "POST /api/update-hook-url", sent: { url: forTransfers.url }, body: {} },
      listed({ ...hook, url: forTransfers.url }),
      { line: "POST /api/webhooks/crm/delete", body: {} },
      {
        line: "POST /api/webhooks/",
        sent: { url: forTransfers.url, subscribedEvents: ["transfers"] },
        body: forTransfers,
      },
      ...Array.from({ length: 12 }, () => listed(forTransfers)),
      transfer,
    ],
    { bounded: ["limits.webhooks 1.."] },
  ],
];

test.each([...ROWS] as [string, readonly Call[], Said?][])("%s", async (_, calls, expected = {}) => {
  expect(await said(calls)).toEqual({ learned: [], bounded: [], contradictions: [], ...expected });
});

test("a customer whose message was not recorded may have moved a status", async () => {
  const { learned } = await calibrated([read(), text("Hi"), read({}, { at: 30 })]);
  expect(learned.map(({ key }) => key)).not.toContain("threadStatus.autoMoves");
});

test.each([
  ["a text", text("Hi", 200, "OK")],
  ["nothing", text("Hi", 204, "")],
])("a call that is accepted with %s cannot be judged", async (_, accepted) => {
  const { exchanges, unjudged, learned } = await calibrated([read(), accepted, read()]);
  expect(learned).toEqual([]);
  expect(exchanges).toMatchObject({ agree: 2, unjudged: 1 });
  expect(unjudged).toEqual([
    { exchange: 1, reason: "its response is not JSON, which no entry of the table can have" },
  ]);
});

test.each<[string, readonly Call[], object, string[]]>([
  [
    "an answer whose fields have another order",
    [listed(), { line: "GET /api/webhooks/none", status: 404, body: { error: "gone", code: 7 } }],
    { "webhooks.notFound": { body: { code: 7, error: "gone" }, status: 404 } },
    [],
  ],
  [
    "an id that another call showed elsewhere",
    [
      read(),
      read(
        {},
        {
          line: `${DETAILS}=66`,
          status: 404,
          body: { error: "no 66" },
        },
      ),
    ],
    { "threads.notFound": { status: 404, body: { error: "no ${request.customerThreadId}" } } },
    [],
  ],
  [
    "a move that is refused now",
    [
      read(),
      moved("replied"),
      moved("resolved", 400, { error: "Status cannot change from replied to resolved" }),
    ],
    { "threadStatus.transitions": "any" },
    ["threadStatus.transitions"],
  ],
  [
    "more calls than a limit allowed",
    Array.from({ length: 12 }, () => read()),
    { "limits.rate": { requests: 3, per: "1m" } },
    ["limits.rate"],
  ],
])("%s is drift only where something has changed", async (_, calls, values, keys) => {
  const now = await calibrated(calls);
  expect(expectation("observed.yaml", values, now).drift.map(({ key }) => key)).toEqual(keys);
});
