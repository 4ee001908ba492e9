import { expect } from "vitest";
import type { Proof, Proofs } from "../row.js";
import type { WIDGET as ROWS } from "../rows/widget.js";
import { begin, DETAILS, records, refused, STATUS, send, TEMPLATES, WIDGET } from "../support.js";

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

export const widget: Proofs<typeof ROWS> = {
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
    expect((await records(s, "customers")).at(-1).locale).toBe("fr-FR");
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
