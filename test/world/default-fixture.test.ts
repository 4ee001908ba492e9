import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import { COLLECTIONS, type CollectionName, type Records } from "../../src/service/world/records.js";
import { business, message, thread, user, webhook } from "../domain/records.js";

const file = new URL("../../fixtures/default.json", import.meta.url);
const { document, problems } = await new FixtureLoader().readFixtureText(
  readFileSync(file, "utf8"),
  "default.json",
);
if (problems) throw new Error(problems.map(formatProblem).join("\n"));
const { businesses, users, tokens, customers, threads, messages, templates } = document;

const byId = <T extends { id: string }>(records: readonly T[], id: string): T => {
  const record = records.find((each) => each.id === id);
  if (record === undefined) throw new Error(`${id} is not there`);
  return record;
};
/** A record of each collection, as it stands in the contract. */
const SAMPLE = {
  organizations: { id: "200", name: "Acme Retail" },
  businesses: business({
    id: "1001",
    organizationId: "200",
    name: "Acme Paris",
    whatsappSender: { active: true, phoneNumber: "+33155550100" },
    escalationPool: ["501"],
  }),
  users: user({
    id: "501",
    organizationId: "200",
    email: "ana@acme.example",
    displayName: "Ana Martin",
    businessIds: ["1001"],
  }),
  tokens: { id: "acme-token", userId: "501", permissions: ["user:delete"] },
  customers: {
    id: "cust_001",
    organizationId: "200",
    type: "prospect",
    editable: true,
    pictureHref: "https://files.example/p/1.png",
    displayName: "Alan Johnson",
    emailAddress: "alan@customer.example",
    phoneNumber: "+15551234567",
    firstName: "Alan",
    lastName: "Johnson",
    company: "Initech",
    channel: "WHATSAPP",
    customerData: [{ name: "TIER", value: "gold" }],
    lastSurveys: {
      nps: { createdAt: 1700000000000, text: "8" },
      preferredChannel: { createdAt: 1700000000000, text: "MESSAGE" },
    },
  },
  threads: thread({ id: "9001", businessId: "1001", customerId: "cust_001" }),
  messages: message({ id: "555001", threadId: "9001", text: "Hello", timestamp: 1700000000000 }),
  templates: {
    id: "HX00000000000000000000000000000001",
    organizationId: "200",
    title: "issue_back",
    text: "Sorry for the wait. Reply YES if you still need us.",
  },
  webhooks: webhook({ id: "1", hookId: "crm", organizationId: "200", url: "sink:demo" }),
} satisfies { [C in CollectionName]: Records[C] };

describe("the fixture of a bare start has", () => {
  test("threads on every channel, the window open and closed on WhatsApp", () => {
    const five = threads.slice(0, 5);
    expect(five.map(({ id, channel, isMessagingWindowOpen: open }) => [id, channel, open])).toEqual([
      ["9001", "WHATSAPP", true],
      ["9002", "WHATSAPP", false],
      ["9003", "SMS", true],
      ["9004", "EMAIL", true],
      ["9005", "SMS", true],
    ]);
    expect(threads.every((thread) => thread.windowClosesAt === undefined)).toBe(true);
  });

  test("tokens with and without user:delete, and one of the second organization", () => {
    const view = tokens.map(({ id, userId, permissions }) => [
      id,
      byId(users, userId).organizationId,
      permissions,
    ]);
    expect(view).toEqual([
      ["acme-token", "200", ["user:delete"]],
      ["acme-no-delete", "200", []],
      ["globex-token", "300", ["user:delete"]],
    ]);
  });

  test.each(COLLECTIONS)("the contract's sample of %s", (collection) => {
    expect(byId<{ id: string }>(document[collection], SAMPLE[collection].id)).toEqual(SAMPLE[collection]);
  });

  test("conversations: ids and times in order, a template, an internal note, an attachment", () => {
    for (const { id } of threads)
      expect(messages.filter(({ threadId }) => threadId === id).length).toBeGreaterThan(1);
    expect(messages.map(({ id }) => Number(id))).toEqual(messages.map((_, index) => 555001 + index));
    const times = messages.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    for (const { contentSid, text } of messages)
      if (contentSid !== null) expect(text).toBe(byId(templates, contentSid).text);
    expect(messages.some(({ contentSid }) => contentSid !== null)).toBe(true);
    expect(messages.some(({ invisible }) => invisible)).toBe(true);
    expect(messages.some(({ attachment }) => attachment !== null)).toBe(true);
    for (const { fromCustomer, employeeUserId } of messages)
      expect(fromCustomer).toBe(employeeUserId === null);
  });

  test("no real address or phone number", () => {
    const addresses = [
      ...users.map(({ email }) => email),
      ...customers.flatMap(({ emailAddress }) => emailAddress ?? []),
    ];
    for (const address of addresses) expect(address).toMatch(/\.example$/);
    const senders = businesses.flatMap(({ whatsappSender }) => whatsappSender?.phoneNumber ?? []);
    const numbers = [...senders, ...customers.flatMap(({ phoneNumber }) => phoneNumber ?? [])];
    for (const number of numbers) expect(number).toMatch(/^(\+1555|\+3315555)/);
  });
});
