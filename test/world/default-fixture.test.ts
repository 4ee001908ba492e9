import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import { FixtureLoader } from "../../src/service/world/load.js";

const file = new URL("../../fixtures/default.json", import.meta.url);
const { document, problems } = await new FixtureLoader().readFixtureText(
  readFileSync(file, "utf8"),
  "default.json",
);
if (problems) throw new Error(problems.map(formatProblem).join("\n"));
const { organizations, businesses, users, tokens, customers, threads, messages, templates, webhooks } =
  document;

const byId = <T extends { id: string }>(records: readonly T[], id: string): T => {
  const record = records.find((each) => each.id === id);
  if (record === undefined) throw new Error(`${id} is not there`);
  return record;
};
/** A record of each collection, with every field. */
const SAMPLE = {
  organization: { id: "200", name: "Acme Retail" },
  business: {
    id: "1001",
    organizationId: "200",
    name: "Acme Paris",
    online: true,
    whatsappSender: { active: true, phoneNumber: "+33155550100" },
    escalationPool: ["501"],
  },
  user: {
    id: "501",
    organizationId: "200",
    email: "ana@acme.example",
    displayName: "Ana Martin",
    businessIds: ["1001"],
    contactable: true,
  },
  token: { id: "acme-token", userId: "501", permissions: ["user:delete"] },
  customer: {
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
  thread: {
    id: "9001",
    businessId: "1001",
    customerId: "cust_001",
    channel: "WHATSAPP",
    status: "waiting",
    isMessagingWindowOpen: true,
  },
  message: {
    id: "555001",
    threadId: "9001",
    fromCustomer: true,
    invisible: false,
    text: "Hello",
    contentSid: null,
    employeeUserId: null,
    timestamp: 1700000000000,
    attachment: null,
  },
  template: {
    id: "HX00000000000000000000000000000001",
    organizationId: "200",
    title: "issue_back",
    text: "Sorry for the wait. Reply YES if you still need us.",
  },
  webhook: {
    id: "1",
    hookId: "crm",
    organizationId: "200",
    url: "sink:demo",
    enabled: true,
    subscribedEvents: ["messages", "transfers"],
    extraHeaders: [],
    legacy: false,
  },
};

describe("the fixture of a bare start has", () => {
  test("two organizations", () => {
    expect(organizations.map(({ id }) => id)).toEqual(["200", "300"]);
  });

  test("threads on every channel, the window open and closed on WhatsApp", () => {
    expect(
      threads
        .slice(0, 5)
        .map(({ id, channel, isMessagingWindowOpen }) => [id, channel, isMessagingWindowOpen]),
    ).toEqual([
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

  test("threads that each token may and may not see", () => {
    const seen = (token: string) => {
      const { businessIds } = byId(users, byId(tokens, token).userId);
      return threads.filter(({ businessId }) => businessIds.includes(businessId)).map(({ id }) => id);
    };
    expect(seen("acme-token")).toEqual(["9001", "9002", "9003", "9004"]);
    expect(seen("acme-no-delete")).toEqual(["9001", "9002", "9003", "9004", "9005"]);
    expect(seen("globex-token")).toEqual(["9101", "9102"]);
  });

  test("every record of the contract's sample, as it stands there", () => {
    expect(byId(organizations, "200")).toEqual(SAMPLE.organization);
    expect(byId(businesses, "1001")).toEqual(SAMPLE.business);
    expect(byId(users, "501")).toEqual(SAMPLE.user);
    expect(byId(tokens, "acme-token")).toEqual(SAMPLE.token);
    expect(byId(customers, "cust_001")).toEqual(SAMPLE.customer);
    expect(byId(threads, "9001")).toEqual(SAMPLE.thread);
    expect(byId(messages, "555001")).toEqual(SAMPLE.message);
    expect(byId(templates, "HX00000000000000000000000000000001")).toEqual(SAMPLE.template);
    expect(byId(webhooks, "1")).toEqual(SAMPLE.webhook);
  });

  test("conversations: ids and times in order, a template, an internal note, an attachment", () => {
    for (const { id } of threads)
      expect(messages.filter(({ threadId }) => threadId === id).length).toBeGreaterThan(1);
    expect(messages.map(({ id }) => Number(id))).toEqual(messages.map((_, index) => 555001 + index));
    expect(messages.map(({ timestamp }) => timestamp)).toEqual(
      messages.map(({ timestamp }) => timestamp).sort((a, b) => a - b),
    );
    for (const { contentSid, text } of messages)
      if (contentSid !== null) expect(text).toBe(byId(templates, contentSid).text);
    expect(messages.some(({ contentSid }) => contentSid !== null)).toBe(true);
    expect(messages.some(({ invisible }) => invisible)).toBe(true);
    expect(messages.some(({ attachment }) => attachment !== null)).toBe(true);
    expect(
      messages.every(({ fromCustomer, employeeUserId }) => fromCustomer === (employeeUserId === null)),
    ).toBe(true);
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
