import { describe, expect, it } from "vitest";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import {
  array,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  string,
} from "../../../src/kernel/schema.js";
import { type BehaviourValues, PROFILES, STRICT } from "../../../src/service/behaviour/table.js";

const LENIENT = PROFILES.documented;
const REJECTING: BehaviourValues = { ...LENIENT, ...STRICT };
const check = (schema: Schema, value: unknown, values = LENIENT) =>
  new RequestValidator().check(schema, value, values);
/** `property message`, one line per problem. */
const reported = (schema: Schema, value: unknown, values = REJECTING): string[] =>
  check(schema, value, values).problems.map(({ message, property }) => `${property} ${message}`);
/** What a value leads to in which nothing is wrong or odd. */
const NOTHING = { problems: [], passed: [], morePassed: 0 };
const passed = (code: string, ...properties: string[]) => properties.map((property) => ({ code, property }));

const phone = optional(string({ format: "e164" }));
const contact = object(
  { email: optional(string({ format: "email" })), sms: phone, whatsapp: phone, locale: optional(string()) },
  { oneOf: ["email", "sms", "whatsapp"].map((key) => ({ required: [key] })) },
);
const conversation = object({ businessId: string({ "x-id": true }), message: string(), user: contact });
const email = object({ email: string() });
// What else an object may be wrong in is compared with schema-inspector in `dialect.test.ts`.
describe("the texts of the dialect", () => {
  it.each<[value: unknown, schema: Schema, ...problems: string[]]>([
    ["😀😀😀😀", string({ maxLength: 3 }), "@ must be shorter than 3 elements, but it has 4"],
    ["bot", string({ format: "url" }), '@ must match [url], but is equal to "bot"'],
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
    expect(check(email, body).passed).toEqual(
      passed("unknown-field", "@.__proto__", "@.constructor", "@.toString"),
    );
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
    expect(result).toMatchObject({
      ...NOTHING,
      value: body,
      passed: passed("unknown-field", '@["odd key"]', "@.user.vip"),
    });
    expect(result.value).toBe(body);
    expect(check(conversation, body, REJECTING)).toMatchObject({
      passed: [],
      problems: [
        { property: "@", message: 'should not contains property ["odd key"]' },
        { property: "@.user", message: 'should not contains property ["vip"]' },
      ],
    });
  });
});

describe("numbers for ids", () => {
  const id = string({ "x-id": true });
  const ids = object({ hookId: array(id), owner: optional(id), text: string() });

  it("become text in a copy, which shares what stays the same", () => {
    const body = { hookId: ["7", 8], owner: 9007199254740991, text: "x", more: {} };
    const before = structuredClone(body);
    const { value, ...rest } = check(ids, body);
    expect(value).toEqual({ ...body, hookId: ["7", "8"], owner: "9007199254740991" });
    expect(rest).toMatchObject({
      ...NOTHING,
      passed: [...passed("unknown-field", "@.more"), ...passed("number-id", "@.hookId[1]", "@.owner")],
    });
    expect(body).toEqual(before);
    expect((value as typeof body).more).toBe(body.more);
  });

  it("are in a plain object and a plain array", () => {
    const plain = { id: "7", ids: ["8", "9"] };
    const { value } = check(object({ id, ids: array(id) }), { id: 7, ids: [8, 9] });
    expect(Object.getOwnPropertyDescriptors(value)).toEqual(Object.getOwnPropertyDescriptors(plain));
    const { ids } = value as typeof plain;
    expect(Object.getOwnPropertyDescriptors(ids)).toEqual(Object.getOwnPropertyDescriptors(plain.ids));
  });

  it("must still match the id's pattern", () => {
    const schema = string({ "x-id": true, pattern: "^[1-9][0-9]*$" });
    expect(reported(schema, 0, LENIENT)).toEqual(['@ must match [/^[1-9][0-9]*$/], but is equal to "0"']);
  });
});

describe("a schema", () => {
  it.each<[string, Schema, unknown, string[]]>([
    [
      "with words for readers",
      string({ title: "t", description: "d", default: "", example: "e", examples: [], deprecated: true }),
      1,
      ["@ must be string, but is number"],
    ],
    ["with words of its own", string({ "x-form": "f" }), "x", []],
    ["of single characters", string({ pattern: "^.$" }), "😀", []],
  ])("%s is understood", (_, schema, value, problems) => {
    expect(reported(schema, value)).toEqual(problems);
  });

  it.each<[keyword: string, place: string, schema: Schema]>([
    ["additionalProperties", "@.a", object({ a: record(string()) })],
    ["anyOf", "@", nullable(oneOf(["a"]))],
    ["multipleOf", "@.a[].b", object({ a: array(object({ b: integer({ multipleOf: 2 }) })) })],
    ["minimum", "@.a", object({ a: integer({ minimum: 1 }) })],
    ["uniqueItems", "@[]", array(array(string(), { uniqueItems: true }))],
    ["const", "@", { const: 1, type: "integer" }],
  ])("that uses %s at %s beyond the dialect's words is refused", (keyword, place, schema) => {
    expect(() => reported(schema, {})).toThrow(
      new Error(`the validation dialect cannot express "${keyword}" as the schema uses it at ${place}`),
    );
  });

  it.each([
    ["format iban", string({ format: "iban" })],
    ["type string,null", nullable(string())],
    ["type undefined", { enum: ["a"] }],
  ])("of an unknown %s is refused", (what, schema) => {
    expect(() => reported(schema, "")).toThrow(new Error(`the validation dialect does not know the ${what}`));
  });
});

describe("of very many", () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
  const nulls = (count: number) => upTo(count).map(() => ({ a: null }));
  const fields = (count: number) => Object.fromEntries(upTo(count).map((index) => [`f${index}`, 0]));

  const texts = (count: number) =>
    object(Object.fromEntries(upTo(count).map((index) => [`f${index}`, string()])));

  it.each([
    [99, []],
    [100, []],
    [101, ["@ and 1 more"]],
    [340, ["@ and 240 more"]],
  ])("%i problems, the first hundred are listed, and the others counted", (count, rest) => {
    const listed = upTo(Math.min(count, 100)).map((index) => `@.f${index} must be string, but is number`);
    expect(reported(texts(count), fields(count))).toEqual([...listed, ...rest]);
  });

  it("missing fields too", () => {
    const last = reported(texts(103), {}).slice(-2);
    expect(last).toEqual(["@.f99 is missing and not optional", "@ and 3 more"]);
  });

  it("an https address is checked even if its neighbours have too many problems", () => {
    const url = string({ format: "webhook-url", "x-https": true });
    const schema = object({ faulty: texts(200), url });
    const decidedBy = (url: string) =>
      check(schema, { faulty: fields(200), url }, { ...LENIENT, "webhooks.insecureUrls": "reject" })
        .decidedBy;
    expect(decidedBy("http://bot.example")).toBe("webhooks.insecureUrls");
    expect(["https://bot.example", "none"].map(decidedBy)).toEqual([undefined, undefined]);
  });

  it.each<[string, Schema, (count: number) => unknown, string]>([
    ["fields that no schema names", object({}), fields, "unknown-field"],
    ["numbers for ids", array(string({ "x-id": true })), upTo, "number-id"],
    ["nulls that count as left out", array(object({ a: optional(string()) })), nulls, "null-field"],
  ])("%s that are let through, the first hundred", (_, schema, make, code) => {
    const checked = (count: number) => check(schema, make(count), { ...LENIENT, "body.nullFields": "omit" });
    const few = checked(100);
    expect([few.passed.length, few.morePassed, few.problems]).toEqual([100, 0, []]);
    expect(few.passed[99]?.code).toBe(code);
    const many = checked(107);
    expect([many.passed, many.morePassed, many.problems]).toEqual([few.passed, 7, []]);
  });

  it("names of refused unknown fields, the first hundred", () => {
    const names = Array.from(upTo(100), (index) => `"f${index}"`).join(", ");
    for (const [count, rest] of [
      [100, ""],
      [102, ", and 2 more"],
    ] as const)
      expect(reported(object({}), fields(count))).toEqual([
        `@ should not contains properties [${names}${rest}]`,
      ]);
  });
});
