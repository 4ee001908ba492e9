import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proof, Proofs } from "../row.js";
import { ENDPOINTS } from "../rows/endpoints.js";
import {
  begin,
  DELETE_USER,
  DETAILS,
  details,
  HOOKS,
  invalidProperties,
  PROFILE,
  profile,
  records,
  refused,
  SEND,
  STATUS,
  send,
  TEMPLATE,
  TEMPLATES,
  typed,
  UPDATE_PROFILE,
  WIDGET,
} from "../support.js";

const remove = ({ api }: Caller, email: string) => api(DELETE_USER, { email });
const userIds = async (s: Caller): Promise<string[]> =>
  (await records(s, "users")).map(({ id }: { id: string }) => id);

const REPRESENTATIVE =
  "User cannot be deleted as they are the last customer representative in one or more businesses";
const POOL = "User cannot be deleted as they are the last person in the escalation pool for business";

const lastMessage = async (s: Caller) => (await records(s, "messages")).at(-1);

const PHONE = "+15550100";
const email = "ida@customer.example";
const full = { businessId: "1001", message: "Hi", user: { sms: PHONE } };

/** Calls of which a field is missing, or has a value of a wrong type. */
const required = (field: keyof typeof full, ...wrong: readonly unknown[]): Proof =>
  refused(WIDGET, `@.${field}`, ...[undefined, ...wrong].map((value) => ({ ...full, [field]: value })));
/** Calls whose user is refused, as a whole or because of one contact. */
const refusedUsers = (property: string, ...users: readonly object[]): Proof =>
  refused(WIDGET, property, ...users.map((user) => ({ ...full, user })));

/** Which values of a contact are taken, and which not. */
const contact =
  (field: string, taken: readonly string[], others: readonly unknown[]): Proof =>
  async (s) => {
    for (const value of taken)
      expect([value, (await begin(s, { [field]: value })).status]).toEqual([value, 200]);
    await refusedUsers(`@.user.${field}`, ...others.map((value) => ({ [field]: value })))(s);
  };

const startsOn =
  (channel: string, user: object): Proof =>
  async (s) => {
    const { customerThreadId } = (await begin(s, user)).body;
    expect((await s.api(DETAILS.replace("9001", customerThreadId))).body.customerChannel).toBe(channel);
  };

const PHONES = ["+15550100", "+33155550145"];
const NO_PHONES = ["5550100", "+0155550100", "+1 555 0100", "+1", "", 15_550_100];

export const endpoints: Proofs<typeof ENDPOINTS> = {
  "calls.headers": "auth.contentType",
  "calls.jsonRequests": async (s) => {
    expect(invalidProperties(await s.api(SEND, "text=Hi&customerThreadId=9001"))).toEqual(["@"]);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await s.api(SEND, "text=Hi", { headers });
    expect([answer.status, answer.body.headers.length]).toEqual([400, 1]);
  },
  "calls.jsonAnswers": async ({ api }) => {
    for (const call of [PROFILE, DETAILS, TEMPLATES, `GET ${HOOKS}`, "GET /none", `GET ${HOOKS}none`])
      expect((await api(call)).headers.get("content-type")).toMatch(/^application\/json/);
  },
  "calls.nullFields": async (s) => {
    await refused(UPDATE_PROFILE, "@.company", { company: null })(s);
    const left = await s.api("POST /graphql", { query: "get-hook-query", variables: { hookId: null } });
    expect(left.body.data.hook).toHaveLength(1);
  },
  "calls.repeated": async (s) => {
    const { body } = await s.api(`${DETAILS}&customerThreadId=9003`);
    expect(body.customerChannel).toBe("SMS");
  },
  "calls.otherMethods": async ({ api }) => {
    const { status, headers } = await api(STATUS.replace("POST", "GET"));
    expect([status, headers.get("allow"), headers.get("x-sim-behaviour")]).toEqual([405, "POST", null]);
  },
  "getProfile.path": async ({ api }) => {
    expect((await api("GET /api/customers/cust_002/profile")).body.id).toBe("cust_002");
    expect((await api("GET /api/customers/none/profile")).status).toBe(404);
    expect((await api("POST /api/customers/cust_002/profile", {})).status).toBe(405);
  },
  "getProfile.id": "getProfile.path",
  "getProfile.object": async (s) => {
    const fields =
      "id type editable pictureHref displayName emailAddress phoneNumber firstName lastName company channel customerData lastSurveys";
    expect(Object.keys(await profile(s))).toEqual(fields.split(" "));
  },
  "updateProfile.path": "updateProfile.supplied",
  "updateProfile.optional": "updateProfile.supplied",
  "updateProfile.strings": async (s) => {
    for (const [field, value] of Object.entries({ firstName: 1, lastName: true, company: [] }))
      await refused(UPDATE_PROFILE, `@.${field}`, { [field]: value })(s);
  },
  "updateProfile.supplied": async (s) => {
    let expected = await profile(s);
    const all = { firstName: "A", lastName: "B", company: "C" };
    for (const body of [{ firstName: "X" }, { lastName: "Y" }, { company: "Z" }, all, { firstName: "" }]) {
      await s.api(UPDATE_PROFILE, { ...body, displayName: "Ignored", type: "ignored" });
      expected = { ...expected, ...body };
      expect(await profile(s)).toEqual(expected);
    }
  },
  "updateProfile.emptyText": "updateProfile.supplied",
  "deleteUser.path": "deleteUser.success",
  "deleteUser.required": "deleteErrors.missing",
  "deleteUser.string": refused(DELETE_USER, "@.email", { email: 5 }),
  "deleteUser.success": async (s) => {
    const { status, body } = await remove(s, "chloe@acme.example");
    expect(status).toBe(200);
    expect(body).toEqual({ status: "success", deletedUserId: "503", email: "chloe@acme.example" });
    expect(await userIds(s)).toEqual(["501", "502", "504", "601", "602"]);
  },
  "deleteUser.types": "deleteUser.success",
  "deleteUser.organization": "auth.users",
  "deleteUser.permission": async (s) => {
    const body = { email: "chloe@acme.example" };
    expect((await s.api(DELETE_USER, body, { token: "acme-no-delete" })).status).toBe(403);
    expect(await userIds(s)).toContain("503");
    await s.control("PATCH /data/tokens/acme-no-delete", { permissions: ["user:delete"] });
    expect((await s.api(DELETE_USER, body, { token: "acme-no-delete" })).status).toBe(200);
  },
  "deleteUser.representative": async (s) => {
    for (const businessIds of [undefined, ["1001", "1003"], ["1001", "1002"]]) {
      if (businessIds !== undefined) await s.control("PATCH /data/users/503", { businessIds });
      const { status, body } = await remove(s, "bruno@acme.example");
      expect([status, body]).toEqual([400, { error: REPRESENTATIVE }]);
    }
    expect(await userIds(s)).toContain("502");
  },
  "deleteUser.notLastRepresentative": async (s) => {
    expect((await remove(s, "chloe@acme.example")).status).toBe(200);
    await s.control("PATCH /data/users/502", { contactable: false });
    expect((await remove(s, "david@acme.example")).status).toBe(200);
    expect(await userIds(s)).toEqual(["501", "502", "601", "602"]);
  },
  "deleteUser.pool": async (s) => {
    for (const id of ["1001", "1003"]) {
      await s.control("PATCH /data/businesses/1001", { escalationPool: id === "1001" ? ["501"] : [] });
      await s.control("PATCH /data/businesses/1003", { escalationPool: id === "1003" ? ["501"] : [] });
      const { status, body } = await remove(s, "ana@acme.example");
      expect([status, body]).toEqual([400, { error: `${POOL} ${id}` }]);
    }
    expect(await userIds(s)).toContain("501");
  },
  "deleteUser.notLastInPool": async (s) => {
    await s.control("PATCH /data/businesses/1001", { escalationPool: ["501", "503"] });
    expect((await remove(s, "ana@acme.example")).status).toBe(200);
    expect(await userIds(s)).not.toContain("501");
  },
  "deleteUser.spelling": async (s) => {
    expect((await remove(s, "CHLOE@acme.example")).body.email).toBe("chloe@acme.example");
  },
  "send.path": async (s) => {
    expect((await send(s, { text: "Hello" })).status).toBe(200);
    expect(await lastMessage(s)).toMatchObject({ threadId: "9001", text: "Hello", fromCustomer: false });
  },
  "send.text": refused(SEND, "@.text", { customerThreadId: "9001", text: 5 }),
  "send.contentSid": async (s) => {
    await refused(SEND, "@.contentSid", { customerThreadId: "9001", contentSid: 5 })(s);
    await send(s, { contentSid: TEMPLATE });
    expect((await lastMessage(s)).contentSid).toBe(TEMPLATE);
  },
  "send.thread": async (s) => {
    await refused(SEND, "@.customerThreadId", { text: "Hi" })(s);
    await send(s, { customerThreadId: "9003", text: "Hi" });
    expect((await lastMessage(s)).threadId).toBe("9003");
  },
  "send.internal": async (s) => {
    await refused(SEND, "@.internal", { customerThreadId: "9001", text: "Hi", internal: "yes" })(s);
    await send(s, { text: "Hi", internal: true });
    expect((await lastMessage(s)).invisible).toBe(true);
  },
  "send.visible": async (s) => {
    for (const fields of [{ internal: false }, {}]) {
      expect((await send(s, { text: "Hi", ...fields })).status).toBe(200);
      expect((await lastMessage(s)).invisible).toBe(false);
    }
  },
  "send.internalOptional": "send.visible",
  "send.neither": refused(SEND, "@", { customerThreadId: "9001" }),
  "send.both": refused(SEND, "@", { customerThreadId: "9001", text: "Hi", contentSid: TEMPLATE }),
  "send.windowOpen": "window.open",
  "send.windowClosed": "window.closed",
  "send.template": "window.closed",
  "send.noWindow": async (s) => {
    for (const customerThreadId of ["9003", "9004"]) {
      await s.control(`PATCH /data/threads/${customerThreadId}`, { isMessagingWindowOpen: false });
      expect((await send(s, { customerThreadId, text: "Hi" })).status).toBe(200);
    }
  },
  "send.internalTemplate": async (s) => {
    expect((await send(s, { contentSid: TEMPLATE, internal: true })).status).toBe(200);
    expect(await lastMessage(s)).toMatchObject({ contentSid: TEMPLATE, invisible: true });
  },
  "details.path": async ({ api }) => {
    const shown = { customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true };
    expect((await api(DETAILS)).body).toEqual(shown);
  },
  "details.query": async ({ api }) => {
    const answer = await api("GET /api/get-customer-thread-details");
    expect(invalidProperties(answer)).toEqual(["@.customerThreadId"]);
    expect((await api(DETAILS.replace("9001", "9004"))).body.customerChannel).toBe("EMAIL");
  },
  ...typed(ENDPOINTS, "details", (s) => details(s)),
  "templates.path": "templates.array",
  "templates.query": async ({ api }) => {
    expect(invalidProperties(await api("GET /api/get-whatsapp-templates"))).toEqual(["@.customerThreadId"]);
  },
  "templates.array": async (s) => {
    const known: Record<string, string>[] = await records(s, "templates");
    const templates = known.map(({ id, title, text }) => ({ title, text, contentSid: id }));
    expect((await s.api(TEMPLATES)).body).toEqual({ templates });
  },
  "updateStatus.path": "status.anyMove",
  "updateStatus.thread": refused(STATUS, "@.customerThreadId", { status: "replied" }),
  "updateStatus.status": refused(STATUS, "@.status", { customerThreadId: "9001" }),
  "updateStatus.values": async (s) => {
    const moves = (...all: unknown[]) => all.map((status) => ({ customerThreadId: "9001", status }));
    await refused(STATUS, "@.status", ...moves("open", "", "Waiting", 5))(s);
    for (const move of moves("replied", "resolved", "waiting"))
      expect((await s.api(STATUS, move)).status).toBe(200);
  },
  "updateStatus.access": "auth.ownThreads",
  "templates.which": async (s) => {
    const count = async (id: string) => (await s.api(TEMPLATES.replace("9001", id))).body.templates.length;
    expect([await count("9001"), await count("9003"), await count("9004")]).toEqual([3, 0, 0]);
  },
  "widget.path": "widget.threadType",
  "widget.businessId": required("businessId", true, {}),
  "widget.ownBusiness": "widgetErrors.business",
  "widget.message": async (s) => {
    await required("message", 5, null)(s);
    await s.api(WIDGET, { ...full, message: "The first words" });
    expect((await records(s, "messages")).at(-1).text).toBe("The first words");
  },
  "widget.user": required("user", "sms", []),
  "widget.email": contact(
    "email",
    ["a@shop.example", "a@shop.co.uk", "first.last+tag@shop.example"],
    ["a", "a@", "@shop.example", "i d@x.example", 5],
  ),
  "widget.emailChannel": startsOn("EMAIL", { email }),
  "widget.sms": contact("sms", PHONES, NO_PHONES),
  "widget.smsChannel": startsOn("SMS", { sms: PHONE }),
  "widget.whatsapp": contact("whatsapp", PHONES, NO_PHONES),
  "widget.whatsappChannel": startsOn("WHATSAPP", { whatsapp: PHONE }),
  "widget.sender": async (s) => {
    const start = () => begin(s, { whatsapp: PHONE }, { businessId: "1002" });
    // Being offline as well changes nothing.
    await s.control("PATCH /data/businesses/1002", { online: false });
    expect((await start()).headers.get("x-sim-behaviour")).toBe("widget.noSender");
    await s.control("PATCH /data/businesses/1002", { online: true });
    await refused(WIDGET, "@.user.whatsapp", { ...full, user: { whatsapp: PHONE }, businessId: "1002" })(s);
    for (const [active, status] of [
      [false, 400],
      [true, 200],
    ]) {
      const whatsappSender = { active, phoneNumber: "+33155550102" };
      await s.control("PATCH /data/businesses/1002", { whatsappSender });
      expect((await start()).status).toBe(status);
    }
  },
  "widget.online": async (s) => {
    const start = () => begin(s, { whatsapp: PHONE }, { businessId: "1003" });
    expect((await start()).status).toBe(400);
    await s.control("PATCH /data/businesses/1003", { online: true });
    expect((await start()).status).toBe(200);
  },
  "widget.otherContacts": async (s) => {
    for (const businessId of ["1002", "1003"])
      for (const user of [{ sms: PHONE }, { email }])
        expect((await begin(s, user, { businessId })).status).toBe(200);
  },
  "widget.locale": async (s) => {
    await refusedUsers("@.user.locale", { sms: PHONE, locale: 5 })(s);
    await begin(s, { sms: PHONE, locale: "fr-FR" });
    const made = { type: "prospect", editable: true, channel: "SMS", phoneNumber: PHONE, locale: "fr-FR" };
    expect((await records(s, "customers")).at(-1)).toMatchObject(made);
  },
  "widget.noContact": refusedUsers("@.user", {}, { locale: "fr-FR" }),
  "widget.twoContacts": refusedUsers(
    "@.user",
    { email, sms: PHONE, whatsapp: PHONE },
    { email, sms: PHONE },
    { sms: PHONE, whatsapp: PHONE },
    { email, whatsapp: PHONE },
  ),
  "widget.prefix": async (s) => {
    for (const field of ["sms", "whatsapp"])
      await refusedUsers(`@.user.${field}`, { [field]: `whatsapp:${PHONE}` })(s);
  },
  "widget.success": "widget.threadType",
  "widget.threadType": async (s) => {
    const { status, body } = await s.api(WIDGET, full);
    const { threadId } = (await records(s, "messages")).at(-1);
    expect([status, body]).toEqual([200, { result: "ok", customerThreadId: threadId }]);
  },
  "widget.threadUse": async (s) => {
    for (const businessId of ["1001", "1002"]) {
      const { customerThreadId } = (await s.api(WIDGET, { ...full, businessId })).body;
      const answers = [
        await s.api(DETAILS.replace("9001", customerThreadId)),
        await s.api(TEMPLATES.replace("9001", customerThreadId)),
        await send(s, { customerThreadId, text: "Hello" }),
        await s.api(STATUS, { customerThreadId, status: "replied" }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  },
};
