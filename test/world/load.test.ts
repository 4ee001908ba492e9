import { describe, expect, test } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import { customer } from "../domain/records.js";
import { EMPTY } from "./documents.js";

const loader = new FixtureLoader();

const IN_ACME = { organizationId: "200" };
const IN_GLOBEX = { organizationId: "300" };
const THREAD = { businessId: "1001", customerId: "cust_001", channel: "SMS", status: "waiting" };

/** A small fixture in which everything fits; each call makes a new one. */
function fixture() {
  return {
    organizations: [
      { id: "200", name: "Acme" },
      { id: "300", name: "Globex" },
    ],
    businesses: [
      { id: "1001", organizationId: "200", name: "Paris", escalationPool: ["501"] },
      { id: "2001", organizationId: "300", name: "London" },
    ],
    users: [
      { ...IN_ACME, id: "501", email: "ana@acme.example", displayName: "Ana", businessIds: ["1001"] },
      { ...IN_GLOBEX, id: "601", email: "grace@globex.example", displayName: "Grace", businessIds: ["2001"] },
    ],
    tokens: [{ id: "acme-token", userId: "501" }],
    customers: [
      { id: "cust_001", organizationId: "200" },
      { id: "cust_101", organizationId: "300" },
    ],
    threads: [{ ...THREAD, id: "9001", isMessagingWindowOpen: true }],
    messages: [{ id: "555001", threadId: "9001", fromCustomer: true, text: "Hello", timestamp: 1 }],
    templates: [
      { id: "HX1", organizationId: "200", title: "a", text: "A" },
      { id: "HX2", organizationId: "300", title: "b", text: "B" },
    ],
    webhooks: [{ id: "1", organizationId: "200", url: "sink:demo", subscribedEvents: ["messages"] }],
  };
}

/** The fixture with some values put in place, by dotted path; undefined takes one away. */
function broken(changes: Record<string, unknown>): Record<string, unknown> {
  const whole: Record<string, unknown> = fixture();
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split(".");
    const last = keys.pop() as string;
    const parent = keys.reduce<Record<string, unknown>>(
      (at, key) => at[key] as Record<string, unknown>,
      whole,
    );
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return whole;
}

const problemsOf = (input: unknown): string[] =>
  (loader.loadFixture(input).problems ?? []).map(formatProblem);

/** The problems of the fixture with a value put in place, each as what follows its path. */
const problemsWith = (path: string, value: unknown, others: object = {}): string[] =>
  problemsOf(broken({ [path]: value, ...others })).map((problem) =>
    problem.replace(path.replace(/\.(\d+)/g, "[$1]"), ""),
  );

function loaded(input: unknown) {
  const { document, problems } = loader.loadFixture(input);
  if (problems) throw new Error(problems.map(formatProblem).join("\n"));
  return document;
}

describe("a valid fixture", () => {
  test("has every default filled in", () => {
    const given = fixture();
    const business = { online: true, whatsappSender: null, escalationPool: [] };
    const message = { invisible: false, contentSid: null, employeeUserId: null, attachment: null };
    const webhook = { hookId: "1", enabled: true, extraHeaders: [], legacy: false };
    expect(loaded(given)).toEqual({
      ...given,
      businesses: given.businesses.map((one) => ({ ...business, ...one })),
      users: given.users.map((user) => ({ ...user, contactable: true })),
      tokens: [{ ...given.tokens[0], permissions: [] }],
      customers: given.customers.map(customer),
      messages: [{ ...given.messages[0], ...message }],
      webhooks: [{ ...given.webhooks[0], ...webhook }],
    });
    expect(loaded(loaded(given))).toEqual(loaded(given));
  });

  test("may leave out collections", () => {
    expect(loaded({})).toEqual(EMPTY);
    expect(loaded({ $schema: "https://example.test/fixtures.json", users: undefined })).toEqual(EMPTY);
  });

  test("is copied: it shares nothing with its input or another copy", () => {
    const input = deepFreeze(fixture());
    const [one, other] = [loaded(input), loaded(input)];
    expect(one.businesses[0]).not.toBe(input.businesses[0]);
    expect(one.businesses[0]?.escalationPool).not.toBe(input.businesses[0]?.escalationPool);
    expect(one.businesses[1]?.escalationPool).not.toBe(other.businesses[1]?.escalationPool);
  });

  test.each<[path: string, value: unknown]>([
    ["messages.0.employeeUserId", "777"],
    ["users.0.email", "ana@mail.acme.example"],
    ["users.1.email", "ana@acme.example"],
    ["webhooks.1", { ...fixture().webhooks[0], ...IN_GLOBEX, id: "2", hookId: "1" }],
    ["threads.0.windowClosesAt", 1_700_000_000_000],
    ["messages.0.contentSid", "HX1"],
    ["webhooks.0.url", "https://bot.example/hook?a=1"],
    ["tokens.0.issuedAt", 0],
    ["customers.0.lastSurveys", { nps: { createdAt: 1, text: "8" } }],
  ])("may have %s = %j", (path, value) => {
    expect(problemsWith(path, value)).toEqual([]);
  });
});

describe("an invalid fixture is reported", () => {
  const digits = "must be digits without a leading zero (at most 15)";
  const phone = "must be a phone number in international format (such as +15551234567)";

  test.each<[path: string, value: unknown, ...problems: string[]]>([
    ["webhooks", {}, ": must be an array, but is an object"],
    ["templates", null, ": must be an array, but is null"],
    ["$schema", 1, ": must be a string, but is a number"],
    ["templates.1", "HX2", ": must be an object, but is a string"],
    ["threads.0.state", "x", expect.stringMatching(/^: unknown field "state": it must be id, businessId, /)],
    ["threads.0.status", "closed", ': must be one of waiting, replied, resolved, but is "closed"'],
    ["messages.0.text", 5, ": must be a string, but is a number"],
    ["businesses.0.online", null, ": must be true or false, but is null"],
    ["messages.0.id", "0555001", `: ${digits}, but is "0555001"`],
    ["messages.0.id", "1234567890123456", `: ${digits}, but is "1234567890123456"`],
    ["messages.0.employeeUserId", "ana", `: ${digits} or null, but is "ana"`],
    ["messages.0.timestamp", 1.5, ": must be an integer, but is 1.5"],
    ["tokens.0.issuedAt", -1, ": must be at least 0, but is -1"],
    ["customers.0.emailAddress", "a b", ': must be an e-mail address or null, but is "a b"'],
    ["customers.0.phoneNumber", "0155550100", `: ${phone} or null, but is "0155550100"`],
    ["businesses.0.whatsappSender", { active: true, phoneNumber: "1" }, `.phoneNumber: ${phone}, but is "1"`],
    ["webhooks.0.url", "ftp://x", ': must be an http or https URL or sink:NAME, but is "ftp://x"'],
    ["tokens.0.id", "a b", ': must be an API key: printable ASCII without spaces, but is "a b"'],
    ["customers.0.lastSurveys", { npss: null }, '.npss: unknown field "npss": did you mean "nps"?'],
    ["webhooks.0.subscribedEvents.1", "message", ': must be one of messages, transfers, but is "message"'],
    [
      "webhooks.0.extraHeaders",
      [{ name: "X A", value: "a\nb" }],
      '[0].name: must be a header name, but is "X A"',
      '[0].value: must be Latin-1 text without line breaks, but is "a\\nb"',
    ],
    ["users.0.businessIds.1", "1001", ": is the same as users[0].businessIds[0]"],
  ])("by its schema: %s = %j", (path, value, ...problems) => {
    expect(problemsWith(path, value)).toEqual(problems);
  });

  test.each<[path: string, value: unknown, collection: string, others?: object]>([
    ["businesses.1.organizationId", "999", "organizations", { "users.1.businessIds": [] }],
    ["businesses.0.escalationPool.1", "777", "users"],
    ["users.1.organizationId", "999", "organizations"],
    ["users.0.businessIds.1", "1009", "businesses"],
    ["tokens.0.userId", "777", "users"],
    ["customers.1.organizationId", "999", "organizations"],
    ["threads.0.businessId", "1009", "businesses"],
    ["threads.0.customerId", "cust_009", "customers"],
    ["messages.0.threadId", "9009", "threads"],
    ["messages.0.contentSid", "HX9", "templates"],
    ["templates.1.organizationId", "999", "organizations"],
    ["webhooks.0.organizationId", "999", "organizations"],
    ["threads.0.businessId", "constructor", "businesses"],
  ])("by a reference that leads nowhere: %s = %j", (path, value, collection, others) => {
    expect(problemsWith(path, value, others)).toEqual([
      `: names "${value}", which is not among the ${collection}`,
    ]);
  });

  test.each([
    ["businesses.0.escalationPool.0", "601"],
    ["users.0.businessIds.1", "2001"],
    ["threads.0.customerId", "cust_101"],
    ["messages.0.contentSid", "HX2"],
  ])("by a reference into another organization: %s = %j", (path, value) => {
    expect(problemsWith(path, value)).toEqual([
      `: names "${value}" of organization 300, but belongs to organization 200`,
    ]);
  });

  test.each(Object.entries(fixture()))("for a duplicate id: %s", (collection, records) => {
    const again = { ...records[0], ...(collection === "users" ? { email: "other@acme.example" } : {}) };
    const others = collection === "webhooks" ? { "webhooks.0.hookId": "crm" } : {};
    expect(problemsWith(`${collection}.${records.length}`, again, others)).toEqual([
      `.id: is already the id of ${collection}[0]: ${JSON.stringify(records[0]?.id)}`,
    ]);
  });

  const second = { ...fixture().webhooks[0], id: "2" };
  const ana = { ...fixture().users[0], id: "502", email: "ANA@Acme.Example" };
  test.each<[path: string, value: Record<string, unknown>, others: object, field: string, kind: string]>([
    ["webhooks.1", { ...second, hookId: "crm" }, { "webhooks.0.hookId": "crm" }, "hookId", "hookId"],
    ["webhooks.1", { ...second, hookId: "1" }, {}, "hookId", "hookId"],
    ["webhooks.1", second, { "webhooks.0.hookId": "2" }, "id", "hookId"],
    ["users.2", ana, {}, "email", "e-mail address"],
  ])(
    "by a value that comes twice in an organization: %s = %j with %j",
    (path, value, others, field, kind) => {
      const first = `${path.split(".")[0]}[0] in organization 200`;
      expect(problemsWith(path, value, others)).toEqual([
        `.${field}: is already the ${kind} of ${first}: ${JSON.stringify(value[field])}`,
      ]);
    },
  );

  test.each([
    [null, "must be an object, but is null"],
    [[], "must be an object, but is an array"],
    ["{}", "must be an object, but is a string"],
    [undefined, "must be an object, but is undefined"],
  ])("by being %j", (input, expected) => {
    expect(problemsOf(input)).toEqual([expected]);
  });

  test("for keys named __proto__, which are never assigned", () => {
    const input = JSON.parse(
      '{"__proto__": {"users": []}, "organizations": [{"id": "200", "name": "A", "__proto__": {"id": "1"}}]}',
    );
    expect(problemsOf(input)).toEqual([
      expect.stringMatching(/^__proto__: unknown collection "__proto__": it must be organizations, /),
      'organizations[0].__proto__: unknown field "__proto__": it must be id or name',
    ]);
  });

  test("with all problems at once: one hides no other", () => {
    const input = broken({
      extra: 1,
      "users.0": { id: 501 },
      "threads.0.status": "closed",
      "threads.0.customerId": "cust_009",
      "threads.1": { ...fixture().threads[0], businessId: "2001" },
      "messages.0.threadId": "9009",
      templates: null,
    });
    expect(problemsOf(input).sort()).toEqual([
      expect.stringMatching(/^extra: unknown collection "extra": it must be organizations, /),
      'messages[0].threadId: names "9009", which is not among the threads',
      "templates: must be an array, but is null",
      'threads[0].customerId: names "cust_009", which is not among the customers',
      'threads[0].status: must be one of waiting, replied, resolved, but is "closed"',
      'threads[1].customerId: names "cust_001" of organization 200, but belongs to organization 300',
      'threads[1].id: is already the id of threads[0]: "9001"',
      "users[0].businessIds: is missing",
      "users[0].displayName: is missing",
      "users[0].email: is missing",
      "users[0].id: must be a string, but is a number",
      "users[0].organizationId: is missing",
    ]);
  });

  test("and loads and changes nothing", () => {
    const input = deepFreeze(broken({ "threads.0.status": "closed" }));
    expect(loader.loadFixture(input).document).toBeUndefined();
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
