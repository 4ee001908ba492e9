/** What each entry of the behaviour table decides, from outside; answers that an entry decided name it in `X-Sim-Behaviour`. */
import { describe, expect, it } from "vitest";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";
import type { BehaviourKey, BehaviourValues, RefusalAnswerKey } from "../../src/service/behaviour/table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";
import { type ServiceRefusalKey, serviceRefusal } from "../../src/service/domain/refusals.js";
import {
  begin,
  DELETE_USER,
  DETAILS,
  graphql,
  HOOK,
  HOOKS,
  hooks,
  inbound,
  LEGACY,
  PROFILE,
  received,
  records,
  SEND,
  STATUS,
  send,
  TEMPLATE,
  TEMPLATES,
  UPDATE_PROFILE,
  WIDGET,
} from "../conformance/support.js";
import { receiver } from "../delivery/support.js";
import { request, talk } from "../hostile/raw.js";
import { problemsIn } from "../support/problems.js";
import { type Answer, type Caller, openSandbox, type Running, startSimulator } from "../support/simulator.js";

type Observe = (s: Caller) => Promise<unknown>;
type Call = (
  s: Caller & Partial<Pick<Running, "registry">>,
) => Promise<Omit<Answer, "body"> & { body: unknown }>;

const PHONE = "+15550100";
const NOTE = { text: "note", internal: true };
const LOUD = "CHLOE@acme.example";
const KNOWN_PHONE = "+15550102003";
const thread = (id: string) => DETAILS.replace("9001", id);
const profile = (id: string) => PROFILE.replace("cust_001", id);
const shown = async ({ api }: Caller) => (await api(PROFILE)).body;
/** A call that is made when a sandbox is there. */
const api =
  (line: string, body?: unknown, token?: string | null) =>
  (s: Caller): Promise<Answer> =>
    s.api(line, body, token === undefined ? {} : { token });
const write = (body: object) => (s: Caller) => send(s, body);
const start = (user: object, body?: object) => (s: Caller) => begin(s, user, body);
const move = (status: string, customerThreadId = "9001") => api(STATUS, { customerThreadId, status });
const create = (fields: object = {}) => api(`POST ${HOOKS}`, { ...HOOK, ...fields });
const update = (fields: object) => api(`POST ${HOOKS}crm/update`, fields);
const remove = (email: string) => api(DELETE_USER, { email });
/** A call under other values of the behaviour. */
const given =
  <S extends Caller, T>(values: Partial<BehaviourValues>, call: (s: S) => Promise<T>) =>
  async (s: S): Promise<T> => {
    await s.control("PATCH /behaviour", values);
    return call(s);
  };

/** The statuses of calls, one after the other. */
const statuses =
  (...calls: Call[]): Observe =>
  async (s) => {
    const seen = [];
    for (const call of calls) seen.push((await call(s)).status);
    return seen;
  };
/** The status and body of a call, and how many webhooks there are afterwards. */
const told =
  (call: Call): Observe =>
  async (s) => {
    const { status, body } = await call(s);
    return [status, body, (await s.api(`GET ${HOOKS}`)).body.length];
  };
/** The status of a call that sends a token alone, and what it names. */
const bare =
  (method: string, path: string): Observe =>
  async ({ url, tokenOf }) => {
    const { status, headers } = await fetch(url + path, { method, headers: { token: tokenOf() } });
    return `${status} ${headers.get("x-sim-behaviour")}`;
  };
const refusal = (property: string, message: string) => ({ body: [{ message, property }], headers: [] });
const EMPTY = "must be longer than 1 elements, but it has 0";
/** What is said of these subscriptions, of a new webhook and of one that is there. */
const subscribing =
  (...subscribedEvents: string[]): Observe =>
  async (s) => [await told(create({ subscribedEvents }))(s), (await update({ subscribedEvents })(s)).status];
/** The flag of a GraphQL delete, and how many webhooks are left. */
const deleting =
  (...hookId: string[]): Observe =>
  async (s) => {
    const { body } = await graphql(s, "delete-hook-mutation", { hookId });
    return [body.data.deleteHook.flag, (await hooks(s)).length];
  };

const lastDelivery = async ({ control }: Caller) => {
  await control("POST /wait", { for: "idle" });
  return (await control("GET /deliveries")).body.at(-1);
};
/** What is told of a message of the customer, or of something else that is done. */
const delivered =
  <T>(look: (delivery: Answer["body"]) => T, act: (s: Caller) => Promise<unknown> = inbound) =>
  async (s: Caller): Promise<T> => {
    await act(s);
    return look(await lastDelivery(s));
  };
/** What a legacy webhook is told of a customer's message. */
const legacyBody = async (s: Caller) => {
  await s.api(LEGACY, { url: "sink:legacy" });
  return delivered(({ body }) => body)(s);
};
/** The delivery of a message whose first attempt fails, an hour later. */
const retried = async (s: Caller, meanwhile: Call = api(DETAILS)) => {
  await s.control("PUT /clock", { frozen: true });
  await s.control("PUT /sinks/demo", { status: 500 });
  await inbound(s);
  await lastDelivery(s);
  await meanwhile(s);
  await s.control("POST /clock/advance", { by: "1h" });
  return lastDelivery(s);
};
/** The status of a thread that the widget route has just begun. */
const newThreadStatus = async (s: Caller) => {
  await begin(s, { sms: PHONE });
  return (await records(s, "threads")).at(-1).status;
};
const PROFILE_FIELDS =
  "type editable pictureHref displayName emailAddress phoneNumber firstName lastName company channel customerData lastSurveys";
/** The profile of a customer of whom nothing is known. */
const emptyProfile = async (s: Caller) => {
  await s.control("PUT /data/customers/cust_003", { organizationId: "200" });
  return (await s.api(profile("cust_003"))).body;
};
/** The profile of a customer without a thread. */
const withoutThread: Call = async (s) => {
  await s.control("POST /data/customers", { id: "new", organizationId: "200" });
  return s.api(profile("new"));
};
/** Customer 1, who may not be edited. */
const locked: Observe = ({ control }) => control("PATCH /data/customers/cust_001", { editable: false });

/** What each answer of the table answers: the call that leads to it. */
const ANSWER_CALLS: Record<keyof typeof ANSWERS, Call> = {
  "auth.missing": api(DETAILS, undefined, null),
  "auth.invalid": api(DETAILS, undefined, "no"),
  "users.deleteForbidden": api(DELETE_USER, {}, "acme-no-delete"),
  "profile.notFound": api(profile("none")),
  "threads.notFound": api(thread("1")),
  "threads.notAccessible": api(thread("9005")),
  "webhooks.notFound": api(`GET ${HOOKS}none`),
  "templates.unknown": write({ contentSid: "none" }),
  "window.closedError": write({ customerThreadId: "9002", text: "Hi" }),
  "widget.businessOffline": start({ whatsapp: PHONE }, { businessId: "1003" }),
  "widget.noSender": start({ whatsapp: PHONE }, { businessId: "1002" }),
  "threadStatus.transitionError": given({ "threadStatus.transitions": {} }, move("resolved")),
  "permissions.requiredError": given(
    { "permissions.required": { listWebhooks: "hooks:read" } },
    api(`GET ${HOOKS}`),
  ),
  "profile.notEditableError": given({ "profile.notEditable": "refuse" }, async (s) => {
    await locked(s);
    return s.api(UPDATE_PROFILE, { company: "Initrode" });
  }),
  "limits.textLengthError": given({ "limits.textLength": 3 }, write({ text: "long" })),
  "profile.notAccessible": given({ "profile.access": "user" }, api(profile("cust_005"))),
  "limits.webhooksError": given({ "limits.webhooks": 1 }, create()),
  "webhooks.deleteResponse": api(`POST ${HOOKS}crm/delete`),
  "profile.updateResponse": api(UPDATE_PROFILE, {}),
  "sendMessage.response": write({ text: "Hi" }),
  "threadStatus.response": move("resolved"),
  "hookUrl.response": api(LEGACY, { url: HOOK.url }),
  "limits.rateError": given({ "limits.rate": { requests: 1, per: "1h" } }, async (s) => {
    await s.api(DETAILS);
    return s.api(DETAILS);
  }),
};
/** What the placeholders of a refusal hold after its call. */
const MET: Partial<Record<keyof typeof ANSWERS, Readonly<Record<string, unknown>>>> = {
  "profile.notFound": { customerId: "none" },
  "profile.notAccessible": { customerId: "cust_005" },
  "profile.notEditableError": { customerId: "cust_001" },
  "threads.notFound": { customerThreadId: "1" },
  "threads.notAccessible": { customerThreadId: "9005" },
  "webhooks.notFound": { hookId: "none" },
  "templates.unknown": { contentSid: "none", customerThreadId: "9001" },
  "window.closedError": { customerThreadId: "9002" },
  "widget.businessOffline": { businessId: "1003" },
  "widget.noSender": { businessId: "1002" },
  "threadStatus.transitionError": { customerThreadId: "9001", from: "waiting", to: "resolved" },
  "limits.textLengthError": { property: "@.text", limit: 3, length: 4 },
};

/** Answers before a sandbox is known. */
const OF_SERVER: readonly string[] = ["auth.missing", "auth.invalid"];

/** A body of the table as it comes, with any text for a placeholder. */
const filled = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (_, value: unknown) => {
    if (typeof value !== "string" || !value.includes("${")) return value;
    const parts = value.split(/\$\{\w+\}/).map((part) => part.replace(/[.*+?()[\]{}|\\^$]/g, "\\$&"));
    return expect.stringMatching(new RegExp(`^${parts.join("[^$]+")}$`));
  });

describe.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])("%s", (key) => {
  const met = MET[key] ?? {};
  const placeholders = Object.fromEntries(Object.keys(met).map((name) => [name, `\${${name}}`]));

  it.each([
    ["of the table", ANSWERS[key].default, {}],
    [
      "that is given",
      { status: 418, body: { given: [key], ...met } },
      { [key]: { status: 418, body: { given: [key], ...placeholders } } },
    ],
  ])("answers with the status and body %s, and says that it did", async (_, expected, behaviour) => {
    const isOwn = OF_SERVER.includes(key);
    const caller = isOwn ? await startSimulator({ set: behaviour }) : await openSandbox({ behaviour });
    const { status, body, headers } = await ANSWER_CALLS[key](caller);
    expect([status, body]).toEqual([expected.status, filled(expected.body)]);
    expect(headers.get("x-sim-behaviour")).toBe(key);
  });
});

it("fills placeholders with values of the call and its results", async () => {
  const text = "sent ${message.text} to ${request.customerThreadId}";
  const body = { id: "${message.id}", text, none: "${message.nothing}" };
  const s = await openSandbox({ behaviour: { "sendMessage.response": { status: 201, body } } });
  const answer = await send(s, { text: "Hi" });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ id: expect.stringMatching(/^\d+$/), text: "sent Hi to 9001", none: null });
});

it("answers with an error if the placeholders of a body hold too much", async () => {
  const body = { texts: Array(4).fill("${request.text}"), all: "${request}" };
  const s = await openSandbox({ behaviour: { "sendMessage.response": { status: 201, body } } });
  expect((await send(s, { text: "x".repeat(400_000) })).body.all.text).toHaveLength(400_000);
  const { status, body: error } = await send(s, { text: "x".repeat(900_000) });
  expect([status, error]).toEqual([
    201,
    { error: "the placeholders of sendMessage.response hold more than 4 MiB" },
  ]);
});

interface Row {
  readonly key: BehaviourKey;
  readonly value: unknown;
  readonly expected: unknown;
  readonly observe: Observe;
}
const row = <K extends BehaviourKey>(
  key: K,
  value: BehaviourValues[K],
  expected: unknown,
  observe: Observe,
): Row => ({ key, value, expected, observe });
/** Calls, one after the other, and the status that each then has. */
const answered = <K extends BehaviourKey>(
  key: K,
  value: BehaviourValues[K],
  calls: readonly (readonly [call: Call, status: number])[],
): Row => {
  const expected = calls.map(([, status]) => status);
  return row(key, value, expected, statuses(...calls.map(([call]) => call)));
};

/** For each other key: a value, what is seen with it, and where. The default must show something else. */
const ROWS: Row[] = [
  row("timestamps.unit", "s", 10, async (s) => {
    await inbound(s);
    return String((await lastDelivery(s)).body.timestamp).length;
  }),
  answered("profile.access", "user", [
    [api(PROFILE), 200],
    [api(profile("cust_005")), 403],
    [withoutThread, 403],
    [api(UPDATE_PROFILE.replace("001", "005"), { company: "Initrode" }), 403],
    [api(profile("cust_101")), 404],
  ]),
  row("widget.customerMatch", "never", 1, async (s) => {
    const before = (await records(s, "customers")).length;
    await begin(s, { sms: KNOWN_PHONE });
    return (await records(s, "customers")).length - before;
  }),
  row("widget.window", "closed", [false, true], async (s) => {
    const isOpen = async (user: object) =>
      (await s.api(thread((await begin(s, user)).body.customerThreadId))).body.isMessagingWindowOpen;
    return [await isOpen({ whatsapp: PHONE }), await isOpen({ sms: PHONE })];
  }),
  row("errors.validation", "error", [["error"], ["error"], ["body", "headers"]], async (s) => {
    const calls = [write({}), api(STATUS, "no JSON"), api(DELETE_USER, {})];
    return Promise.all(calls.map(async (call) => Object.keys((await call(s)).body as object)));
  }),
  row("profile.emptyFields", "omit", { id: "cust_003" }, emptyProfile),
  row(
    "profile.emptyFields",
    "null",
    { id: "cust_003", ...Object.fromEntries(PROFILE_FIELDS.split(" ").map((field) => [field, null])) },
    emptyProfile,
  ),
  row("profile.notEditable", "refuse", [[400, 200], "Initech"], async (s) => {
    await locked(s);
    const change = (id: string) => api(UPDATE_PROFILE.replace("cust_001", id), { company: "Initrode" });
    const seen = await statuses(change("cust_001"), change("cust_002"))(s);
    return [seen, (await s.control("GET /data/customers/cust_001")).body.company];
  }),
  row("surveys.createdAtUnit", "s", 1_700_000_000, async (s) => (await shown(s)).lastSurveys.nps.createdAt),
  row("ids.acceptNumbers", "reject", [400], statuses(write({ customerThreadId: 9001, text: "Hi" }))),
  row("body.unknownFields", "reject", [400], statuses(write({ text: "Hi", x: 1 }))),
  row("headers.contentTypeOnGet", "require", "400 headers.contentTypeOnGet", bare("GET", HOOKS)),
  row(
    "headers.contentTypeOnEmptyPost",
    "require",
    "400 headers.contentTypeOnEmptyPost",
    bare("POST", `${HOOKS}crm/delete`),
  ),
  row(
    "paths.trailingSlash",
    "reject",
    [404, 200, 404, 200],
    statuses(...["", "/", "/crm/", "/crm"].map((path) => api(`GET /api/webhooks${path}`))),
  ),
  row("webhooks.response", "wrapped", ["webhooks"], async (s) => Object.keys(await hooks(s))),
  row("graphql.errors", "plain", ["message"], async (s) =>
    Object.keys((await graphql(s, "x")).body.errors[0]),
  ),
  answered("graphql.errorStatus", "ok", [[(s) => graphql(s, "x"), 200]]),
  row("tokens.lifetime", "1h", [200, 200, 401], async (s) => {
    await s.control("PUT /clock", { frozen: true });
    const { now } = (await s.control("GET /clock")).body;
    const seen = [(await s.api(DETAILS)).status];
    // A token is alive for as long as its lifetime, and not at the instant that ends it.
    await s.control("PATCH /data/tokens/acme-token", { issuedAt: now });
    for (const by of [3_599_999, 1]) {
      await s.control("POST /clock/advance", { by });
      seen.push((await s.api(DETAILS)).status);
    }
    return seen;
  }),
  row(
    "permissions.required",
    { getCustomerThreadDetails: "threads:read", getCustomerProfile: "user:delete" },
    [[403, 200, 403], 200],
    async (s) => {
      const seen = await statuses(api(DETAILS), api(PROFILE), api(PROFILE, undefined, "acme-no-delete"))(s);
      await s.control("PATCH /data/tokens/acme-token", { permissions: ["threads:read"] });
      return [seen, (await s.api(DETAILS)).status];
    },
  ),
  row("threadStatus.transitions", { waiting: ["replied"] }, [400], statuses(move("resolved"))),
  row("threadStatus.autoMoves", "realistic", "replied", async (s) => {
    await send(s, { text: "Hi" });
    return (await s.api(DETAILS)).body.status;
  }),
  answered("threads.readAccess", "organization", [
    [api(thread("9005")), 200],
    [api(TEMPLATES.replace("9001", "9005")), 200],
    [write({ customerThreadId: "9005", text: "Hi" }), 403],
    [move("resolved", "9005"), 403],
    [api(thread("9101")), 404],
  ]),
  row("widget.threadStatus", "resolved", "resolved", newThreadStatus),
  row("widget.threadStatus", "replied", "replied", newThreadStatus),
  row(
    "widget.emailFormat",
    "schema-inspector",
    [400, 200, 200],
    statuses(...["a@shop.co.uk", "i d@x.example", "ida@customer.example"].map((email) => start({ email }))),
  ),
  row("widget.threadAccess", "business", [403, 403, 403], async (s) => {
    const { customerThreadId } = (await begin(s, { sms: PHONE }, { businessId: "1002" })).body;
    const use = write({ customerThreadId, text: "Hi" });
    return statuses(api(thread(customerThreadId)), use, move("resolved", customerThreadId))(s);
  }),
  row("widget.reuse", "open", ["9003", "9003"], async (s) => {
    const again = async () => (await begin(s, { sms: KNOWN_PHONE })).body.customerThreadId;
    return [await again(), await again()];
  }),
  row("widget.reuse", "open", [200, 200], async (s) => {
    // The business of this thread is not one of the first user's.
    const write = { businessId: "1002", message: "Hi", user: { sms: PHONE } };
    await s.api(WIDGET, write);
    const { body } = await s.api(WIDGET, write, { token: "acme-no-delete" });
    const message = { customerThreadId: body.customerThreadId, text: "Hi" };
    const answers = [await send(s, message), await s.api(SEND, message, { token: "acme-no-delete" })];
    return answers.map(({ status }) => status);
  }),
  answered("users.emailMatch", "exact", [
    [remove(LOUD), 404],
    [remove("chloe@acme.example"), 200],
  ]),
  row("window.channels", ["WHATSAPP", "SMS"], 400, async (s) => {
    await s.control("POST /threads/9003/window", { open: false });
    return (await send(s, { customerThreadId: "9003", text: "Hi" })).status;
  }),
  row("window.duration", "24h", [false, 400], async (s) => {
    await s.control("PUT /clock", { frozen: true });
    await inbound(s);
    await s.control("POST /clock/advance", { by: "25h" });
    return [(await s.api(DETAILS)).body.isMessagingWindowOpen, (await send(s, { text: "Hi" })).status];
  }),
  row("window.internalMessages", "bound", [400], statuses(write({ ...NOTE, customerThreadId: "9002" }))),
  row(
    "messages.emptyText",
    "reject",
    ["@.text", "@.message"].map((property) => [400, refusal(property, EMPTY), 1]),
    async (s) => [await told(write({ text: "" }))(s), await told(start({ sms: PHONE }, { message: "" }))(s)],
  ),
  answered("webhooks.insecureUrls", "reject", [
    [create({ url: "http://127.0.0.1:1/" }), 400],
    [update({ url: "http://127.0.0.1:1/" }), 400],
  ]),
  row("webhooks.insecureUrls", "allow", [200], statuses(create({ url: "http://bot.example/" }))),
  row(
    "webhooks.emptySubscriptions",
    "reject",
    [[400, refusal("@.subscribedEvents", EMPTY), 1], 400],
    subscribing(),
  ),
  row("graphql.deleteUnknown", "skip", [true, 0], deleting("none", "crm")),
  row("webhooks.graphqlEvents", ["transfers"], ["transfers"], async (s) => {
    await graphql(s, "save-hook-mutation", { hookId: "g", url: HOOK.url });
    return (await s.api(`GET ${HOOKS}g`)).body.subscribedEvents;
  }),
  row("webhooks.pendingAfterDisable", "send", ["failed", 2, null], async (s) => {
    await s.control("PATCH /behaviour", { "delivery.attempts": 2 });
    const { status, attempts, reason } = await retried(s, update({ enabled: false }));
    return [status, attempts.length, reason];
  }),
  row("delivery.attempts", 2, 2, async (s) => (await retried(s)).attempts.length),
  row("delivery.timeoutMs", 50, "failed", async (s) => {
    await s.control("PUT /sinks/demo", { delayMs: 300 });
    return delivered(({ status }) => status)(s);
  }),
  row("delivery.success", [418], "delivered", async (s) => {
    await s.control("PUT /sinks/demo", { status: 418 });
    return delivered(({ status }) => status)(s);
  }),
  row(
    "delivery.signature",
    { scheme: "standard-webhooks", secrets: ["whsec_c2VjcmV0"] },
    true,
    delivered(({ headers }) => "webhook-signature" in headers),
  ),
  row("events.internalMessages", "omit", 1, async (s) => {
    for (const internal of [true, false]) await send(s, { ...NOTE, internal });
    return (await received(s)).length;
  }),
  row("legacy.customerEmployeeUserId", null, null, async (s) => (await legacyBody(s)).employeeUserId),
  row("legacy.customerEmployeeUserId", "omit", undefined, async (s) => (await legacyBody(s)).employeeUserId),
  row(
    "limits.textLength",
    3,
    [400, 400],
    statuses(write({ text: "long" }), start({ sms: PHONE }, { message: "long" })),
  ),
  row(
    "limits.webhooks",
    2,
    [200, [400, refusal("@", "must not have more than 2 webhooks in the organization"), 2]],
    async (s) => [(await create()(s)).status, await told(create())(s)],
  ),
  row("limits.bodyBytes", 10, [413], statuses(write({ text: "Hi" }))),
  row("limits.rate", { requests: 2, per: "1m" }, [[200, 200, 429], 200], async (s) => {
    await s.control("PUT /clock", { frozen: true });
    const seen = await statuses(api(DETAILS), api(DETAILS), api(DETAILS))(s);
    await s.control("POST /clock/advance", { by: "61s" });
    return [seen, (await s.api(DETAILS)).status];
  }),
  row("surveys.unanswered", "null", ["8", null, null, null], async (s) => {
    const seen = [];
    for (const lastSurveys of [{ nps: { createdAt: 1, text: "8" } }, null]) {
      await s.control("PATCH /data/customers/cust_001", { lastSurveys });
      const { nps, preferredChannel } = (await shown(s)).lastSurveys;
      seen.push(nps?.text ?? nps, preferredChannel);
    }
    return seen;
  }),
  row("profile.displayName", "derive", ["A. J.", "Al", "Al Jones", "Jones"], async (s) => {
    await s.control("PATCH /data/customers/cust_001", { displayName: "A. J.", lastName: null });
    const seen: string[] = [];
    for (const fields of [{ company: "C" }, { firstName: "Al" }, { lastName: "Jones" }, { firstName: "" }]) {
      await s.api(UPDATE_PROFILE, fields);
      seen.push((await shown(s)).displayName);
    }
    return seen;
  }),
  row("profile.emptyUpdate", "ignore", ["Alan", "Jones", "Initech"], async (s) => {
    await s.api(UPDATE_PROFILE, { lastName: "Jones" });
    await s.api(UPDATE_PROFILE, { firstName: "", lastName: "", company: "" });
    const { firstName, lastName, company } = await shown(s);
    return [firstName, lastName, company];
  }),
  row("users.deleteSelf", "refuse", [403, 200], async (s) => {
    await s.control("PATCH /data/businesses/1001", { escalationPool: [] });
    return statuses(remove("Ana@acme.example"), remove("chloe@acme.example"))(s);
  }),
  row("users.deleteEcho", "sent", LOUD, async (s) => (await remove(LOUD)(s)).body.email),
  row(
    "body.nullFields",
    "omit",
    [[200, 200, 200, 400], "Initech", 6, refusal("@.customerThreadId", "is missing and not optional")],
    async (s) => {
      const user = { sms: PHONE, email: null, whatsapp: null, locale: null };
      const answers = [
        await send(s, { text: "Hi", contentSid: null, internal: null }),
        await begin(s, user),
        await s.api(UPDATE_PROFILE, { firstName: "A", company: null }),
        await send(s, { customerThreadId: null, text: "Hi" }),
      ];
      const warned: { code: string }[] = (await s.control("GET /warnings")).body;
      const nulls = warned.filter(({ code }) => code === "null-field").length;
      const { company } = await shown(s);
      return [answers.map(({ status }) => status), company, nulls, answers[3]?.body];
    },
  ),
  row(
    "graphql.nullFields",
    "reject",
    [400, 400],
    statuses(api("POST /graphql", { query: "get-hook-query", variables: null }), (s) =>
      graphql(s, "get-hook-query", { hookId: null }),
    ),
  ),
  ...(
    [
      ["first", ["closed", "first"]],
      ["reject", ["query.repeated", refusal("@.customerThreadId", "is given more than once")]],
    ] as const
  ).map(([value, expected]) =>
    row("query.repeated", value, expected, async (s) => {
      const { status, body, headers } = await s.api(`${thread("9002")}&customerThreadId=9001`);
      if (status === 400) return [headers.get("x-sim-behaviour"), body];
      const [{ message }] = (await s.control("GET /warnings")).body;
      const counts = /the (\w+) counts/.exec(message)?.[1];
      return [body.isMessagingWindowOpen ? "open" : "closed", counts];
    }),
  ),
  row(
    "query.repeated",
    "reject",
    [400, 200],
    statuses(...["customerThreadId=9001", "odd=1&odd=2"].map((more) => api(`${thread("9002")}&${more}`))),
  ),
  row(
    "limits.textUnit",
    "utf16",
    [200, 400, 400],
    given({ "limits.textLength": 4 }, statuses(...["😀😀", "😀😀a", "abcde"].map((text) => write({ text })))),
  ),
  row(
    "templates.scope",
    "business",
    [
      [2, "templates.scope", 400],
      [3, null, 200],
    ],
    async (s) => {
      const seen = [];
      for (const businessIds of [["1002"], ["1002", "1001"]]) {
        await s.control(`PATCH /data/templates/${TEMPLATE}`, { businessIds });
        const { body, headers } = await s.api(TEMPLATES);
        const { status } = await send(s, { contentSid: TEMPLATE });
        seen.push([body.templates.length, headers.get("x-sim-behaviour"), status]);
      }
      return seen;
    },
  ),
  row("widget.customerMatch", "caseless", "cust_001", async (s) => {
    const { customerThreadId } = (await begin(s, { email: "ALAN@customer.example" })).body;
    return (await s.control(`GET /data/threads/${customerThreadId}`)).body.customerId;
  }),
  row("webhooks.createStatus", 201, [201, HOOK.url, [200, 200]], async (s) => {
    const { status, body } = await create()(s);
    return [status, body.url, await statuses(api(`GET ${HOOKS}${body.hookId}`), update({}))(s)];
  }),
  ...(
    [
      ["all", ["crm"]],
      ["refuse", [`@.variables.hookId ${EMPTY}`]],
    ] as const
  ).map(([value, expected]) =>
    row("graphql.getNone", value, expected, async (s) => {
      const { body } = await graphql(s, "get-hook-query", { hookId: [] });
      return body.data?.hook.map(({ hookId }: { hookId: string }) => hookId) ?? problemsIn(body);
    }),
  ),
  row(
    "window.undatedEnd",
    "lastMessage",
    false,
    given({ "window.duration": "24h" }, async (s) => {
      await s.control("POST /clock/advance", { by: "25h" });
      return (await s.api(DETAILS)).body.isMessagingWindowOpen;
    }),
  ),
  row(
    "delivery.pendingUpdate",
    "current",
    ["sink:new", "delivered", "1"],
    given({ "delivery.attempts": 2 }, async (s) => {
      const extraHeaders = [{ name: "X-New", value: "1" }];
      const { url, status } = await retried(s, update({ url: "sink:new", extraHeaders }));
      return [url, status, (await received(s, "new"))[0]?.headers["x-new"]];
    }),
  ),
  row("delivery.redirects", "follow", ["delivered", ["/hook", "/end"]], async (s) => {
    const { url, seen } = await receiver((response, { path }) => {
      response.writeHead(path === "/end" ? 200 : 307, { location: "/end" }).end();
    });
    await update({ url })(s);
    return [await delivered(({ status }) => status)(s), seen.map(({ path }) => path)];
  }),
  row("delivery.autoDisable", 2, [true, true, true, false], async (s) => {
    const seen: boolean[] = [];
    for (const status of [500, 200, 500, 500]) {
      await s.control("PUT /sinks/demo", { status });
      await inbound(s);
      await lastDelivery(s);
      seen.push((await s.api(`GET ${HOOKS}crm`)).body.enabled);
    }
    return seen;
  }),
  row("cors.origins", ["https://app.example"], "https://app.example", async (s) => {
    const headers = { origin: "https://app.example" };
    return (await s.api(DETAILS, undefined, { headers })).headers.get("access-control-allow-origin");
  }),
];

/** The keys that their own answers name. */
const NAMED_THEMSELVES = [
  "graphql.deleteUnknown graphql.getNone graphql.nullFields",
  "graphql.errors profile.emptyFields surveys.createdAtUnit surveys.unanswered users.deleteEcho users.emailMatch",
  "webhooks.response webhooks.createStatus webhooks.emptySubscriptions webhooks.insecureUrls",
  "widget.reuse widget.emailFormat errors.validation body.nullFields body.unknownFields ids.acceptNumbers",
  "messages.emptyText users.deleteSelf limits.bodyBytes paths.trailingSlash",
].flatMap((keys) => keys.split(" "));

/**
 * What the answers name that a policy decided; none where it decides about deliveries, later states or browsers. Where that
 * depends on the value, its row looks at it.
 */
const NAMED: Partial<Record<BehaviourKey, readonly string[]>> = {
  ...Object.fromEntries(NAMED_THEMSELVES.map((key) => [key, [key]])),
  "profile.access": ["profile.notAccessible"],
  "profile.notEditable": ["profile.notEditableError"],
  "query.repeated": [],
  "limits.textUnit": ["limits.textLengthError"],
  "templates.scope": ["templates.scope", "templates.unknown"],
  "graphql.errorStatus": ["graphql.errors"],
  "tokens.lifetime": ["auth.invalid"],
  "permissions.required": ["permissions.requiredError"],
  "threadStatus.transitions": ["threadStatus.transitionError"],
  "threads.readAccess": ["threads.notAccessible"],
  "widget.threadAccess": ["threads.notAccessible"],
  "window.channels": ["window.closedError"],
  "window.duration": ["window.closedError"],
  "window.internalMessages": ["window.closedError"],
  "limits.textLength": ["limits.textLengthError"],
  "limits.webhooks": ["limits.webhooksError"],
  "limits.rate": ["limits.rateError"],
};

describe.each(ROWS)("$key = $value", ({ key, value, observe, expected }) => {
  it("takes effect at once, and is named by the answers that it decides", async () => {
    const s = await openSandbox({ behaviour: {} });
    const names = new Set<string | null>();
    const api: Caller["api"] = async (...call) => {
      const answer = await s.api(...call);
      names.add(answer.headers.get("x-sim-behaviour"));
      return answer;
    };
    expect(await observe({ ...s, api })).not.toEqual(expected);
    await s.control("POST /reset");
    expect((await s.control("PATCH /behaviour", { [key]: value })).status).toBe(200);
    expect(await observe({ ...s, api })).toEqual(expected);
    expect([...names]).toEqual(expect.arrayContaining([...(NAMED[key] ?? [])]));
    if (!(key in NAMED)) expect(names).not.toContain(key);
  });
});

it.each([
  ["a message", write({ text: null })],
  ["a conversation that begins", start({ sms: PHONE, locale: null })],
])("null in a field of %s is refused, and the refusal names body.nullFields", async (_, call) => {
  const { status, headers } = await call(await openSandbox());
  expect([status, headers.get("x-sim-behaviour")]).toEqual([400, "body.nullFields"]);
});

/** Keys whose effect is a matter of order or time, shown in tests of their own. */
const SHOWN_ELSEWHERE: BehaviourKey[] = ["delivery.order", "delivery.backoff"];

it("has a test for every key of the table, and for every alternative of keys with few values", () => {
  const shown = new Set([...Object.keys(ANSWER_CALLS), ...ROWS.map(({ key }) => key), ...SHOWN_ELSEWHERE]);
  expect([...shown].sort()).toEqual([...BEHAVIOUR_KEYS].sort());
  const values = ROWS.map(({ key, value }) => `${key} = ${JSON.stringify(value)}`);
  const missing = BEHAVIOUR_KEYS.filter((key) => !SHOWN_ELSEWHERE.includes(key)).flatMap((key) => {
    const alternatives = alternativesOf(BEHAVIOUR_TABLE[key]);
    if (typeof alternatives === "string") return [];
    return alternatives
      .map((value) => `${key} = ${JSON.stringify(value)}`)
      .filter((one) => !values.includes(one));
  });
  expect(missing).toEqual([]);
});

/** The refusals with one fixed answer, but for those of overload and of a failing store: a call that meets each. */
const FIXED = {
  "users.notFound": remove("nobody@acme.example"),
  "users.lastRepresentative": remove("bruno@acme.example"),
  "users.lastInPool": remove("ana@acme.example"),
  "users.deleteSelfError": given({ "users.deleteSelf": "refuse" }, remove("ana@acme.example")),
  "widget.foreignBusiness": start({ sms: PHONE }, { businessId: "2001" }),
  "http.unknownPath": api("GET /nowhere"),
  "http.wrongMethod": api("DELETE /api/webhooks"),
  "http.unknownHost": async ({ url }) => {
    const { answers } = await talk(url, [request(DETAILS, { host: "evil.example", origin: "null" })]);
    const [{ status, head, body } = { status: 0, head: "", body: "null" }] = answers;
    const lines = head.split("\r\n").slice(1);
    const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
    return { status, headers, body: JSON.parse(body) };
  },
  "http.unknownEncoding": ({ api: send }) => send(SEND, "{}", { headers: { "content-encoding": "zstd" } }),
  "limits.bodyError": api(SEND, { text: "x".repeat(1_100_000) }),
} as const satisfies Record<
  Exclude<ServiceRefusalKey, RefusalAnswerKey | "limits.overloadError" | "store.unavailable">,
  Call
>;
/** The policies that decide that a call is refused, where its answer is fixed. */
const DECIDED: Partial<Record<keyof typeof FIXED, BehaviourKey>> = {
  "users.deleteSelfError": "users.deleteSelf",
  "limits.bodyError": "limits.bodyBytes",
};

it.each(Object.entries(FIXED))("the refusal %s has one answer", async (name, call) => {
  const key = name as keyof typeof FIXED;
  const { answer } = serviceRefusal(key);
  const { status, body, headers } = await call(await openSandbox());
  expect([status, body]).toEqual([answer.status, filled(answer.body)]);
  expect(headers.get("x-sim-behaviour")).toBe(DECIDED[key] ?? null);
});

it("an unknown business is refused like one of another organization", async () => {
  const s = await openSandbox();
  const [unknown, foreign] = [
    await begin(s, { sms: PHONE }, { businessId: "7777" }),
    await FIXED["widget.foreignBusiness"](s),
  ];
  expect([unknown.status, unknown.body]).toEqual([foreign.status, foreign.body]);
});

it.each([
  ["a missing field", api(DELETE_USER, {})],
  ["a wrong type", start({ sms: 1 })],
  ["no e-mail address by either pattern", start({ email: "x" })],
] as const)("the documented refusal of %s names no entry", async (_, call) => {
  const { status, headers } = await call(await openSandbox());
  expect([status, headers.get("x-sim-behaviour")]).toEqual([400, null]);
});
