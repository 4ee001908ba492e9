/** Rules at their edges: the order of checks, the forms of refusals. */
import { describe, expect, it } from "vitest";
import {
  DETAILS,
  graphql,
  HOOK,
  HOOKS,
  hook,
  legacyDelivery,
  PROFILE,
  received,
  SEND,
  save,
  send,
  TEMPLATE,
} from "../conformance/support.js";
import { problemsIn } from "../support/problems.js";
import { openSandbox } from "../support/simulator.js";
import { NOTE } from "./calls.js";

const SENT = "sendMessage.response";
const REJECT = { behaviour: { "body.unknownFields": "reject" } } as const;

it("checks the permission before the rate limit", async () => {
  const limits = { "limits.rate": { requests: 1, per: "1h" } };
  const permissions = { "permissions.required": { listWebhooks: "hooks" } };
  const s = await openSandbox({ behaviour: { ...permissions, ...limits } });
  const list = `GET ${HOOKS}`;
  for (const [call, status] of [
    [list, 403],
    [list, 403],
    [DETAILS, 200],
    [DETAILS, 429],
    [list, 403],
  ] as const)
    expect([call, (await s.api(call)).status]).toEqual([call, status]);
});

describe.each(["refusal", "ok"] as const)("GraphQL errors with graphql.errorStatus = %s", (errorStatus) => {
  const wrong = { query: "delete-hook-mutation", variables: { hookId: ["a", 5] } };

  it.each([
    ["no token", { query: "get-hook-query" }, null, 401],
    ["an unknown token", { query: "get-hook-query" }, "none", 401],
    ["an unknown operation", { query: "none" }, "acme-token", 400],
    ["a variable of a wrong type", wrong, "acme-token", 400],
    ["a permission that lacks", { query: "get-hook-query" }, "acme-no-delete", 403],
    ["no JSON", "{", "acme-token", 400],
  ] as const)("for %s have no key but errors", async (_, body, token, status) => {
    const permissions = { "permissions.required": { graphql: "user:delete" } };
    const s = await openSandbox({ behaviour: { "graphql.errorStatus": errorStatus, ...permissions } });
    const answer = await s.api("POST /graphql", body, { token });
    expect(answer.status).toBe(errorStatus === "ok" && status !== 401 ? 200 : status);
    expect(Object.keys(answer.body)).toEqual(["errors"]);
    for (const error of answer.body.errors)
      expect(error).toEqual({ path: expect.any(Array), message: expect.any(String), code: status * 100 });
  });
});

it("reports all problems of a GraphQL call at once, with array positions as numbers", async () => {
  const s = await openSandbox(REJECT);
  const sent = { query: "save-hook-mutation", operationName: "x", variables: { enabled: "x" } };
  expect(problemsIn((await s.api("POST /graphql", sent)).body)).toEqual([
    '@ should not contains property ["operationName"]',
    "@.variables.hookId is missing and not optional",
    "@.variables.enabled must be boolean, but is string",
  ]);
  const { body } = await graphql(s, "delete-hook-mutation", { hookId: ["a", 5] });
  expect(body.errors[0].path).toEqual(["variables", "hookId", 1]);
  expect(problemsIn(body)).toEqual(["@.variables.hookId[1] must be string, but is number"]);
});

it("also refuses unknown fields if no body is documented", async () => {
  const { api } = await openSandbox(REJECT);
  const refused = await api(`POST ${HOOKS}crm/delete`, { zz: 1 });
  expect(problemsIn(refused.body)).toEqual(['@ should not contains property ["zz"]']);
  expect((await api(`POST ${HOOKS}crm/delete`, {})).status).toBe(200);
});

it("keeps Retry-After in GraphQL refusals, and gives presets the form of GraphQL errors", async () => {
  const behaviour = { "limits.rate": { requests: 1, per: "1m" } };
  const s = await openSandbox({ clock: "2026-01-01T09:00:00Z", behaviour });
  await graphql(s, "get-hook-query");
  const { status, headers } = await graphql(s, "get-hook-query");
  expect([status, headers.get("retry-after")]).toEqual([429, "60"]);
  await s.control("POST /faults", { on: "request", then: "unavailable" });
  const { body } = await graphql(s, "get-hook-query");
  expect(body).toEqual({ errors: [{ path: [], message: "Service unavailable", code: 50300 }] });
});

it("refuses a token with the configured answer, on /graphql too", async () => {
  const body = { errors: [{ message: "UNAUTHENTICATED" }] };
  const behaviour = { "graphql.errorStatus": "ok", "auth.invalid": { status: 403, body } } as const;
  const { api } = await openSandbox({ behaviour });
  const answer = await api("POST /graphql", { query: "get-hook-query" }, { token: "none" });
  expect([answer.status, answer.body]).toEqual([403, body]);
});

it.each<[behaviour: object, customerThreadId: string, message: object, decidedBy: string]>([
  [{}, "9002", { text: "" }, "window.closedError"],
  [{}, "9003", { contentSid: TEMPLATE }, "templates.unknown"],
  [{ "limits.textLength": null }, "9001", { text: "x".repeat(5_000) }, SENT],
  [{ "limits.textLength": 3 }, "9001", { text: "😀😀😀" }, SENT],
  [{ "limits.textLength": 3 }, "9001", { contentSid: TEMPLATE }, SENT],
  [{ "limits.textLength": 3 }, "9001", NOTE, "limits.textLengthError"],
  [{ "limits.textLength": 1 }, "1", { text: "Hi" }, "threads.notFound"],
  [{ "limits.textLength": 1 }, "9002", { text: "Hi" }, "limits.textLengthError"],
  [{ "messages.emptyText": "reject" }, "9001", { text: "", internal: true }, "messages.emptyText"],
  [{ "messages.emptyText": "reject" }, "9001", { text: " " }, SENT],
  [{ "messages.emptyText": "reject" }, "9001", { contentSid: TEMPLATE }, SENT],
  [{ "window.internalMessages": "bound" }, "9001", NOTE, SENT],
  [{ "window.internalMessages": "bound" }, "9003", NOTE, SENT],
  [{ "window.internalMessages": "bound" }, "9002", { contentSid: TEMPLATE, internal: true }, SENT],
])(
  "with %j a message in thread %s %j is decided by %s",
  async (behaviour, customerThreadId, message, key) => {
    const { status, headers } = await send(await openSandbox({ behaviour }), {
      customerThreadId,
      ...message,
    });
    expect([headers.get("x-sim-behaviour"), status === 200]).toEqual([key, key === SENT]);
  },
);

it("takes a byte order mark before a body, and any keys in it", async () => {
  const s = await openSandbox();
  const body = '\ufeff{ "customerThreadId": "9001", "text": "Hi", "__proto__": [1], "constructor": {} }';
  expect((await s.api(SEND, body)).status).toBe(200);
  const [{ body: read }] = (await s.control("GET /requests")).body;
  expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(body.slice(1))));
});

it("decodes path segments", async () => {
  const s = await openSandbox();
  expect((await s.api(PROFILE.replace("_", "%5F"))).body.id).toBe("cust_001");
  await save(s, { hookId: "a/b c", url: HOOK.url });
  expect((await hook(s, "a%2Fb%20c")).hookId).toBe("a/b c");
});

it("rounds seconds down", async () => {
  const behaviour = { "timestamps.unit": "s", "surveys.createdAtUnit": "s" } as const;
  const s = await openSandbox({ clock: "2026-01-01T09:00:00.999Z", behaviour });
  const nps = { createdAt: 1_700_000_000_999, text: "8" };
  await s.control("PATCH /data/customers/cust_001", { lastSurveys: { nps } });
  expect((await s.api(PROFILE)).body.lastSurveys.nps.createdAt).toBe(1_700_000_000);
  const legacy = await legacyDelivery(s);
  const { timestamp, data } = (await received(s)).at(-1).body;
  const nine = Date.UTC(2026, 0, 1, 9) / 1_000;
  expect([timestamp, data.messageTimestamp, legacy.messageTimestamp]).toEqual([nine, nine, nine]);
});
