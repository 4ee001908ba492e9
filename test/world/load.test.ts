import { describe, expect, test } from "vitest";
import { formatProblem } from "../../src/kernel/problems.js";
import { FixtureLoader } from "../../src/service/world/load.js";
import { customer } from "../domain/records.js";

const loader = new FixtureLoader();

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
      {
        id: "501",
        organizationId: "200",
        email: "ana@acme.example",
        displayName: "Ana",
        businessIds: ["1001"],
      },
      {
        id: "601",
        organizationId: "300",
        email: "grace@globex.example",
        displayName: "Grace",
        businessIds: ["2001"],
      },
    ],
    tokens: [{ id: "acme-token", userId: "501" }],
    customers: [
      { id: "cust_001", organizationId: "200" },
      { id: "cust_101", organizationId: "300" },
    ],
    threads: [
      {
        id: "9001",
        businessId: "1001",
        customerId: "cust_001",
        channel: "SMS",
        status: "waiting",
        isMessagingWindowOpen: true,
      },
    ],
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

/** How a problem names the place at a dotted path. */
const placeOf = (path: string): string => path.replace(/\.(\d+)/g, "[$1]");

const problemsOf = (input: unknown): string[] =>
  (loader.loadFixture(input).problems ?? []).map(formatProblem);

function loaded(input: unknown) {
  const { document, problems } = loader.loadFixture(input);
  if (problems) throw new Error(problems.map(formatProblem).join("\n"));
  return document;
}

describe("a valid fixture", () => {
  test("has every default filled in", () => {
    expect(loaded(fixture())).toEqual({
      organizations: fixture().organizations,
      businesses: fixture().businesses.map((one) => ({
        online: true,
        whatsappSender: null,
        escalationPool: [],
        ...one,
      })),
      users: fixture().users.map((user) => ({ ...user, contactable: true })),
      tokens: [{ id: "acme-token", userId: "501", permissions: [] }],
      customers: fixture().customers.map(customer),
      threads: fixture().threads,
      messages: [
        {
          ...fixture().messages[0],
          invisible: false,
          contentSid: null,
          employeeUserId: null,
          attachment: null,
        },
      ],
      templates: fixture().templates,
      webhooks: [{ ...fixture().webhooks[0], hookId: "1", enabled: true, extraHeaders: [], legacy: false }],
    });
  });

  test("may leave out collections", () => {
    expect(loaded({})).toEqual({
      organizations: [],
      businesses: [],
      users: [],
      tokens: [],
      customers: [],
      threads: [],
      messages: [],
      templates: [],
      webhooks: [],
    });
    expect(loaded({ $schema: "https://example.test/fixtures.json", users: undefined })).toEqual(loaded({}));
  });

  test("loads to the same document again", () => {
    const document = loaded(fixture());
    expect(loaded(document)).toEqual(document);
  });

  test("is copied: it shares nothing with its input or another copy", () => {
    const input = deepFreeze(fixture());
    const [one, other] = [loaded(input), loaded(input)];
    expect(input).toEqual(fixture());
    expect(one.businesses[0]).not.toBe(input.businesses[0]);
    expect(one.businesses[0]?.escalationPool).not.toBe(input.businesses[0]?.escalationPool);
    expect(one.businesses[1]?.escalationPool).not.toBe(other.businesses[1]?.escalationPool);
  });

  test.each<[string, Record<string, unknown>]>([
    ["a message of an employee who is gone", { "messages.0.employeeUserId": "777" }],
    ["an e-mail host of three parts", { "users.0.email": "ana@mail.acme.example" }],
    ["the same e-mail address in two organizations", { "users.1.email": "ana@acme.example" }],
    [
      "the same hookId in two organizations",
      { "webhooks.1": { ...fixture().webhooks[0], id: "2", hookId: "1", organizationId: "300" } },
    ],
    ["an open window that ends", { "threads.0.windowClosesAt": 1_700_000_000_000 }],
    ["a template that was sent", { "messages.0.contentSid": "HX1" }],
    ["an https webhook", { "webhooks.0.url": "https://bot.example/hook?a=1" }],
    ["a token that expires", { "tokens.0.issuedAt": 0 }],
    ["a survey alone", { "customers.0.lastSurveys": { nps: { createdAt: 1, text: "8" } } }],
  ])("may have %s", (_, changes) => {
    expect(problemsOf(broken(changes))).toEqual([]);
  });
});

describe("an invalid fixture is reported", () => {
  const sms = fixture().threads[0];
  const digits = "must be digits without a leading zero (at most 15)";
  const phone = "must be a phone number in international format (such as +15551234567)";

  test.each<[path: string, value: unknown, problem: string]>([
    ["webhooks", {}, "must be an array, but is an object"],
    ["templates", null, "must be an array, but is null"],
    ["users", {}, "must be an array, but is an object"],
    ["$schema", 1, "must be a string, but is a number"],
    ["templates.1", "HX2", "must be an object, but is a string"],
    [
      "threads.0.statuss",
      "waiting",
      'unknown field "statuss": it must be id, businessId, customerId, channel, status, isMessagingWindowOpen, windowClosesAt or widgetUserIds',
    ],
    ["threads.0.status", "closed", 'must be one of waiting, replied, resolved, but is "closed"'],
    ["messages.0.text", 5, "must be a string, but is a number"],
    ["businesses.0.online", null, "must be true or false, but is null"],
    ["messages.0.id", "0555001", `${digits}, but is "0555001"`],
    ["messages.0.id", "1234567890123456", `${digits}, but is "1234567890123456"`],
    ["messages.0.id", "m1", `${digits}, but is "m1"`],
    ["messages.0.employeeUserId", "ana", `${digits} or null, but is "ana"`],
    ["messages.0.timestamp", 1.5, "must be an integer, but is 1.5"],
    ["tokens.0.issuedAt", -1, "must be at least 0, but is -1"],
    ["customers.0.emailAddress", "a b", 'must be an e-mail address or null, but is "a b"'],
    ["customers.0.phoneNumber", "0155550100", `${phone} or null, but is "0155550100"`],
    [
      "webhooks.0.url",
      "ftp://x.example",
      'must be an http or https URL or sink:NAME, but is "ftp://x.example"',
    ],
    ["tokens.0.id", "a b", 'must be an API key: printable ASCII without spaces, but is "a b"'],
  ])("by its schema: %s = %j", (path, value, problem) => {
    expect(problemsOf(broken({ [path]: value }))).toEqual([`${placeOf(path)}: ${problem}`]);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      "an unknown field deep inside",
      { "customers.0.lastSurveys": { npss: null } },
      ['customers[0].lastSurveys.npss: unknown field "npss": did you mean "nps"?'],
    ],
    [
      "a sender's malformed number",
      { "businesses.0.whatsappSender": { active: true, phoneNumber: "whatsapp:+33155550100" } },
      [
        'businesses[0].whatsappSender.phoneNumber: must be a phone number in international format (such as +15551234567), but is "whatsapp:+33155550100"',
      ],
    ],
    [
      "an unknown subscription",
      { "webhooks.0.subscribedEvents": ["messages", "message"] },
      ['webhooks[0].subscribedEvents[1]: must be one of messages, transfers, but is "message"'],
    ],
    [
      "a header that cannot be sent",
      { "webhooks.0.extraHeaders": [{ name: "X A", value: "a\nb" }] },
      [
        'webhooks[0].extraHeaders[0].name: must be a header name, but is "X A"',
        'webhooks[0].extraHeaders[0].value: must be Latin-1 text without line breaks, but is "a\\nb"',
      ],
    ],
    [
      "a business named twice",
      { "users.0.businessIds": ["1001", "1001"] },
      ["users[0].businessIds[1]: is the same as users[0].businessIds[0]"],
    ],
  ])("by its schema: %s", (_, changes, expected) => {
    expect(problemsOf(broken(changes))).toEqual(expected);
  });

  test.each<[path: string, value: unknown, problem: string, others?: object]>([
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
  ])("by a reference that leads nowhere: %s = %j", (path, value, collection, others = {}) => {
    expect(problemsOf(broken({ [path]: value, ...others }))).toEqual([
      `${placeOf(path)}: names "${value}", which is not among the ${collection}`,
    ]);
  });

  test.each([
    ["businesses.0.escalationPool.0", "601"],
    ["users.0.businessIds.1", "2001"],
    ["threads.0.customerId", "cust_101"],
    ["messages.0.contentSid", "HX2"],
  ])("by a reference into another organization: %s = %j", (path, value) => {
    expect(problemsOf(broken({ [path]: value }))).toEqual([
      `${placeOf(path)}: names "${value}" of organization 300, but belongs to organization 200`,
    ]);
  });

  test.each(Object.entries(fixture()))("for a duplicate id: %s", (collection, records) => {
    const again = { ...records[0], ...(collection === "users" ? { email: "other@acme.example" } : {}) };
    const id = JSON.stringify(records[0]?.id);
    const input = broken({
      [`${collection}.${records.length}`]: again,
      ...(collection === "webhooks" ? { "webhooks.0.hookId": "crm" } : {}),
    });
    expect(problemsOf(input)).toEqual([
      `${collection}[${records.length}].id: is already the id of ${collection}[0]: ${id}`,
    ]);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      "hookId",
      { "webhooks.0.hookId": "crm", "webhooks.1": { ...fixture().webhooks[0], id: "2", hookId: "crm" } },
      ['webhooks[1].hookId: is already the hookId of webhooks[0] in organization 200: "crm"'],
    ],
    [
      "hookId, left out in one",
      { "webhooks.1": { ...fixture().webhooks[0], id: "2", hookId: "1" } },
      ['webhooks[1].hookId: is already the hookId of webhooks[0] in organization 200: "1"'],
    ],
    [
      "hookId, left out in the other",
      { "webhooks.0.hookId": "2", "webhooks.1": { ...fixture().webhooks[0], id: "2" } },
      ['webhooks[1].id: is already the hookId of webhooks[0] in organization 200: "2"'],
    ],
    [
      "e-mail address",
      { "users.2": { ...fixture().users[0], id: "502", email: "ANA@Acme.Example" } },
      ['users[2].email: is already the e-mail address of users[0] in organization 200: "ANA@Acme.Example"'],
    ],
  ])("by a value that comes twice in an organization: %s", (_, changes, expected) => {
    expect(problemsOf(broken(changes))).toEqual(expected);
  });

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
      "threads.1": { ...sms, businessId: "2001" },
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

  test("with the first of many problems", () => {
    const messages = Array.from({ length: 150_000 }, (_, index) => ({
      ...fixture().messages[0],
      id: String(index + 1),
      threadId: "9009",
    }));
    const { problems } = loader.loadFixture({ ...fixture(), messages });
    expect(problems).toHaveLength(101);
    expect(problems?.at(-1)).toMatchObject({ path: "", message: "and more, which are not listed" });
  });
});

describe("one record", () => {
  test("gets its defaults", () => {
    expect(loader.validateRecord("webhooks", fixture().webhooks[0])).toEqual({
      record: { ...fixture().webhooks[0], hookId: "1", enabled: true, extraHeaders: [], legacy: false },
    });
    expect(
      loader.validateRecord("webhooks", { ...fixture().webhooks[0], hookId: "crm" }).record?.hookId,
    ).toBe("crm");
  });

  test("is refused with paths relative to the record", () => {
    const { problems } = loader.validateRecord("threads", { ...fixture().threads[0], status: 1, nope: 2 });
    expect(problems?.map(formatProblem).sort()).toEqual([
      expect.stringMatching(/^nope: unknown field "nope": it must be id, /),
      "status: must be one of waiting, replied, resolved, but is 1",
    ]);
  });

  test("is not checked for its references", () => {
    expect(loader.validateRecord("tokens", { id: "t", userId: "777" }).problems).toBeUndefined();
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
