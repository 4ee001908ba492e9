import { describe, expect, it } from "vitest";
import type { CheckOptions } from "../../../src/api/validation/validator.js";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import {
  array,
  boolean,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  string,
} from "../../../src/kernel/schema.js";

const LENIENT: CheckOptions = { unknownFields: "ignore", numbersAsIds: true };
const STRICT: CheckOptions = { unknownFields: "reject", numbersAsIds: false };
const check = (schema: Schema, value: unknown, options = LENIENT) =>
  new RequestValidator().check(schema, value, options);
/** `property message`, one line per problem. */
const reported = (schema: Schema, value: unknown, options = STRICT): string[] =>
  check(schema, value, options).problems.map(({ message, property }) => `${property} ${message}`);

const contact = object(
  {
    email: optional(string({ format: "email" })),
    sms: optional(string({ format: "e164" })),
    whatsapp: optional(string({ format: "e164" })),
    locale: optional(string()),
  },
  {
    oneOf: [{ required: ["email"] }, { required: ["sms"] }, { required: ["whatsapp"] }],
  },
);
const conversation = object({ businessId: string({ "x-id": true }), message: string(), user: contact });
const send = object(
  {
    customerThreadId: string({ "x-id": true, pattern: "^[1-9][0-9]*$" }),
    text: optional(string()),
    contentSid: optional(string()),
    internal: optional(boolean()),
  },
  {
    oneOf: [{ required: ["text"] }, { required: ["contentSid"] }],
  },
);
const threadStatus = object({ status: oneOf(["waiting", "replied", "resolved"]) });
const webhook = object({
  url: string({ format: "url" }),
  subscribedEvents: array(oneOf(["messages", "transfers"])),
  extraHeaders: optional(array(object({ name: string({ minLength: 1 }), value: string() }))),
});
const email = object({ email: string() });
const limits = object({
  least: optional(integer()),
  above: optional(number()),
  name: optional(string({ minLength: 2, maxLength: 3 })),
  note: optional(nullable(string())),
  channel: optional(nullable(oneOf(["SMS", "EMAIL"]))),
});

describe("the texts of the dialect", () => {
  const hook = { url: "https://bot.example/", subscribedEvents: ["messages"] };
  it.each<[string, Schema, unknown, string[]]>([
    ["a missing field", email, {}, ["@.email is missing and not optional"]],
    ["a wrong type", email, { email: 5 }, ["@.email must be string, but is number"]],
    ["null", email, { email: null }, ["@.email must be string, but is null"]],
    ["an array for a string", email, { email: [] }, ["@.email must be string, but is array"]],
    ["an object for a string", email, { email: {} }, ["@.email must be string, but is object"]],
    ["a fraction for an integer", limits, { least: 1.5 }, ["@.least must be integer, but is number"]],
    ["an endless number", limits, JSON.parse('{"above":1e999}'), ["@.above must be number, but is Infinity"]],
    ["a bad e-mail address", contact, { email: "x" }, ['@.email must match [email], but is equal to "x"']],
    [
      "a prefixed number",
      contact,
      { sms: "whatsapp:+15551234567" },
      ['@.sms must match [e164], but is equal to "whatsapp:+15551234567"'],
    ],
    ["a bad URL", webhook, { ...hook, url: "bot" }, ['@.url must match [url], but is equal to "bot"']],
    [
      "a pattern",
      send,
      { customerThreadId: "x/1", text: "" },
      ['@.customerThreadId must match [/^[1-9][0-9]*$/], but is equal to "x/1"'],
    ],
    [
      "a value outside its list",
      threadStatus,
      { status: "closed" },
      ['@.status must be equal to ["waiting" or "replied" or "resolved"], but is equal to "closed"'],
    ],
    [
      "a wrong type where a list of values stands",
      threadStatus,
      { status: 5 },
      [
        "@.status must be string, but is number",
        '@.status must be equal to ["waiting" or "replied" or "resolved"], but is equal to "5"',
      ],
    ],
    ["neither text nor null", limits, { note: 1 }, ["@.note must be string or null, but is number"]],
    ["null where it may stand", limits, { note: null, channel: null }, []],
    [
      "a list of values or null",
      limits,
      { channel: false },
      [
        "@.channel must be string or null, but is boolean",
        '@.channel must be equal to ["SMS" or "EMAIL"], but is equal to "false"',
      ],
    ],
    ["limits of lengths", limits, { name: "x" }, ["@.name must be longer than 2 elements, but it has 1"]],
    [
      "limits of lengths from above, in characters",
      limits,
      { name: "😀😀😀😀" },
      ["@.name must be shorter than 3 elements, but it has 4"],
    ],
    [
      "an item of a list",
      webhook,
      { ...hook, subscribedEvents: ["calls"] },
      ['@.subscribedEvents[0] must be equal to ["messages" or "transfers"], but is equal to "calls"'],
    ],
    [
      "a field in an item",
      webhook,
      { ...hook, extraHeaders: [{ name: "A" }] },
      ["@.extraHeaders[0].value is missing and not optional"],
    ],
    ["an unknown field", email, { email: "x", x: 1 }, ['@ should not contains property ["x"]']],
    ["unknown fields", email, { email: "x", y: 1, x: 1 }, ['@ should not contains properties ["y", "x"]']],
    [
      "none of the keys",
      send,
      { customerThreadId: "1" },
      ['@ must have at least key "text" or "contentSid"'],
    ],
    [
      "too many of the keys",
      send,
      { customerThreadId: "1", text: "a", contentSid: "b" },
      ['@ must have only one of keys "text" or "contentSid"'],
    ],
    ["an odd key", record(string()), { "odd key": 1 }, ['@["odd key"] must be string, but is number']],
    ["no body", email, undefined, ["@ is missing and not optional"]],
    ["null for a body", email, null, ["@ must be object, but is null"]],
    ["text for a body", email, "x", ["@ must be object, but is string"]],
    ["a number for a body", email, 1, ["@ must be object, but is number"]],
    ["true for a body", email, true, ["@ must be object, but is boolean"]],
    [
      "an array for a body",
      email,
      ["x"],
      ["@ must be object, but is array", "@.email is missing and not optional"],
    ],
    [
      "several problems, in schema order",
      conversation,
      { user: { sms: "1", email: "x", vip: true }, message: 1, extra: 1 },
      [
        '@ should not contains property ["extra"]',
        "@.businessId is missing and not optional",
        "@.message must be string, but is number",
        '@.user should not contains property ["vip"]',
        '@.user must have only one of keys "email" or "sms" or "whatsapp"',
        '@.user.email must match [email], but is equal to "x"',
        '@.user.sms must match [e164], but is equal to "1"',
      ],
    ],
  ])("says what is wrong with %s", (_name, schema, value, expected) => {
    expect(reported(schema, value)).toEqual(expected);
  });
});

describe("keys of the object prototype in a body", () => {
  it("are unknown fields like any other", () => {
    const body = JSON.parse('{"email":"x","__proto__":1,"constructor":null,"toString":2,"hasOwnProperty":3}');
    expect(reported(email, body)).toEqual([
      '@ should not contains properties ["__proto__", "constructor", "toString", "hasOwnProperty"]',
    ]);
    expect(check(email, body).unknownFields).toEqual([
      "@.__proto__",
      "@.constructor",
      "@.toString",
      "@.hasOwnProperty",
    ]);
  });

  it("do not stand for the fields of a schema", () => {
    expect(reported(email, JSON.parse('{"__proto__":{"email":"x"}}'))).toContain(
      "@.email is missing and not optional",
    );
  });

  it("do not hide the type of an object", () => {
    expect(reported(email, JSON.parse('{"email":{"constructor":1}}'))).toEqual([
      "@.email must be string, but is object",
    ]);
  });

  it("keep their values in a copy", () => {
    const body = JSON.parse(
      '{"businessId":1001,"message":"x","user":{"sms":"+15551234567"},"__proto__":{"a":1}}',
    );
    const { value } = check(conversation, body);
    expect(JSON.stringify(value)).toBe(
      '{"businessId":"1001","message":"x","user":{"sms":"+15551234567"},"__proto__":{"a":1}}',
    );
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("unknown fields", () => {
  const body = () => ({
    businessId: "1",
    message: "x",
    user: { sms: "+15551234567", vip: 1 },
    "odd key": [],
  });

  it("are accepted and listed", () => {
    const given = body();
    const result = check(conversation, given);
    expect(result).toEqual({
      value: body(),
      problems: [],
      unknownFields: ['@["odd key"]', "@.user.vip"],
      numberIds: [],
      nulls: [],
      moreProperties: 0,
    });
    expect(result.value).toBe(given);
  });

  it("are problems if they are rejected", () => {
    const { problems, unknownFields } = check(conversation, body(), STRICT);
    expect(unknownFields).toEqual([]);
    expect(problems).toEqual([
      { property: "@", message: 'should not contains property ["odd key"]' },
      { property: "@.user", message: 'should not contains property ["vip"]' },
    ]);
  });

  it("are accepted if the schema allows additional properties", () => {
    expect(
      check(object({ a: string() }, { additionalProperties: true }), { a: "", b: 1 }, STRICT).problems,
    ).toEqual([]);
  });

  it("are listed beside real problems", () => {
    expect(check(email, { x: 1 })).toMatchObject({
      problems: [{ property: "@.email", message: "is missing and not optional" }],
      unknownFields: ["@.x"],
    });
  });
});

describe("numbers for ids", () => {
  const ids = object({
    hookId: array(string({ "x-id": true })),
    owner: optional(nullable(string({ "x-id": true }))),
    text: string(),
  });

  it("become text in a copy", () => {
    const body = { hookId: ["7", 8], owner: 9007199254740991, text: "x" };
    const before = structuredClone(body);
    expect(check(ids, body)).toEqual({
      value: { hookId: ["7", "8"], owner: "9007199254740991", text: "x" },
      problems: [],
      unknownFields: [],
      numberIds: ["@.hookId[1]", "@.owner"],
      nulls: [],
      moreProperties: 0,
    });
    expect(body).toEqual(before);
  });

  it("copy nothing that stays the same", () => {
    const body = { customerThreadId: 9001, text: "x", user: { a: 1 } };
    const { value } = check(send, body);
    expect(value).toEqual({ ...body, customerThreadId: "9001" });
    expect((value as typeof body).user).toBe(body.user);
  });

  it("must still match the id's pattern", () => {
    expect(reported(send, { customerThreadId: 0, text: "x" }, LENIENT)).toEqual([
      '@.customerThreadId must match [/^[1-9][0-9]*$/], but is equal to "0"',
    ]);
  });

  it("are problems if numbers are not accepted, and in other fields", () => {
    expect(reported(send, { customerThreadId: 9001, text: "x" }, STRICT)).toEqual([
      "@.customerThreadId must be string, but is number",
    ]);
    expect(reported(send, { customerThreadId: "9001", text: 5 }, LENIENT)).toEqual([
      "@.text must be string, but is number",
    ]);
  });
});

describe("at most one of some keys", () => {
  it("is checked at any depth, even where JSON Schema has no objection", () => {
    const both = { email: "a@b.example", sms: "+15551234567" };
    const message = 'must have only one of keys "email" or "sms" or "whatsapp"';
    expect(reported(contact, both)).toEqual([`@ ${message}`]);
    expect(reported(conversation, { businessId: "1", message: "", user: both })).toEqual([
      `@.user ${message}`,
    ]);
    expect(reported(object({ users: array(contact) }), { users: [{ email: both.email }, both] })).toEqual([
      `@.users[1] ${message}`,
    ]);
    expect(reported(object({ user: nullable(contact) }), { user: both })).toEqual([`@.user ${message}`]);
    expect(reported(record(contact), { ana: both })).toEqual([`@.ana ${message}`]);
  });

  it("accepts one key, and null instead of the object", () => {
    expect(reported(record(contact), { ana: { sms: "+15551234567", locale: "fr" } })).toEqual([]);
    expect(reported(object({ user: nullable(contact) }), { user: null })).toEqual([]);
  });
});

describe("a valid value", () => {
  it("is returned unchanged", () => {
    const body = { customerThreadId: "9001", text: "Hello", internal: false };
    const result = check(send, body, STRICT);
    expect(result).toEqual({
      value: body,
      problems: [],
      unknownFields: [],
      numberIds: [],
      nulls: [],
      moreProperties: 0,
    });
    expect(result.value).toBe(body);
  });
});
