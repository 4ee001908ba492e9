/** Rules at their edges: both states of the messaging window, the order of checks, the forms of refusals. */
import { describe, expect, it } from "vitest";
import { problemsIn } from "../support/problems.js";
import { openSandbox } from "../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";
const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";
const TEMPLATE = "HX00000000000000000000000000000001";
const FOREIGN = "HX00000000000000000000000000000009";

/** What may be sent in which state of the window, and what decides a refusal. */
const MESSAGES = [
  ["text", { text: "Hi" }, 200, 400, "window.closedError"],
  ["text that says internal false", { text: "Hi", internal: false }, 200, 400, "window.closedError"],
  ["internal text", { text: "Hi", internal: true }, 200, 200, null],
  ["a template", { contentSid: TEMPLATE }, 200, 200, null],
  ["an internal template", { contentSid: TEMPLATE, internal: true }, 200, 200, null],
  ["another organization's template", { contentSid: FOREIGN }, 400, 400, "templates.unknown"],
  ["an unknown template", { contentSid: "none" }, 400, 400, "templates.unknown"],
  ["neither", {}, 400, 400, "errors.validation"],
  ["both", { text: "Hi", contentSid: TEMPLATE }, 400, 400, "errors.validation"],
] as const;

describe.each([
  ["by hand", {}],
  ["for a day", { "window.duration": "24h" }],
] as const)("a window that is moved %s", (_, behaviour) => {
  it.each(MESSAGES)(
    "%s in both states, which it does not change",
    async (_, body, open, closed, decidedBy) => {
      const s = await openSandbox({ behaviour });
      const theirs = { id: FOREIGN, organizationId: "300", title: "theirs", text: "Hi" };
      await s.control("POST /data/templates", theirs);
      for (const [isOpen, expected] of [
        [true, open],
        [false, closed],
        [false, closed],
        [true, open],
      ] as const) {
        await s.control("POST /threads/9001/window", { open: isOpen });
        const before = (await s.control("GET /data/threads/9001")).body;
        const count = (await s.control("GET /state")).body.messages.length;
        const { status, headers } = await s.api(SEND, { customerThreadId: "9001", ...body });
        expect([isOpen, status]).toEqual([isOpen, expected]);
        if (status === 400) expect(headers.get("x-sim-behaviour")).toBe(decidedBy);
        expect((await s.api(DETAILS)).body.isMessagingWindowOpen).toBe(isOpen);
        expect((await s.control("GET /data/threads/9001")).body).toEqual(before);
        expect((await s.control("GET /state")).body.messages.length).toBe(count + (status === 200 ? 1 : 0));
      }
    },
  );
});

it("checks the permission before the rate limit", async () => {
  const s = await openSandbox({
    behaviour: {
      "permissions.required": { listWebhooks: "hooks" },
      "limits.rate": { requests: 1, per: "1h" },
    },
  });
  const ask = async (call: string) => (await s.api(call)).status;
  expect([await ask("GET /api/webhooks/"), await ask("GET /api/webhooks/")]).toEqual([403, 403]);
  expect([await ask(DETAILS), await ask(DETAILS), await ask("GET /api/webhooks/")]).toEqual([200, 429, 403]);
});

it("reports header problems if errors are one text", async () => {
  const s = await openSandbox({ behaviour: { "errors.validation": "error" } });
  const { status, body } = await s.api(SEND, "a=b", { headers: { "content-type": "text/plain" } });
  const error = '@.content-type must be equal to "application/json", but is equal to "text/plain"';
  expect([status, body]).toEqual([400, { error }]);
});

const GRAPHQL_REFUSALS = [
  ["no token", { query: "get-hook-query" }, null, 401],
  ["an unknown token", { query: "get-hook-query" }, "none", 401],
  ["an unknown operation", { query: "none" }, "acme-token", 400],
  [
    "a variable of a wrong type",
    { query: "delete-hook-mutation", variables: { hookId: ["a", 5] } },
    "acme-token",
    400,
  ],
  ["a permission that lacks", { query: "get-hook-query" }, "acme-no-delete", 403],
  ["no JSON", "{", "acme-token", 400],
] as const;

describe.each(["refusal", "ok"] as const)("GraphQL errors with graphql.errorStatus = %s", (errorStatus) => {
  it.each(GRAPHQL_REFUSALS)("for %s have no key but errors", async (_, body, token, status) => {
    const permissions = { "permissions.required": { graphql: "user:delete" } };
    const s = await openSandbox({ behaviour: { "graphql.errorStatus": errorStatus, ...permissions } });
    const answer = await s.api("POST /graphql", body, { token });
    expect(answer.status).toBe(errorStatus === "ok" && status !== 401 ? 200 : status);
    expect(Object.keys(answer.body)).toEqual(["errors"]);
    for (const error of answer.body.errors)
      expect(error).toEqual({ path: expect.any(Array), message: expect.any(String), code: status * 100 });
  });
});

it("reports all problems of a GraphQL call at once", async () => {
  const s = await openSandbox({ behaviour: { "body.unknownFields": "reject" } });
  const sent = { query: "save-hook-mutation", operationName: "x", variables: { enabled: "x" } };
  expect(problemsIn((await s.api("POST /graphql", sent)).body)).toEqual([
    '@ should not contains property ["operationName"]',
    "@.variables.hookId is missing and not optional",
    "@.variables.enabled must be boolean, but is string",
  ]);
});

it("also refuses unknown fields if no body is documented", async () => {
  const s = await openSandbox({ behaviour: { "body.unknownFields": "reject" } });
  const refused = await s.api("POST /api/webhooks/crm/delete", { zz: 1 });
  expect([refused.status, problemsIn(refused.body)]).toEqual([
    400,
    ['@ should not contains property ["zz"]'],
  ]);
  expect((await s.api("POST /api/webhooks/crm/delete", {})).status).toBe(200);
});

it("keeps Retry-After in GraphQL refusals, and gives presets the form of GraphQL errors", async () => {
  const s = await openSandbox({
    clock: "2026-01-01T09:00:00Z",
    behaviour: { "limits.rate": { requests: 1, per: "1m" } },
  });
  const ask = () => s.api("POST /graphql", { query: "get-hook-query" });
  await ask();
  const limited = await ask();
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
  await s.control("POST /faults", { on: "request", then: "unavailable" });
  const { body } = await ask();
  expect(body).toEqual({ errors: [{ path: [], message: "Service unavailable", code: 50300 }] });
});

it("refuses a token with the configured answer, on /graphql too", async () => {
  const body = { errors: [{ message: "UNAUTHENTICATED" }] };
  const s = await openSandbox({
    behaviour: { "graphql.errorStatus": "ok", "auth.invalid": { status: 403, body } },
  });
  const answer = await s.api("POST /graphql", { query: "get-hook-query" }, { token: "none" });
  expect([answer.status, answer.body]).toEqual([403, body]);
});

it("shows each unanswered survey as null, also for a customer without any", async () => {
  const s = await openSandbox({ behaviour: { "surveys.unanswered": "null" } });
  await s.control("PATCH /data/customers/cust_001", { lastSurveys: null });
  const { body } = await s.api("GET /api/customers/cust_001/profile");
  expect(body.lastSurveys).toEqual({ nps: null, preferredChannel: null });
});

it("has array positions as numbers in the path of a GraphQL error", async () => {
  const { api } = await openSandbox();
  const { body } = await api("POST /graphql", {
    query: "delete-hook-mutation",
    variables: { hookId: ["a", 5] },
  });
  expect(body.errors[0].path).toEqual(["variables", "hookId", 1]);
  expect(problemsIn(body)).toEqual(["@.variables.hookId[1] must be string, but is number"]);
});

it("decodes path segments", async () => {
  const { api } = await openSandbox();
  expect((await api("GET /api/customers/cust%5F001/profile")).body.id).toBe("cust_001");
  await api("POST /graphql", {
    query: "save-hook-mutation",
    variables: { hookId: "a/b c", url: "https://bot.example" },
  });
  expect((await api("GET /api/webhooks/a%2Fb%20c")).body.hookId).toBe("a/b c");
});

it("rounds seconds down", async () => {
  const s = await openSandbox({
    clock: "2026-01-01T09:00:00.999Z",
    behaviour: { "timestamps.unit": "s", "surveys.createdAtUnit": "s" },
  });
  const survey = { createdAt: 1_700_000_000_999, text: "8" };
  await s.control("PATCH /data/customers/cust_001", { lastSurveys: { nps: survey } });
  const { lastSurveys } = (await s.api("GET /api/customers/cust_001/profile")).body;
  expect(lastSurveys.nps.createdAt).toBe(1_700_000_000);
  const sent = async (ms: number) => {
    await s.control("PUT /clock", { now: Date.UTC(2026, 0, 1, 9) + ms });
    await s.control("POST /threads/9001/inbound", { text: "Hi" });
    await s.control("POST /wait", { for: "idle" });
    const { timestamp, data } = (await s.control("GET /deliveries")).body.at(-1).body;
    return [timestamp, data.messageTimestamp].map((time) => time - Date.UTC(2026, 0, 1, 9) / 1000);
  };
  for (const [ms, second] of [
    [0, 0],
    [500, 0],
    [999, 0],
    [1_000, 1],
  ] as const)
    expect([ms, await sent(ms)]).toEqual([ms, [second, second]]);
});

const CHARACTERS = 4_096;
const TEXTS: readonly (readonly [text: string, send: number, widget: number])[] = [
  ["", 400, 400],
  ["a", 200, 200],
  ["😀".repeat(CHARACTERS), 200, 200],
  ["a".repeat(CHARACTERS + 1), 400, 400],
];

it.each(TEXTS)("takes a text of the profile realistic: %#", async (text, send, widget) => {
  const { api } = await openSandbox({ behaviour: "realistic" });
  const user = { sms: "+15550100" };
  expect((await api(SEND, { customerThreadId: "9001", text })).status).toBe(send);
  const begun = await api("POST /api/widget/send-message-to-business", {
    businessId: "1001",
    message: text,
    user,
  });
  expect(begun.status).toBe(widget);
});
