import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { alternativesOf } from "../../src/behaviour/alternatives.js";
import { ANSWERS } from "../../src/behaviour/answers.js";
import type { BehaviourKey, BehaviourValues } from "../../src/behaviour/table.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE } from "../../src/behaviour/table.js";
import { request, talk } from "../hostile/raw.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";
const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";
const STATUS = "POST /api/update-thread-status";
const WIDGET = "POST /api/widget/send-message-to-business";
const HOOKS = "/api/webhooks/";
const PROFILE = "GET /api/customers/cust_001/profile";
const UPDATE_PROFILE = "POST /api/customers/cust_001/profile/update";
const hook = { url: "https://bot.example/hook", subscribedEvents: ["messages"] };
const inbound = (simulator: Running, text = "Hi") =>
  simulator.control("POST /threads/9001/inbound", { text });
const settled = (simulator: Running) => simulator.control("POST /wait", { for: "idle" });
const lastDelivery = async (simulator: Running) => {
  await settled(simulator);
  return (await simulator.control("GET /deliveries")).body.at(-1);
};

/** A customer's message as a legacy webhook gets it. */
const legacyDelivery = async (simulator: Running) => {
  await simulator.api("POST /api/update-hook-url", { url: "sink:legacy" });
  await inbound(simulator);
  return lastDelivery(simulator);
};

/** A receiver that answers `/n` with a redirect to `/n-1`, and at last to `end`. */
const redirecting = async (end: string): Promise<string> => {
  const server = createServer((request, response) => {
    const left = Number(request.url?.slice(1));
    const location = left > 1 ? `/${left - 1}` : end;
    response.writeHead(left % 2 === 0 ? 308 : 307, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** The status of a thread that the widget route has just begun. */
const newThreadStatus = async ({ api, control }: Running) => {
  await api(WIDGET, { businessId: "1001", message: "Hi", user: { sms: "+15550100" } });
  return (await control("GET /state")).body.threads.at(-1).status;
};

/** The headers of a delivery as the receiver got them, by name in lower case. */
const sentHeaders = async (simulator: Running): Promise<Record<string, string>> => {
  const extraHeaders = [
    { name: "X-A", value: "1" },
    { name: "x-a", value: "2" },
    { name: "Content-Type", value: "application/json; charset=utf-8" },
  ];
  await simulator.api(`POST ${HOOKS}crm/update`, { extraHeaders });
  await inbound(simulator);
  await settled(simulator);
  return (await simulator.control("GET /sinks/demo/received")).body.at(-1).headers;
};

const PROFILE_FIELDS =
  "type editable pictureHref displayName emailAddress phoneNumber firstName lastName company channel customerData lastSurveys".split(
    " ",
  );

/** The profile of a customer of whom nothing is known. */
const emptyProfile = async ({ api, control }: Running) => {
  await control("PUT /data/customers/cust_003", { organizationId: "200" });
  return (await api("GET /api/customers/cust_003/profile")).body;
};

type Observe = (simulator: Running) => Promise<unknown>;
type Row = {
  [K in BehaviourKey]: [key: K, value: BehaviourValues[K], observe: Observe, expected: unknown];
}[BehaviourKey];

/** What each answer of the table answers when it is another one: the call that leads to it. */
const ANSWER_CALLS: Record<
  keyof typeof ANSWERS,
  (simulator: Running) => Promise<{ status: number; body: unknown; headers: Headers }>
> = {
  "auth.missing": ({ api }) => api(DETAILS, undefined, { token: null }),
  "auth.invalid": ({ api }) => api(DETAILS, undefined, { token: "no" }),
  "users.deleteSelfError": async ({ api, control }) => {
    await control("PATCH /behaviour", { "users.deleteSelf": "refuse" });
    return api("POST /api/user/delete-by-email", { email: "ana@acme.example" });
  },
  "users.deleteForbidden": ({ api }) => api("POST /api/user/delete-by-email", {}, { token: "acme-readonly" }),
  "profile.notFound": ({ api }) => api("GET /api/customers/none/profile"),
  "threads.notFound": ({ api }) => api(DETAILS.replace("9001", "1")),
  "threads.notAccessible": ({ api }) => api(DETAILS.replace("9001", "9005")),
  "webhooks.notFound": ({ api }) => api(`GET ${HOOKS}none`),
  "templates.unknown": ({ api }) => api(SEND, { customerThreadId: "9001", contentSid: "none" }),
  "window.closedError": ({ api }) => api(SEND, { customerThreadId: "9002", text: "Hi" }),
  "widget.businessOffline": ({ api }) =>
    api(WIDGET, { businessId: "1003", message: "Hi", user: { whatsapp: "+15550100" } }),
  "widget.noSender": ({ api }) =>
    api(WIDGET, { businessId: "1002", message: "Hi", user: { whatsapp: "+15550100" } }),
  "threadStatus.transitionError": async ({ api, control }) => {
    await control("PATCH /behaviour", { "threadStatus.transitions": {} });
    return api(STATUS, { customerThreadId: "9001", status: "resolved" });
  },
  "permissions.requiredError": async ({ api, control }) => {
    await control("PATCH /behaviour", { "permissions.required": { listWebhooks: "hooks:read" } });
    return api(`GET ${HOOKS}`);
  },
  "profile.notEditableError": async ({ api, control }) => {
    await control("PATCH /behaviour", { "profile.notEditable": "refuse" });
    await control("PATCH /data/customers/cust_001", { editable: false });
    return api("POST /api/customers/cust_001/profile/update", { company: "Initrode" });
  },
  "limits.textLengthError": async ({ api, control }) => {
    await control("PATCH /behaviour", { "limits.textLength": 3 });
    return api(SEND, { customerThreadId: "9001", text: "long" });
  },
  "profile.notAccessible": async ({ api, control }) => {
    await control("PATCH /behaviour", { "profile.access": "user" });
    return api("GET /api/customers/cust_005/profile");
  },
  "widget.unknownBusiness": ({ api }) =>
    api(WIDGET, { businessId: "7777", message: "Hi", user: { sms: "+15550100" } }),
  "limits.webhooksError": async ({ api, control }) => {
    await control("PATCH /behaviour", { "limits.webhooks": 1 });
    return api(`POST ${HOOKS}`, hook);
  },
  "webhooks.deleteResponse": ({ api }) => api(`POST ${HOOKS}crm/delete`),
  "profile.updateResponse": ({ api }) => api("POST /api/customers/cust_001/profile/update", {}),
  "sendMessage.response": ({ api }) => api(SEND, { customerThreadId: "9001", text: "Hi" }),
  "threadStatus.response": ({ api }) => api(STATUS, { customerThreadId: "9001", status: "resolved" }),
  "hookUrl.response": ({ api }) => api("POST /api/update-hook-url", { url: "https://bot.example" }),
  "http.unknownPath": ({ api }) => api("GET /nowhere"),
  "http.wrongMethod": ({ api }) => api("DELETE /api/webhooks"),
  "http.unknownHost": async ({ url }) => {
    const { answers } = await talk(url, [request(DETAILS, { host: "evil.example", origin: "null" })]);
    const [{ status, head, body } = { status: 0, head: "", body: "null" }] = answers;
    const headers = head
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(": ") as [string, string]);
    return { status, headers: new Headers(headers), body: JSON.parse(body) };
  },
  "limits.bodyError": ({ api }) => api(SEND, { text: "x".repeat(1_100_000) }),
  "limits.rateError": async ({ api, control }) => {
    await control("PATCH /behaviour", { "limits.rate": { requests: 1, per: "1h" } });
    await api(DETAILS);
    return api(DETAILS);
  },
  "limits.overloadError": ({ api, registry }) => {
    registry.memory.hold({ bytes: registry.memory.limit });
    return api(SEND, { customerThreadId: "9001", text: "Hi" });
  },
};

describe.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])("%s", (key) => {
  it("answers with the status and body of the table, and says that it did", async () => {
    const simulator = await startSimulator({ set: { [key]: { status: 418, body: { given: [key] } } } });
    const { status, body, headers } = await ANSWER_CALLS[key](simulator);
    expect({ status, body }).toEqual({ status: 418, body: { given: [key] } });
    expect(headers.get("x-sim-behaviour")).toBe(key);
  });
});

it("fills placeholders with what the call made or met", async () => {
  const body = {
    id: "${message.id}",
    text: "sent ${message.text} to ${request.customerThreadId}",
    none: "${message.nothing}",
  };
  const { api } = await startSimulator({ set: { "sendMessage.response": { status: 201, body } } });
  const answer = await api(SEND, { customerThreadId: "9001", text: "Hi" });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ id: expect.stringMatching(/^\d+$/), text: "sent Hi to 9001", none: null });
});

/** For each other key: a value, something to look at, and what is seen with that value. The default must show something else. */
const ROWS: Row[] = [
  [
    "timestamps.unit",
    "s",
    async (s) => {
      await inbound(s);
      return String((await lastDelivery(s)).body.timestamp).length;
    },
    10,
  ],
  [
    "customers.unknownType",
    "client",
    async (s) => {
      await s.api(WIDGET, { businessId: "1001", message: "Hi", user: { sms: "+15550100" } });
      const made = (await lastDelivery(s)).body.data.customerType;
      await s.control("PATCH /data/customers/cust_001", { type: null });
      await inbound(s);
      return [made, (await lastDelivery(s)).body.data.customerType];
    },
    ["client", "client"],
  ],
  [
    "profile.access",
    "user",
    async ({ api, control }) => {
      const path = (id: string) => `/api/customers/${id}/profile`;
      const answers = [
        await api(`GET ${path("cust_001")}`),
        await api(`GET ${path("cust_005")}`),
        await api(`POST ${path("cust_005")}/update`, { company: "Initrode" }),
        await api(`GET ${path("cust_101")}`),
      ];
      return [
        ...answers.map(({ status }) => status),
        (await control("GET /data/customers/cust_005")).body.company,
      ];
    },
    [200, 403, 403, 404, null],
  ],
  [
    "ids.foreign",
    "forbidden",
    async ({ api }) => {
      const calls = [
        api(DETAILS.replace("9001", "9101")),
        api(SEND, { customerThreadId: "9101", text: "Hi" }),
        api("GET /api/customers/cust_101/profile"),
        api(DETAILS.replace("9001", "1")),
        api("GET /api/customers/none/profile"),
      ];
      return Promise.all(calls.map(async (call) => (await call).status));
    },
    [403, 403, 403, 404, 404],
  ],
  [
    "widget.customerMatch",
    "never",
    async ({ api, control }) => {
      const before = (await control("GET /state")).body.customers.length;
      await api(WIDGET, { businessId: "1001", message: "Hi", user: { sms: "+15550102003" } });
      return (await control("GET /state")).body.customers.length - before;
    },
    1,
  ],
  [
    "widget.knownLocale",
    "update",
    async ({ api, control }) => {
      const begin = (user: object) => api(WIDGET, { businessId: "1001", message: "Hi", user });
      await begin({ sms: "+33155550145", locale: "de-DE" });
      await begin({ sms: "+33155550145" });
      return (await control("GET /data/customers/cust_005")).body.locale;
    },
    "de-DE",
  ],
  [
    "widget.window",
    "closed",
    async ({ api }) => {
      const begin = async (user: object) => {
        const { customerThreadId } = (await api(WIDGET, { businessId: "1001", message: "Hi", user })).body;
        return (await api(DETAILS.replace("9001", customerThreadId))).body.isMessagingWindowOpen;
      };
      return [await begin({ whatsapp: "+15550100" }), await begin({ sms: "+15550100" })];
    },
    [false, true],
  ],
  [
    "templates.channels",
    ["SMS"],
    async ({ api }) => {
      const list = async (id: string) =>
        (await api(`GET /api/get-whatsapp-templates?customerThreadId=${id}`)).body.templates.length;
      const contentSid = "HX00000000000000000000000000000001";
      const send = async (customerThreadId: string) =>
        (await api(SEND, { customerThreadId, contentSid })).status;
      return [await list("9001"), await list("9003"), await send("9001"), await send("9003")];
    },
    [0, 3, 400, 200],
  ],
  [
    "templates.internal",
    "reject",
    async ({ api }) => {
      const body = { customerThreadId: "9001", contentSid: "HX00000000000000000000000000000001" };
      const answers = [await api(SEND, { ...body, internal: true }), await api(SEND, body)];
      return answers.map(({ status, body }) => [status, body]);
    },
    [
      [
        400,
        {
          body: [{ message: "is not taken in an internal message", property: "@.contentSid" }],
          headers: [],
        },
      ],
      [200, {}],
    ],
  ],
  [
    "transfers.employee",
    "zero",
    async (s) => {
      await s.control("POST /threads/9001/transfer", { businessId: "1002" });
      return (await lastDelivery(s)).body.data.employeeUserId;
    },
    0,
  ],
  [
    "transfers.participation",
    "business",
    async (s) => {
      await s.control("POST /threads/9001/transfer", { businessId: "1002" });
      return (await lastDelivery(s)).body.data.businessParticipationId;
    },
    1002,
  ],
  [
    "events.attachmentLength",
    "string",
    async (s) => {
      const attachment = { uuid: "u1", contentType: "text/plain", name: "a.txt", contentLength: 7 };
      await s.control("POST /threads/9001/inbound", { text: "Hi", attachment });
      return (await lastDelivery(s)).body.data.messageAttachmentContentLength;
    },
    "7",
  ],
  [
    "legacy.messageExternalId",
    "messageId",
    async (s) => {
      const { messageId, messageExternalId } = (await legacyDelivery(s)).body;
      return messageExternalId === String(messageId);
    },
    true,
  ],
  [
    "errors.validation",
    "error",
    async ({ api }) => {
      const answers = [
        await api(SEND, { customerThreadId: "9001" }),
        await api(STATUS, "no JSON"),
        await api("POST /api/user/delete-by-email", {}),
      ];
      return answers.map(({ status, body }) => [status, Object.keys(body)]);
    },
    [
      [400, ["error"]],
      [400, ["error"]],
      [400, ["body", "headers"]],
    ],
  ],
  [
    "webhooks.doubledEvents",
    "reject",
    async ({ api }) => {
      const subscribedEvents = ["transfers", "transfers"];
      const created = await api(`POST ${HOOKS}`, { ...hook, subscribedEvents });
      const updated = await api(`POST ${HOOKS}crm/update`, { subscribedEvents });
      const subscriptions = (await api(`GET ${HOOKS}`)).body.map((one: typeof hook) => one.subscribedEvents);
      return [created.status, updated.status, created.body.body, subscriptions];
    },
    [
      400,
      400,
      [{ message: "must not name an event more than once", property: "@.subscribedEvents" }],
      [["messages", "transfers"]],
    ],
  ],
  [
    "graphql.deleteNone",
    "succeed",
    async ({ api }) => {
      const call = { query: "delete-hook-mutation", variables: { hookId: [] } };
      const { flag } = (await api("POST /graphql", call)).body.data.deleteHook;
      return [flag, (await api(`GET ${HOOKS}`)).body.length];
    },
    [true, 1],
  ],
  ["delivery.repeatedHeaders", "last", async (s) => (await sentHeaders(s))["x-a"], "2"],
  ["delivery.contentType", "json", async (s) => (await sentHeaders(s))["content-type"], "application/json"],
  ["profile.emptyFields", "omit", (s) => emptyProfile(s), { id: "cust_003" }],
  [
    "profile.emptyFields",
    "null",
    (s) => emptyProfile(s),
    { id: "cust_003", ...Object.fromEntries(PROFILE_FIELDS.map((field) => [field, null])) },
  ],
  [
    "profile.notEditable",
    "refuse",
    async ({ api, control }) => {
      await control("PATCH /data/customers/cust_001", { editable: false });
      const update = (id: string) => api(`POST /api/customers/${id}/profile/update`, { company: "Initrode" });
      const statuses = [(await update("cust_001")).status, (await update("cust_002")).status];
      return [...statuses, (await control("GET /data/customers/cust_001")).body.company];
    },
    [400, 200, "Initech"],
  ],
  [
    "surveys.createdAtUnit",
    "s",
    async ({ api }) => (await api("GET /api/customers/cust_001/profile")).body.lastSurveys.nps.createdAt,
    1_700_000_000,
  ],
  [
    "ids.acceptNumbers",
    "reject",
    async ({ api }) => (await api(SEND, { customerThreadId: 9001, text: "Hi" })).status,
    400,
  ],
  [
    "body.unknownFields",
    "reject",
    async ({ api }) => (await api(SEND, { customerThreadId: "9001", text: "Hi", x: 1 })).status,
    400,
  ],
  [
    "headers.contentTypeOnGet",
    "require",
    async ({ url }) =>
      (await fetch(`${url}${DETAILS.slice(4)}`, { headers: { token: "acme-token" } })).status,
    400,
  ],
  [
    "headers.contentTypeOnEmptyPost",
    "require",
    async ({ url }) => {
      const init = { method: "POST", headers: { token: "acme-token" } };
      const answer = await fetch(`${url}${HOOKS}crm/delete`, init);
      return [answer.status, ((await answer.json()) as { headers?: unknown }).headers];
    },
    [400, [{ message: "is missing and not optional", property: "@.content-type" }]],
  ],
  [
    "paths.trailingSlash",
    "reject",
    async ({ api }) => {
      const paths = ["/api/webhooks", "/api/webhooks/", "/api/webhooks/crm/", "/api/webhooks/crm"];
      return Promise.all(paths.map(async (path) => (await api(`GET ${path}`)).status));
    },
    [404, 200, 404, 200],
  ],
  [
    "webhooks.response",
    "wrapped",
    async ({ api }) => Object.keys((await api(`GET ${HOOKS}`)).body),
    ["webhooks"],
  ],
  [
    "graphql.errors",
    "plain",
    async ({ api }) => Object.keys((await api("POST /graphql", { query: "x" })).body.errors[0]),
    ["message"],
  ],
  ["graphql.errorStatus", "ok", async ({ api }) => (await api("POST /graphql", { query: "x" })).status, 200],
  [
    "tokens.lifetime",
    "1h",
    async ({ api, control }) => {
      await control("PUT /clock", { frozen: true });
      const { now } = (await control("GET /clock")).body;
      const statuses = [(await api(DETAILS)).status];
      // A token is alive for as long as its lifetime, and not at the instant that ends it.
      await control("PATCH /data/tokens/acme-token", { issuedAt: now });
      for (const by of [3_599_999, 1]) {
        await control("POST /clock/advance", { by });
        statuses.push((await api(DETAILS)).status);
      }
      return statuses;
    },
    [200, 200, 401],
  ],
  [
    "permissions.required",
    { getCustomerThreadDetails: "threads:read", getCustomerProfile: "user:delete" },
    async ({ api, control }) => {
      const profile = "GET /api/customers/cust_001/profile";
      const refused = await api(DETAILS);
      const others = [await api(profile), await api(profile, undefined, { token: "acme-readonly" })];
      await control("PATCH /data/tokens/acme-token", { permissions: ["threads:read"] });
      return [refused, ...others, await api(DETAILS)].map(({ status }) => status);
    },
    [403, 200, 403, 200],
  ],
  [
    "threadStatus.transitions",
    { waiting: ["replied"] },
    async ({ api }) => (await api(STATUS, { customerThreadId: "9001", status: "resolved" })).status,
    400,
  ],
  [
    "threadStatus.autoMoves",
    "realistic",
    async ({ api }) => {
      await api(SEND, { customerThreadId: "9001", text: "Hi" });
      return (await api(DETAILS)).body.status;
    },
    "replied",
  ],
  [
    "threads.readAccess",
    "organization",
    async ({ api }) => {
      const calls = [
        api(DETAILS.replace("9001", "9005")),
        api("GET /api/get-whatsapp-templates?customerThreadId=9005"),
        api(SEND, { customerThreadId: "9005", text: "Hi" }),
        api(STATUS, { customerThreadId: "9005", status: "resolved" }),
        api(DETAILS.replace("9001", "9101")),
      ];
      return Promise.all(calls.map(async (call) => (await call).status));
    },
    [200, 200, 403, 403, 404],
  ],
  ["widget.threadStatus", "resolved", (s) => newThreadStatus(s), "resolved"],
  ["widget.threadStatus", "replied", (s) => newThreadStatus(s), "replied"],
  [
    "widget.emailFormat",
    "schema-inspector",
    async ({ api }) => {
      const statuses = ["a@shop.co.uk", "i d@x.example", "ida@customer.example"].map(async (email) => {
        return (await api(WIDGET, { businessId: "1001", message: "Hi", user: { email } })).status;
      });
      return Promise.all(statuses);
    },
    [400, 200, 200],
  ],
  [
    "widget.threadAccess",
    "business",
    async ({ api }) => {
      const user = { sms: "+15550100" };
      const { customerThreadId } = (await api(WIDGET, { businessId: "1002", message: "Hi", user })).body;
      const calls = [
        api(DETAILS.replace("9001", customerThreadId)),
        api(SEND, { customerThreadId, text: "Hi" }),
        api(STATUS, { customerThreadId, status: "resolved" }),
      ];
      return Promise.all(calls.map(async (call) => (await call).status));
    },
    [403, 403, 403],
  ],
  [
    "widget.reuse",
    "open",
    async ({ api, control }) => {
      const user = { sms: "+15550102003" };
      const call = () => api(WIDGET, { businessId: "1001", message: "Hi again", user });
      const ids = [(await call()).body.customerThreadId, (await call()).body.customerThreadId];
      const { messages } = (await control("GET /state")).body;
      return [ids, messages.filter(({ text }: { text: string }) => text === "Hi again").length];
    },
    [["9003", "9003"], 2],
  ],
  [
    "users.emailMatch",
    "exact",
    async ({ api }) => {
      const remove = (email: string) => api("POST /api/user/delete-by-email", { email });
      return [(await remove("CHLOE@acme.example")).status, (await remove("chloe@acme.example")).status];
    },
    [404, 200],
  ],
  [
    "window.channels",
    ["WHATSAPP", "SMS"],
    async ({ api, control }) => {
      await control("POST /threads/9003/window", { open: false });
      return (await api(SEND, { customerThreadId: "9003", text: "Hi" })).status;
    },
    400,
  ],
  [
    "window.duration",
    "24h",
    async ({ api, control }) => {
      await control("PUT /clock", { frozen: true });
      await control("POST /threads/9001/inbound", { text: "Hi" });
      await control("POST /clock/advance", { by: "25h" });
      return (await api(DETAILS)).body.isMessagingWindowOpen;
    },
    false,
  ],
  [
    "window.internalMessages",
    "bound",
    async ({ api }) => {
      const body = { customerThreadId: "9002", text: "note", internal: true };
      const { status, headers } = await api(SEND, body);
      return [status, headers.get("x-sim-behaviour")];
    },
    [400, "window.closedError"],
  ],
  [
    "messages.emptyText",
    "reject",
    async ({ api }) => {
      const user = { sms: "+15550100" };
      const answers = [
        await api(SEND, { customerThreadId: "9001", text: "" }),
        await api(WIDGET, { businessId: "1001", message: "", user }),
      ];
      return answers.map(({ status, body, headers }) => [status, body, headers.get("x-sim-behaviour")]);
    },
    ["@.text", "@.message"].map((property) => {
      const problem = { message: "must be longer than 1 elements, but it has 0", property };
      return [400, { body: [problem], headers: [] }, "messages.emptyText"];
    }),
  ],
  [
    "webhooks.insecureUrls",
    "reject",
    async ({ api }) => (await api(`POST ${HOOKS}`, { ...hook, url: "http://127.0.0.1:1/" })).status,
    400,
  ],
  [
    "webhooks.insecureUrls",
    "allow",
    async ({ api }) => (await api(`POST ${HOOKS}`, { ...hook, url: "http://bot.example/" })).status,
    200,
  ],
  [
    "webhooks.emptySubscriptions",
    "reject",
    async ({ api }) => {
      const created = await api(`POST ${HOOKS}`, { ...hook, subscribedEvents: [] });
      const updated = await api(`POST ${HOOKS}crm/update`, { subscribedEvents: [] });
      const hooks = (await api(`GET ${HOOKS}`)).body;
      return [created.status, created.body, updated.status, hooks.length, hooks[0].subscribedEvents];
    },
    [
      400,
      {
        body: [{ message: "must be longer than 1 elements, but it has 0", property: "@.subscribedEvents" }],
        headers: [],
      },
      400,
      1,
      ["messages", "transfers"],
    ],
  ],
  [
    "graphql.deleteUnknown",
    "skip",
    async ({ api }) => {
      const query = "delete-hook-mutation";
      const remove = (hookId: string[]) => api("POST /graphql", { query, variables: { hookId } });
      const { flag } = (await remove(["none", "crm"])).body.data.deleteHook;
      return [flag, (await api(`GET ${HOOKS}`)).body];
    },
    [true, []],
  ],
  [
    "webhooks.graphqlEvents",
    ["transfers"],
    async ({ api }) => {
      await api("POST /graphql", {
        query: "save-hook-mutation",
        variables: { hookId: "g", url: "https://bot.example" },
      });
      return (await api(`GET ${HOOKS}g`)).body.subscribedEvents;
    },
    ["transfers"],
  ],
  [
    "webhooks.pendingAfterDisable",
    "send",
    async (s) => {
      await s.control("PATCH /behaviour", { "delivery.attempts": 2 });
      await s.control("PUT /clock", { frozen: true });
      await s.control("PUT /sinks/demo", { status: 500 });
      await inbound(s);
      await settled(s);
      await s.api(`POST ${HOOKS}crm/update`, { enabled: false });
      await s.control("POST /clock/advance", { by: "1h" });
      const { status, attempts, reason } = await lastDelivery(s);
      return [status, attempts.length, reason];
    },
    ["failed", 2, null],
  ],
  [
    "delivery.attempts",
    2,
    async (s) => {
      await s.control("PUT /clock", { frozen: true });
      await s.control("PUT /sinks/demo", { status: 500 });
      await inbound(s);
      await settled(s);
      await s.control("POST /clock/advance", { by: "1h" });
      return (await lastDelivery(s)).attempts.length;
    },
    2,
  ],
  [
    "delivery.timeoutMs",
    50,
    async (s) => {
      await s.control("PUT /sinks/demo", { delayMs: 300 });
      await inbound(s);
      return (await lastDelivery(s)).status;
    },
    "failed",
  ],
  [
    "delivery.success",
    [418],
    async (s) => {
      await s.control("PUT /sinks/demo", { status: 418 });
      await inbound(s);
      return (await lastDelivery(s)).status;
    },
    "delivered",
  ],
  [
    "delivery.signature",
    { scheme: "standard-webhooks", secrets: ["whsec_c2VjcmV0"] },
    async (s) => {
      await inbound(s);
      return Object.keys((await lastDelivery(s)).headers).includes("webhook-signature");
    },
    true,
  ],
  [
    "events.internalMessages",
    "omit",
    async (s) => {
      await s.api(SEND, { customerThreadId: "9001", text: "note", internal: true });
      await settled(s);
      return (await s.control("GET /deliveries")).body.length;
    },
    0,
  ],
  ["legacy.customerEmployeeUserId", null, async (s) => (await legacyDelivery(s)).body.employeeUserId, null],
  [
    "legacy.customerEmployeeUserId",
    "omit",
    async (s) => "employeeUserId" in (await legacyDelivery(s)).body,
    false,
  ],
  [
    "limits.textLength",
    3,
    async ({ api }) => (await api(SEND, { customerThreadId: "9001", text: "long" })).status,
    400,
  ],
  [
    "limits.webhooks",
    1,
    async ({ api }) => {
      const { status, body } = await api(`POST ${HOOKS}`, hook);
      return [status, body, (await api(`GET ${HOOKS}`)).body.length];
    },
    [
      400,
      {
        body: [{ message: "must not have more than 1 webhooks in the organization", property: "@" }],
        headers: [],
      },
      1,
    ],
  ],
  [
    "limits.bodyBytes",
    10,
    async ({ api }) => (await api(SEND, { customerThreadId: "9001", text: "Hi" })).status,
    413,
  ],
  [
    "limits.rate",
    { requests: 2, per: "1m" },
    async ({ api, control }) => {
      await control("PUT /clock", { frozen: true });
      const first = [];
      for (let n = 0; n < 3; n += 1) first.push((await api(DETAILS)).status);
      await control("POST /clock/advance", { by: "61s" });
      return [...first, (await api(DETAILS)).status];
    },
    [200, 200, 429, 200],
  ],
  [
    "surveys.unanswered",
    "null",
    async ({ api, control }) => {
      await control("PATCH /data/customers/cust_001", { lastSurveys: { nps: { createdAt: 1, text: "8" } } });
      return (await api(PROFILE)).body.lastSurveys;
    },
    { nps: { createdAt: 1, text: "8" }, preferredChannel: null },
  ],
  [
    "profile.displayName",
    "derive",
    async ({ api }) => {
      const names: string[] = [];
      for (const update of [{ company: "Initrode" }, { lastName: "Jones" }, { firstName: "" }]) {
        await api(UPDATE_PROFILE, update);
        names.push((await api(PROFILE)).body.displayName);
      }
      return names;
    },
    ["Alan Johnson", "Alan Jones", "Jones"],
  ],
  [
    "profile.emptyUpdate",
    "ignore",
    async ({ api }) => {
      await api(UPDATE_PROFILE, { firstName: "", lastName: "Jones", company: "" });
      const { firstName, lastName, company } = (await api(PROFILE)).body;
      return [firstName, lastName, company];
    },
    ["Alan", "Jones", "Initech"],
  ],
  [
    "users.deleteSelf",
    "refuse",
    async ({ api, control }) => {
      await control("PATCH /data/businesses/1001", { escalationPool: [] });
      const emails = ["Ana@acme.example", "chloe@acme.example"];
      const answers = [];
      for (const email of emails) answers.push(await api("POST /api/user/delete-by-email", { email }));
      return answers.map(({ status, headers }) => [status, headers.get("x-sim-behaviour")]);
    },
    [
      [403, "users.deleteSelfError"],
      [200, null],
    ],
  ],
  [
    "users.deleteEcho",
    "sent",
    async ({ api }) =>
      (await api("POST /api/user/delete-by-email", { email: "CHLOE@acme.example" })).body.email,
    "CHLOE@acme.example",
  ],
  [
    "body.nullFields",
    "omit",
    async ({ api, control }) => {
      const user = { sms: "+15550100", email: null, whatsapp: null, locale: null };
      const answers = [
        await api(SEND, { customerThreadId: "9001", text: "Hi", contentSid: null, internal: null }),
        await api(WIDGET, { businessId: "1001", message: "Hi", user }),
        await api(UPDATE_PROFILE, { firstName: "A", company: null }),
        await api(SEND, { customerThreadId: null, text: "Hi" }),
      ];
      const { body: refused } = answers[3] as { body: unknown };
      const warned: { code: string }[] = (await control("GET /warnings")).body;
      const nulls = warned.filter(({ code }) => code === "null-field").length;
      return [answers.map(({ status }) => status), (await api(PROFILE)).body.company, nulls, refused];
    },
    [
      [200, 200, 200, 400],
      "Initech",
      6,
      { body: [{ message: "is missing and not optional", property: "@.customerThreadId" }], headers: [] },
    ],
  ],
  [
    "graphql.nullFields",
    "reject",
    async ({ api }) => {
      const call = (variables: unknown) => api("POST /graphql", { query: "get-hook-query", variables });
      const answers = [await call(null), await call({ hookId: null })];
      return answers.map(({ status, headers }) => [status, headers.get("x-sim-behaviour")]);
    },
    [
      [400, "graphql.nullFields"],
      [400, "graphql.nullFields"],
    ],
  ],
  ...(
    [
      ["first", ["closed", "first"]],
      ["reject", [400, "@.customerThreadId is given more than once"]],
    ] as const
  ).map(
    ([value, expected]): Row => [
      "query.repeated",
      value,
      async ({ api, control }) => {
        const { status, body } = await api(`${DETAILS.replace("9001", "9002")}&customerThreadId=9001`);
        if (status === 400) return [status, `${body.body[0].property} ${body.body[0].message}`];
        const [{ message }] = (await control("GET /warnings")).body;
        return [body.isMessagingWindowOpen ? "open" : "closed", /the (\w+) counts/.exec(message)?.[1]];
      },
      expected,
    ],
  ),
  [
    "limits.textUnit",
    "utf16",
    async ({ api, control }) => {
      await control("PATCH /behaviour", { "limits.textLength": 4 });
      const answers = ["😀😀", "😀😀a", "abcde"].map((text) => api(SEND, { customerThreadId: "9001", text }));
      return Promise.all(answers.map(async (answer) => (await answer).status));
    },
    [200, 400, 400],
  ],
  [
    "templates.scope",
    "business",
    async ({ api, control }) => {
      const contentSid = "HX00000000000000000000000000000001";
      const seen = [];
      for (const businessIds of [["1002"], ["1002", "1001"]]) {
        await control(`PATCH /data/templates/${contentSid}`, { businessIds });
        const { body, headers } = await api("GET /api/get-whatsapp-templates?customerThreadId=9001");
        const { status } = await api(SEND, { customerThreadId: "9001", contentSid });
        seen.push([body.templates.length, headers.get("x-sim-behaviour"), status]);
      }
      return seen;
    },
    [
      [2, "templates.scope", 400],
      [3, "templates.channels", 200],
    ],
  ],
  [
    "widget.customerMatch",
    "caseless",
    async ({ api, control }) => {
      const begin = (email: string) => api(WIDGET, { businessId: "1001", message: "Hi", user: { email } });
      const { customerThreadId } = (await begin("ALAN@customer.example")).body;
      return (await control(`GET /data/threads/${customerThreadId}`)).body.customerId;
    },
    "cust_001",
  ],
  [
    "webhooks.createStatus",
    201,
    async ({ api }) => {
      const { status, body, headers } = await api(`POST ${HOOKS}`, hook);
      const others = [await api(`GET ${HOOKS}${body.hookId}`), await api(`POST ${HOOKS}crm/update`, {})];
      return [status, body.url, headers.get("x-sim-behaviour"), others.map((answer) => answer.status)];
    },
    [201, hook.url, "webhooks.createStatus", [200, 200]],
  ],
  ...(
    [
      ["all", [200, ["crm"]]],
      ["refuse", [400, ["@.variables.hookId must be longer than 1 elements, but it has 0"]]],
    ] as const
  ).map(
    ([value, expected]): Row => [
      "graphql.getNone",
      value,
      async ({ api }) => {
        const call = { query: "get-hook-query", variables: { hookId: [] } };
        const { status, body, headers } = await api("POST /graphql", call);
        expect(headers.get("x-sim-behaviour")).toBe("graphql.getNone");
        const found = body.data?.hook.map(({ hookId }: { hookId: string }) => hookId);
        return [status, found ?? body.errors.map(({ message }: { message: string }) => message)];
      },
      expected,
    ],
  ),
  [
    "window.undatedEnd",
    "lastMessage",
    async ({ api, control }) => {
      await control("PATCH /behaviour", { "window.duration": "24h" });
      await control("POST /clock/advance", { by: "25h" });
      return (await api(DETAILS)).body.isMessagingWindowOpen;
    },
    false,
  ],
  [
    "delivery.pendingUpdate",
    "current",
    async (s) => {
      await s.control("PATCH /behaviour", { "delivery.attempts": 2 });
      await s.control("PUT /clock", { frozen: true });
      await s.control("PUT /sinks/demo", { status: 500 });
      await inbound(s);
      await settled(s);
      const extraHeaders = [{ name: "X-New", value: "1" }];
      await s.api(`POST ${HOOKS}crm/update`, { url: "sink:new", extraHeaders });
      await s.control("POST /clock/advance", { by: "1h" });
      const { url, status } = await lastDelivery(s);
      const [{ headers }] = (await s.control("GET /sinks/new/received")).body.concat({ headers: {} });
      return [url, status, headers["x-new"]];
    },
    ["sink:new", "delivered", "1"],
  ],
  [
    "delivery.redirects",
    "follow",
    async (s) => {
      const url = await redirecting(`${s.url}/__sim/sinks/end`);
      await s.api(`POST ${HOOKS}crm/update`, { url: `${url}/3` });
      await inbound(s);
      const { status, attempts } = await lastDelivery(s);
      const [got] = (await s.control("GET /sinks/end/received")).body;
      return [status, attempts.length, got?.method, got?.body.data.messageBody];
    },
    ["delivered", 1, "POST", "Hi"],
  ],
  [
    "delivery.autoDisable",
    2,
    async (s) => {
      const seen: boolean[] = [];
      for (const status of [500, 200, 500, 500]) {
        await s.control("PUT /sinks/demo", { status });
        await inbound(s);
        await settled(s);
        seen.push((await s.api(`GET ${HOOKS}crm`)).body.enabled);
      }
      return seen;
    },
    [true, true, true, false],
  ],
  [
    "cors.origins",
    ["https://app.example"],
    async ({ api }) =>
      (await api(DETAILS, undefined, { headers: { origin: "https://app.example" } })).headers.get(
        "access-control-allow-origin",
      ),
    "https://app.example",
  ],
];

describe.each(ROWS)("%s = %j", (key, value, observe, expected) => {
  it("changes what is seen", async () => {
    expect(await observe(await startSimulator({ set: { [key]: value } }))).toEqual(expected);
    expect(await observe(await startSimulator({ set: {}, behaviour: "documented" }))).not.toEqual(expected);
  });

  it("can be changed while it runs", async () => {
    const simulator = await startSimulator({ set: {} });
    expect((await simulator.control("PATCH /behaviour", { [key]: value })).status).toBe(200);
    expect(await observe(simulator)).toEqual(expected);
  });
});

/** Keys whose effect is a matter of order or time, shown in tests of their own. */
const SHOWN_ELSEWHERE: BehaviourKey[] = ["delivery.order", "delivery.backoff"];

it("has a test for every alternative of the keys that take a few values", () => {
  const shown = ROWS.map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const missing = BEHAVIOUR_KEYS.filter((key) => !SHOWN_ELSEWHERE.includes(key)).flatMap((key) => {
    const alternatives = alternativesOf(BEHAVIOUR_TABLE[key]);
    if (typeof alternatives === "string") return [];
    return alternatives
      .map((value) => `${key} = ${JSON.stringify(value)}`)
      .filter((one) => !shown.includes(one));
  });
  expect(missing).toEqual([]);
});

it("has a test for every key of the table", () => {
  const shown = new Set([...Object.keys(ANSWER_CALLS), ...ROWS.map(([key]) => key), ...SHOWN_ELSEWHERE]);
  expect([...shown].sort()).toEqual([...BEHAVIOUR_KEYS].sort());
});
