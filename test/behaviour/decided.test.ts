/** Every answer that an entry of the behaviour table decided names it in `X-Sim-Behaviour`, refusals by a rule included. */
import { describe, expect, it } from "vitest";
import { POLICIES } from "../../src/behaviour/policies/index.js";
import type { BehaviourKey, BehaviourValues, RefusalAnswerKey } from "../../src/behaviour/table.js";
import type { ServiceRefusalKey } from "../../src/domain/refusals.js";
import { serviceRefusal } from "../../src/domain/refusals.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";
const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";
const TEMPLATES = "GET /api/get-whatsapp-templates?customerThreadId=9001";
const STATUS = "POST /api/update-thread-status";
const WIDGET = "POST /api/widget/send-message-to-business";
const DELETE_USER = "POST /api/user/delete-by-email";
const HOOK = { url: "https://bot.example/hook", subscribedEvents: ["messages"] };
const HTTP_HOOK = { ...HOOK, url: "http://bot.example/hook" };

type PolicyKey = keyof typeof POLICIES;
type Seen = { readonly status: number; readonly headers: Headers };
type Row = {
  [K in PolicyKey]: [
    key: K,
    value: BehaviourValues[K],
    call: (simulator: Running) => Promise<Seen>,
    status: number,
    named: BehaviourKey,
  ];
}[PolicyKey];

const bare = ({ url }: Running, method: string, path: string) =>
  fetch(url + path, { method, headers: { token: "acme-token" } });
const write = (body: object) => (s: Running) => s.api(SEND, { customerThreadId: "9001", ...body });
const deletion =
  (...hookId: string[]) =>
  (s: Running) =>
    s.api("POST /graphql", { query: "delete-hook-mutation", variables: { hookId } });
const begin = (businessId: string, user: object) => (s: Running) =>
  s.api(WIDGET, { businessId, message: "Hi", user });
const graphql = ({ api }: Running) => api("POST /graphql", { query: "x" });

/** For each policy that decides an answer: a value, a call that meets it, and the entry that the answer names. */
const ROWS: Row[] = [
  [
    "profile.emptyFields",
    "null",
    (s) => s.api("GET /api/customers/cust_003/profile"),
    200,
    "profile.emptyFields",
  ],
  [
    "surveys.createdAtUnit",
    "s",
    (s) => s.api("GET /api/customers/cust_001/profile"),
    200,
    "surveys.createdAtUnit",
  ],
  [
    "profile.notEditable",
    "refuse",
    async ({ api, control }) => {
      await control("PATCH /data/customers/cust_001", { editable: false });
      return api("POST /api/customers/cust_001/profile/update", {});
    },
    400,
    "profile.notEditableError",
  ],
  ["ids.acceptNumbers", "reject", write({ customerThreadId: 9001, text: "Hi" }), 400, "ids.acceptNumbers"],
  ["body.unknownFields", "reject", write({ text: "Hi", x: 1 }), 400, "body.unknownFields"],
  [
    "headers.contentTypeOnGet",
    "require",
    (s) => bare(s, "GET", "/api/webhooks/"),
    400,
    "headers.contentTypeOnGet",
  ],
  [
    "headers.contentTypeOnEmptyPost",
    "require",
    (s) => bare(s, "POST", "/api/webhooks/crm/delete"),
    400,
    "headers.contentTypeOnEmptyPost",
  ],
  ["paths.trailingSlash", "reject", (s) => s.api("GET /api/webhooks"), 404, "http.unknownPath"],
  ["webhooks.response", "record", (s) => s.api("GET /api/webhooks/"), 200, "webhooks.response"],
  ["graphql.errors", "plain", graphql, 400, "graphql.errors"],
  ["graphql.errorStatus", "ok", graphql, 200, "graphql.errors"],
  [
    "tokens.lifetime",
    "1h",
    async ({ api, control }) => {
      await control("PATCH /data/tokens/acme-token", { issuedAt: 1 });
      return api(DETAILS);
    },
    401,
    "auth.invalid",
  ],
  [
    "permissions.required",
    { getCustomerThreadDetails: "read" },
    (s) => s.api(DETAILS),
    403,
    "permissions.requiredError",
  ],
  [
    "threadStatus.transitions",
    {},
    (s) => s.api(STATUS, { customerThreadId: "9001", status: "resolved" }),
    400,
    "threadStatus.transitionError",
  ],
  ["threads.readAccess", "user", (s) => s.api(DETAILS.replace("9001", "9005")), 403, "threads.notAccessible"],
  ["widget.emailFormat", "valid", begin("1001", { email: "i d@x.example" }), 400, "widget.emailFormat"],
  [
    "widget.emailFormat",
    "schema-inspector",
    begin("1001", { email: "a@shop.co.uk" }),
    400,
    "widget.emailFormat",
  ],
  [
    "widget.threadAccess",
    "business",
    async (s) => {
      await begin("1002", { sms: "+15550100" })(s);
      const { id } = (await s.control("GET /state")).body.threads.at(-1);
      return s.api(DETAILS.replace("9001", id));
    },
    403,
    "threads.notAccessible",
  ],
  ["widget.reuse", "never", begin("1001", { sms: "+15550100" }), 200, "widget.reuse"],
  [
    "users.emailMatch",
    "exact",
    (s) => s.api(DELETE_USER, { email: "Chloe@acme.example" }),
    404,
    "users.emailMatch",
  ],
  [
    "window.channels",
    ["SMS"],
    async (s) => {
      await s.control("POST /threads/9003/window", { open: false });
      return s.api(SEND, { customerThreadId: "9003", text: "Hi" });
    },
    400,
    "window.closedError",
  ],
  [
    "window.duration",
    "1h",
    async (s) => {
      await s.control("PUT /clock", { frozen: true });
      await s.control("POST /threads/9001/inbound", { text: "Hi" });
      await s.control("POST /clock/advance", { by: "2h" });
      return write({ text: "Hi" })(s);
    },
    400,
    "window.closedError",
  ],
  [
    "window.internalMessages",
    "bound",
    write({ customerThreadId: "9002", text: "note", internal: true }),
    400,
    "window.closedError",
  ],
  ["messages.emptyText", "reject", write({ text: "" }), 400, "messages.emptyText"],
  [
    "webhooks.insecureUrls",
    "reject",
    (s) => s.api("POST /api/webhooks/crm/update", { url: HTTP_HOOK.url }),
    400,
    "webhooks.insecureUrls",
  ],
  [
    "webhooks.insecureUrls",
    "loopback",
    (s) => s.api("POST /api/webhooks/", HTTP_HOOK),
    400,
    "webhooks.insecureUrls",
  ],
  [
    "profile.access",
    "user",
    (s) => s.api("GET /api/customers/cust_005/profile"),
    403,
    "profile.notAccessible",
  ],
  [
    "ids.foreign",
    "forbidden",
    (s) => s.api("GET /api/customers/cust_101/profile"),
    403,
    "profile.notAccessible",
  ],
  ["ids.foreign", "forbidden", (s) => s.api(DETAILS.replace("9001", "9101")), 403, "threads.notAccessible"],
  ["ids.foreign", "unknown", (s) => s.api(DETAILS.replace("9001", "9101")), 404, "threads.notFound"],
  ["templates.channels", ["SMS"], (s) => s.api(TEMPLATES), 200, "templates.channels"],
  [
    "templates.internal",
    "reject",
    write({ contentSid: "HX00000000000000000000000000000001", internal: true }),
    400,
    "templates.internal",
  ],
  ["errors.validation", "validator", write({}), 400, "errors.validation"],
  ["errors.validation", "error", write({}), 400, "errors.validation"],
  [
    "webhooks.doubledEvents",
    "reject",
    (s) => s.api("POST /api/webhooks/", { ...HOOK, subscribedEvents: ["messages", "messages"] }),
    400,
    "webhooks.doubledEvents",
  ],
  ["graphql.deleteNone", "refuse", deletion(), 200, "graphql.deleteNone"],
  ["graphql.deleteNone", "succeed", deletion(), 200, "graphql.deleteNone"],
  [
    "webhooks.emptySubscriptions",
    "reject",
    (s) => s.api("POST /api/webhooks/", { ...HOOK, subscribedEvents: [] }),
    400,
    "webhooks.emptySubscriptions",
  ],
  ["graphql.deleteUnknown", "refuse", deletion("none"), 200, "graphql.deleteUnknown"],
  ["graphql.deleteUnknown", "skip", deletion("none", "crm"), 200, "graphql.deleteUnknown"],
  ["limits.textLength", 1, write({ text: "Hi" }), 400, "limits.textLengthError"],
  ["limits.webhooks", 0, (s) => s.api("POST /api/webhooks/", HOOK), 400, "limits.webhooksError"],
  ["limits.bodyBytes", 1, write({ text: "Hi" }), 413, "limits.bodyError"],
  ["limits.textLength", 4, write({ text: "too long" }), 400, "limits.textLengthError"],
  [
    "users.deleteSelf",
    "refuse",
    (s) => s.api(DELETE_USER, { email: "ana@acme.example" }),
    403,
    "users.deleteSelfError",
  ],
  [
    "users.deleteEcho",
    "sent",
    (s) => s.api(DELETE_USER, { email: "Chloe@acme.example" }),
    200,
    "users.deleteEcho",
  ],
  [
    "surveys.unanswered",
    "omit",
    async ({ api, control }) => {
      await control("PATCH /data/customers/cust_001", { lastSurveys: {} });
      return api("GET /api/customers/cust_001/profile");
    },
    200,
    "surveys.unanswered",
  ],
  ["body.nullFields", "reject", write({ text: null }), 400, "body.nullFields"],
  ["body.nullFields", "reject", begin("1001", { sms: "+15550100", locale: null }), 400, "body.nullFields"],
  ["query.repeated", "reject", (s) => s.api(`${DETAILS}&customerThreadId=9001`), 400, "query.repeated"],
  [
    "templates.scope",
    "business",
    async (s) => {
      await s.control("PATCH /data/templates/HX00000000000000000000000000000001", { businessIds: ["1002"] });
      return s.api(TEMPLATES);
    },
    200,
    "templates.scope",
  ],
  ["webhooks.createStatus", 201, (s) => s.api("POST /api/webhooks/", HOOK), 201, "webhooks.createStatus"],
  [
    "graphql.nullFields",
    "reject",
    (s) => s.api("POST /graphql", { query: "get-hook-query", variables: null }),
    400,
    "graphql.nullFields",
  ],
  ...(["empty", "refuse"] as const).map((value): Row => {
    const call = { query: "get-hook-query", variables: { hookId: [] } };
    const status = value === "empty" ? 200 : 400;
    return ["graphql.getNone", value, (s) => s.api("POST /graphql", call), status, "graphql.getNone"];
  }),
  [
    "limits.rate",
    { requests: 1, per: "1h" },
    async (s) => {
      await s.api(DETAILS);
      return s.api(DETAILS);
    },
    429,
    "limits.rateError",
  ],
];

/** Policies that no answer of the simulated API shows: they decide about deliveries, later states or browsers. */
const NO_ANSWER: PolicyKey[] = [
  "customers.unknownType",
  "widget.customerMatch",
  "widget.knownLocale",
  "widget.window",
  "transfers.employee",
  "transfers.participation",
  "events.attachmentLength",
  "legacy.messageExternalId",
  "delivery.repeatedHeaders",
  "delivery.contentType",
  "legacy.customerEmployeeUserId",
  "window.undatedEnd",
  "limits.textUnit",
  "profile.displayName",
  "profile.emptyUpdate",
  "delivery.pendingUpdate",
  "delivery.redirects",
  "delivery.autoDisable",
  "webhooks.pendingAfterDisable",
  "timestamps.unit",
  "threadStatus.autoMoves",
  "widget.threadStatus",
  "webhooks.graphqlEvents",
  "delivery.attempts",
  "delivery.backoff",
  "delivery.timeoutMs",
  "delivery.order",
  "delivery.success",
  "delivery.signature",
  "events.internalMessages",
  "cors.origins",
];

describe("an answer that an entry decided", () => {
  it.each(ROWS)("by %s = %j names the entry", async (key, value, call, status, named) => {
    const { headers, status: seen } = await call(await startSimulator({ set: { [key]: value } }));
    expect([seen, headers.get("x-sim-behaviour")]).toEqual([status, named]);
  });

  it("is looked at for each policy that decides one", () => {
    const seen = new Set<string>([...ROWS.map(([key]) => key), ...NO_ANSWER]);
    expect([...seen].sort()).toEqual(Object.keys(POLICIES).sort());
  });
});

/** The refusals that the specification states: a call that meets each. */
const DOCUMENTED = {
  "users.notFound": (s: Running) => s.api(DELETE_USER, { email: "nobody@acme.example" }),
  "users.lastRepresentative": async (s: Running) => {
    await s.control("PATCH /data/users/503", { contactable: false });
    return s.api(DELETE_USER, { email: "ana@acme.example" });
  },
  "users.lastInPool": (s: Running) => s.api(DELETE_USER, { email: "ana@acme.example" }),
  "widget.foreignBusiness": begin("2001", { sms: "+15550100" }),
} as const satisfies Record<Exclude<ServiceRefusalKey, RefusalAnswerKey>, (s: Running) => Promise<Seen>>;

it.each(Object.entries(DOCUMENTED))("the documented refusal %s names no entry", async (key, call) => {
  const { answer, behaviour } = serviceRefusal(key as keyof typeof DOCUMENTED);
  const { status, headers } = await call(await startSimulator());
  expect([status, headers.get("x-sim-behaviour"), behaviour]).toEqual([answer.status, null, undefined]);
});

it.each([
  ["a missing field", (s: Running) => s.api(DELETE_USER, {})],
  ["a wrong type", begin("1001", { sms: 1 })],
  ["no e-mail address by either pattern", begin("1001", { email: "x" })],
] as const)("the documented 400 for %s names no entry", async (_, call) => {
  const { status, headers } = await call(await startSimulator());
  expect([status, headers.get("x-sim-behaviour")]).toEqual([400, null]);
});
