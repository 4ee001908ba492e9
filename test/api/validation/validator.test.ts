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
/** What a value leads to in which nothing is wrong or odd. */
const NOTHING = { problems: [], unknownFields: [], numberIds: [], nulls: [], moreProperties: 0 };

const phone = optional(string({ format: "e164" }));
const contact = object(
  { email: optional(string({ format: "email" })), sms: phone, whatsapp: phone, locale: optional(string()) },
  { oneOf: ["email", "sms", "whatsapp"].map((key) => ({ required: [key] })) },
);
const conversation = object({ businessId: string({ "x-id": true }), message: string(), user: contact });
const send = object(
  {
    customerThreadId: string({ "x-id": true, pattern: "^[1-9][0-9]*$" }),
    text: optional(string()),
    contentSid: optional(string()),
    internal: optional(boolean()),
  },
  { oneOf: [{ required: ["text"] }, { required: ["contentSid"] }] },
);
const threadStatus = object({ status: oneOf(["waiting", "replied", "resolved"]) });
const webhook = object({
  url: optional(string({ format: "url" })),
  subscribedEvents: optional(array(oneOf(["messages", "transfers"]))),
  extraHeaders: optional(array(object({ name: string(), value: string() }))),
});
const email = object({ email: string() });
const limits = object({
  least: optional(integer()),
  above: optional(number()),
  name: optional(string({ minLength: 2, maxLength: 3 })),
  note: optional(nullable(string())),
  channel: optional(nullable(oneOf(["SMS", "EMAIL"]))),
});

// More of what an object may be wrong in is compared with schema-inspector in `dialect.test.ts`.
describe("the texts of the dialect", () => {
  it.each<[value: unknown, schema: Schema, ...problems: string[]]>([
    [{}, email, "@.email is missing and not optional"],
    [{ email: {} }, email, "@.email must be string, but is object"],
    [{ least: 1.5 }, limits, "@.least must be integer, but is number"],
    [JSON.parse('{"above":1e999}'), limits, "@.above must be number, but is Infinity"],
    [{ note: 1 }, limits, "@.note must be string or null, but is number"],
    [{ note: null, channel: null }, limits],
    [{ name: "x" }, limits, "@.name must be longer than 2 elements, but it has 1"],
    [{ name: "😀😀😀😀" }, limits, "@.name must be shorter than 3 elements, but it has 4"],
    [
      { channel: false },
      limits,
      "@.channel must be string or null, but is boolean",
      '@.channel must be equal to ["SMS" or "EMAIL"], but is equal to "false"',
    ],
    [
      { status: "closed" },
      threadStatus,
      '@.status must be equal to ["waiting" or "replied" or "resolved"], but is equal to "closed"',
    ],
    [{ url: "bot" }, webhook, '@.url must match [url], but is equal to "bot"'],
    [
      { subscribedEvents: ["calls"] },
      webhook,
      '@.subscribedEvents[0] must be equal to ["messages" or "transfers"], but is equal to "calls"',
    ],
    [{ extraHeaders: [{ name: "A" }] }, webhook, "@.extraHeaders[0].value is missing and not optional"],
    [{ email: "x", x: 1 }, email, '@ should not contains property ["x"]'],
    [{ email: "x", y: 1, x: 1 }, email, '@ should not contains properties ["y", "x"]'],
    [{ customerThreadId: "1" }, send, '@ must have at least key "text" or "contentSid"'],
    [
      { customerThreadId: "x/1", text: "" },
      send,
      '@.customerThreadId must match [/^[1-9][0-9]*$/], but is equal to "x/1"',
    ],
    [{ "odd key": 1 }, record(string()), '@["odd key"] must be string, but is number'],
    [undefined, email, "@ is missing and not optional"],
    [null, email, "@ must be object, but is null"],
    [["x"], email, "@ must be object, but is array", "@.email is missing and not optional"],
    [
      { user: { sms: "whatsapp:+1555", email: "x", vip: true }, message: 1, extra: 1 },
      conversation,
      '@ should not contains property ["extra"]',
      "@.businessId is missing and not optional",
      "@.message must be string, but is number",
      '@.user should not contains property ["vip"]',
      '@.user must have only one of keys "email" or "sms" or "whatsapp"',
      '@.user.email must match [email], but is equal to "x"',
      '@.user.sms must match [e164], but is equal to "whatsapp:+1555"',
    ],
  ])("say what is wrong with %j, in schema order", (value, schema, ...expected) => {
    expect(reported(schema, value)).toEqual(expected);
  });
});

describe("keys of the object prototype in a body", () => {
  it("are unknown fields like any other", () => {
    const body = JSON.parse('{"email":"x","__proto__":1,"constructor":null,"toString":2}');
    expect(reported(email, body)).toEqual([
      '@ should not contains properties ["__proto__", "constructor", "toString"]',
    ]);
    expect(check(email, body).unknownFields).toEqual(["@.__proto__", "@.constructor", "@.toString"]);
  });

  it("stand neither for the fields of a schema nor for the type of an object", () => {
    expect(reported(email, JSON.parse('{"__proto__":{"email":"x"}}'))).toContain(
      "@.email is missing and not optional",
    );
    expect(reported(email, { email: { constructor: 1 } })).toEqual(["@.email must be string, but is object"]);
  });

  it("keep their values in a copy", () => {
    const text = '{"businessId":"1","message":"x","user":{"sms":"+15551234567"},"__proto__":{"a":1}}';
    const { value } = check(conversation, JSON.parse(text.replace('"1"', "1")));
    expect(JSON.stringify(value)).toBe(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("unknown fields", () => {
  const body = { businessId: "1", message: "x", user: { sms: "+15551234567", vip: 1 }, "odd key": [] };

  it("are listed if they are accepted, and problems if they are rejected", () => {
    const result = check(conversation, body);
    expect(result).toEqual({ ...NOTHING, value: body, unknownFields: ['@["odd key"]', "@.user.vip"] });
    expect(result.value).toBe(body);
    expect(check(conversation, body, STRICT)).toMatchObject({
      unknownFields: [],
      problems: [
        { property: "@", message: 'should not contains property ["odd key"]' },
        { property: "@.user", message: 'should not contains property ["vip"]' },
      ],
    });
  });

  it("are accepted if the schema allows additional properties", () => {
    const open = object({ a: string() }, { additionalProperties: true });
    expect(reported(open, { a: "", b: 1 })).toEqual([]);
  });
});

describe("numbers for ids", () => {
  const id = string({ "x-id": true });
  const ids = object({ hookId: array(id), owner: optional(nullable(id)), text: string() });

  it("become text in a copy, which shares what stays the same", () => {
    const body = { hookId: ["7", 8], owner: 9007199254740991, text: "x", more: {} };
    const before = structuredClone(body);
    const { value, ...rest } = check(ids, body);
    expect(value).toEqual({ ...body, hookId: ["7", "8"], owner: "9007199254740991" });
    expect(rest).toEqual({ ...NOTHING, unknownFields: ["@.more"], numberIds: ["@.hookId[1]", "@.owner"] });
    expect(body).toEqual(before);
    expect((value as typeof body).more).toBe(body.more);
  });

  it("must still match the id's pattern", () => {
    expect(reported(send, { customerThreadId: 0, text: "x" }, LENIENT)).toEqual([
      '@.customerThreadId must match [/^[1-9][0-9]*$/], but is equal to "0"',
    ]);
  });
});
