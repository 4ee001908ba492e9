/** Small recordings of which little can be said: nothing is learned from them by mistake, and no honest exchange is accused. */
import { expect, test } from "vitest";
import { exchangesIn } from "../../src/lab/calibrate/har.js";
import { learn } from "../../src/lab/calibrate/learn.js";
import { expectation } from "../../src/lab/calibrate/report.js";
import { type Call, entriesOf, PROFILE } from "./calls.js";

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

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId";
const read = (body: object = {}, more: Partial<Call> = {}): Call => ({
  line: `${DETAILS}=9001`,
  body: { customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true, ...body },
  ...more,
});
const sending = (message: object, status = 200, body: unknown = {}): Call => ({
  line: "POST /api/send-message-to-customer-thread",
  sent: { customerThreadId: "9001", ...message },
  status,
  body,
});
const text = (words: string, ...answer: [status?: number, body?: unknown]) =>
  sending({ text: words }, ...answer);
const template = (...answer: [status?: number, body?: unknown]) => sending({ contentSid: "HX1" }, ...answer);
const remove = (status: number, body?: unknown): Call => ({
  line: "POST /api/user/delete-by-email",
  sent: { email: "ida@acme.example" },
  status,
  body,
});
const moved = (to: string, status = 200, body: unknown = {}, more: Partial<Call> = {}): Call => ({
  line: "POST /api/update-thread-status",
  sent: { customerThreadId: "9001", status: to },
  status,
  body,
  ...more,
});
const MOVE = "Status cannot change from replied to resolved";
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
const forTransfers = { ...hook, url: "https://api.example/hook", subscribedEvents: ["transfers"] };
const listed = (...hooks: readonly object[]): Call => ({ line: "GET /api/webhooks/", body: hooks });
const queried = (...hooks: readonly object[]): Call => ({
  line: "POST /graphql",
  sent: { query: "get-hook-query" },
  body: { data: { hook: hooks } },
});
const refused = (line: string, status: number, body?: unknown): Call => ({ line, status, body });
const legacy = (url: string, body: unknown = {}): Call => ({
  line: "POST /api/update-hook-url",
  sent: { url },
  body,
});
const deleted = (body: unknown = {}): Call => ({ line: "POST /api/webhooks/crm/delete", body });
const subscribed = (url: string, subscribedEvents: readonly string[], answer: Partial<Call>): Call => ({
  line: "POST /api/webhooks/",
  sent: { url, subscribedEvents },
  ...answer,
});
const single: Call = { line: "GET /api/webhooks/crm", body: hook };
const none = (body: unknown, status = 404) => refused("GET /api/webhooks/none", status, body);
const profile = (more: object): Call => ({
  line: "GET /api/customers/c1/profile",
  body: { ...PROFILE, ...more },
});
const started = (status: number, body: object, more: Partial<Call> = {}): Call => ({
  line: "POST /api/widget/send-message-to-business",
  sent: { businessId: "1001", message: "Hi", user: { email: "a@b.example" } },
  status,
  body,
  ...more,
});
const OF_PROFILES = "Endpoints / Get customer profile";

type Said = Partial<Awaited<ReturnType<typeof said>>>;
const TOO_LARGE: Said = { bounded: ["limits.bodyBytes ..45"] };
const ROWS: readonly (readonly [name: string, calls: readonly Call[], expected?: Said])[] = [
  ["too many calls", [read(), read(), remove(429, { error: "Rate limit exceeded: retry in 51 s" })]],
  [
    "a body that is too large",
    [read(), template(413, { error: "too large" })],
    { ...TOO_LARGE, learned: ['limits.bodyError={"status":413,"body":{"error":"too large"}}'] },
  ],
  [
    "a body that is too large, and an answer that was not recorded",
    [read(), { ...template(413), body: undefined, size: 20 }],
    TOO_LARGE,
  ],
  ["a body that is too large for a gateway", [read(), template(413, "<html>")], TOO_LARGE],
  ["a body that is too large, and no answer", [read(), template(413, "")], TOO_LARGE],
  [
    "a method and a path in one text",
    [
      listed(),
      ...["/api/nothing", "/api/zip"].map((path) =>
        refused(`GET ${path}`, 404, { error: `Cannot GET ${path}` }),
      ),
      listed(),
    ],
  ],
  [
    "an id within a word",
    [listed(hook), single, none({ error: "no hook_none" }), none({ error: "no hook_none" }), single],
  ],
  [
    "legacy webhooks, whose ids are not shown",
    ["a", "b", "b"].map((path) => legacy(`https://bot.example/${path}`)),
    { bounded: ["limits.webhooks 3.."] },
  ],
  [
    "an empty list where the call sends true",
    [legacy("https://bot.example/a", [])],
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
  ["a key that has expired", [read(), none({ error: "Invalid API token" }, 401)]],
  ["an outage", [read(), remove(503, { error: "maintenance" }), refused("GET /api/zip", 502, "<html>")]],
  ["an answer that is not JSON", [none("<pre>Cannot GET")]],
  [
    "an answer that was not recorded",
    [{ ...none(undefined), size: 30 }, read(), { ...read(), body: "", size: 50 }],
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
      queried({ hookId: "crm", url: hook.url, enabled: true }),
      listed({ ...hook, subscribedEvents: ["messages", "transfers"] }),
    ],
  ],
  [
    "a webhook of GraphQL without its flag",
    [queried({ hookId: "crm", url: hook.url })],
    { contradictions: ["#0 Endpoints / Webhook operations (GraphQL)"] },
  ],
  ["webhooks of two organizations", [listed(hook), { ...listed(), token: "token-2" }]],
  [
    "a permission that is missing",
    [
      read(),
      subscribed(hook.url, ["messages"], {
        status: 403,
        body: { error: "The token lacks the permission x" },
      }),
    ],
  ],
  [
    "a method that is repeated",
    [read(), refused("GET /api/update-thread-status", 405, { error: "GET not here" })],
  ],
  [
    "an id that is in the request and in the scope",
    [read(), sending({ customerThreadId: "66", text: "Hi" }, 404, { error: "no 66" })],
  ],
  [
    "a number for a time",
    [profile({ lastSurveys: { nps: { createdAt: "2020", text: "8" } } })],
    { contradictions: [`#0 ${OF_PROFILES}`] },
  ],
  [
    "a lie before the truth",
    [1, "1"].map((value) => profile({ customerData: [{ name: "a", value }] })),
    { contradictions: [`#0 ${OF_PROFILES}`] },
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
    [listed(hook), deleted(), listed(hook)],
    { contradictions: ["#2 Endpoints / Webhooks (REST)"] },
  ],
  ["the removal of a webhook that is answered with it", [listed(hook), deleted(hook), listed()]],
  [
    "a webhook at the address of an earlier legacy one",
    [
      read(),
      legacy(forTransfers.url),
      listed({ ...hook, url: forTransfers.url }),
      deleted(),
      subscribed(forTransfers.url, ["transfers"], { body: { ...forTransfers, hookId: "new" } }),
      ...Array.from({ length: 12 }, () => listed({ ...forTransfers, hookId: "new" })),
      transfer,
    ],
    { bounded: ["limits.webhooks 1.."] },
  ],
];

test.each([...ROWS] as [string, readonly Call[], Said?][])("%s", async (_, calls, expected = {}) => {
  expect(await said(calls)).toEqual({ learned: [], bounded: [], contradictions: [], ...expected });
});

test("a customer whose message was not recorded may have moved a status", async () => {
  const { open } = await calibrated([read(), text("Hi"), read({}, { at: 30 })]);
  expect(open).toContain("threadStatus.autoMoves");
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
    [listed(), none({ error: "gone", code: 7 })],
    { "webhooks.notFound": { body: { code: 7, error: "gone" }, status: 404 } },
    [],
  ],
  [
    "an id that another call showed elsewhere",
    [read(), refused(`${DETAILS}=66`, 404, { error: "no 66" })],
    { "threads.notFound": { status: 404, body: { error: "no ${request.customerThreadId}" } } },
    [],
  ],
  [
    "a move that is refused now",
    [read(), moved("replied"), moved("resolved", 400, { error: MOVE })],
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
