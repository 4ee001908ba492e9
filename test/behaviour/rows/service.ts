/** For each policy of the service itself: a value, what is seen with it, and where. The default must show something else. */
import {
  begin,
  DETAILS,
  HOOKS,
  inbound,
  PROFILE,
  records,
  SEND,
  send,
  TEMPLATE,
  TEMPLATES,
  UPDATE_PROFILE,
  WIDGET,
} from "../../conformance/support.js";
import type { Caller } from "../../support/simulator.js";
import {
  answered,
  api,
  create,
  EMPTY,
  given,
  locked,
  move,
  NOTE,
  type Observe,
  PHONE,
  profile,
  type Row,
  refusal,
  remove,
  row,
  start,
  statuses,
  thread,
  told,
  write,
} from "../calls.js";

const LOUD = "CHLOE@acme.example";
const KNOWN_PHONE = "+15550102003";
const shown = async ({ api }: Caller) => (await api(PROFILE)).body;
/** The status of a call that sends a token alone, and what it names. */
const bare =
  (method: string, path: string): Observe =>
  async ({ url, tokenOf }) => {
    const { status, headers } = await fetch(url + path, { method, headers: { token: tokenOf() } });
    return `${status} ${headers.get("x-sim-behaviour")}`;
  };
const PROFILE_FIELDS =
  "type editable pictureHref displayName emailAddress phoneNumber firstName lastName company channel customerData lastSurveys";
/** The profile of a customer of whom nothing is known. */
const emptyProfile = async (s: Caller) => {
  await s.control("PUT /data/customers/cust_003", { organizationId: "200" });
  return (await s.api(profile("cust_003"))).body;
};

export const SERVICE: readonly Row[] = [
  row("widget.customerMatch", "never", 1, async (s) => {
    const before = (await records(s, "customers")).length;
    await begin(s, { sms: KNOWN_PHONE });
    return (await records(s, "customers")).length - before;
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
  answered("threadStatus.transitions", { waiting: ["replied", "resolved"], replied: ["waiting"] }, [
    [move("waiting"), 200],
    [move("replied"), 200],
    [move("resolved"), 400],
    [move("waiting"), 200],
    [move("resolved"), 200],
    [move("waiting"), 400],
    [move("resolved"), 200],
  ]),
  row("threadStatus.autoMoves", "realistic", ["waiting", "replied", "replied", "waiting"], async (s) => {
    const seen = [];
    for (const act of [write(NOTE), write({ text: "Hi" }), write({ text: "Hi" }), inbound]) {
      await act(s);
      seen.push((await s.api(DETAILS)).body.status);
    }
    return seen;
  }),
  answered("threads.readAccess", "organization", [
    [api(thread("9005")), 200],
    [api(TEMPLATES.replace("9001", "9005")), 200],
    [write({ customerThreadId: "9005", text: "Hi" }), 403],
    [move("resolved", "9005"), 403],
    [api(thread("9101")), 404],
  ]),
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
  row("widget.reuse", "open", ["9106", "9003", "9003", "9003", "9003"], async (s) => {
    const newest = { businessId: "1001", customerId: "cust_003", channel: "SMS", status: "replied" };
    const others = [
      { status: "resolved" },
      { businessId: "1003" },
      { channel: "EMAIL" },
      { customerId: "cust_002" },
    ];
    await s.control("POST /data/threads", { id: "9106", isMessagingWindowOpen: true, ...newest });
    const seen = [];
    for (const other of [{}, ...others]) {
      await s.control("PATCH /data/threads/9106", { ...newest, ...other });
      seen.push((await begin(s, { sms: KNOWN_PHONE })).body.customerThreadId);
    }
    return seen;
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
  row("window.duration", "1h", [400, 200], async (s) => {
    const begun = [await begin(s, { whatsapp: PHONE }), await begin(s, { sms: PHONE })];
    await s.control("POST /clock/advance", { by: "1h" });
    return statuses(
      ...begun.map(({ body }) => write({ customerThreadId: body.customerThreadId, text: "Hi" })),
    )(s);
  }),
  row("window.internalMessages", "bound", [400], statuses(write({ ...NOTE, customerThreadId: "9002" }))),
  row(
    "messages.emptyText",
    "reject",
    ["@.text", "@.message"].map((property) => [400, refusal(property, EMPTY), 1]),
    async (s) => [await told(write({ text: "" }))(s), await told(start({ sms: PHONE }, { message: "" }))(s)],
  ),
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
  row(
    "window.undatedEnd",
    "lastMessage",
    false,
    given({ "window.duration": "24h" }, async (s) => {
      await s.control("POST /clock/advance", { by: "25h" });
      return (await s.api(DETAILS)).body.isMessagingWindowOpen;
    }),
  ),
];
