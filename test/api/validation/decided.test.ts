/** Which entry of the behaviour table made a problem of a value that others let through. */
import { describe, expect, it } from "vitest";
import { type CheckOptions, RequestValidator } from "../../../src/api/validation/validator.js";
import { array, object, optional, type Schema, string } from "../../../src/kernel/schema.js";
import { type BehaviourValues, PROFILES } from "../../../src/service/behaviour/table.js";
import { oraclesProblems } from "./schema-pairs.js";

const check = (
  schema: Schema,
  value: unknown,
  values: Partial<BehaviourValues> = {},
  options: CheckOptions = {},
) => new RequestValidator().check(schema, value, { ...PROFILES.documented, ...values }, options);
const problem = (message: string, property = "@") => ({ message, property });

describe("an e-mail address", () => {
  const email = string({ format: "email" });
  it.each([
    ...["ana@acme.example", "a@b.de", "a@acme.co.uk", "ana@localhost", "ana@acme.museum1"].map(
      (address) => [address, true] as const,
    ),
    ...["ana@acme.example ", "ana@acme..example", "ana@.example", "ana", "an a@acme.example", ""].map(
      (address) => [address, false] as const,
    ),
  ])("%j is one by HTML's definition: %s, or by the package's", (address, isValid) => {
    const byDefault = isValid ? [] : [problem(`must match [email], but is equal to "${address}"`)];
    const byPackage = oraclesProblems({ type: "string", pattern: "email" }, address);
    const differ = byDefault.length !== byPackage.length;
    for (const [options, problems] of [
      [{}, byDefault],
      [{ "widget.emailFormat": "schema-inspector" }, byPackage],
    ] as const) {
      const checked = check(email, address, options);
      expect(checked.problems).toEqual(problems);
      expect(checked.decidedBy).toBe(differ && problems.length > 0 ? "widget.emailFormat" : undefined);
    }
  });

  it("must be a string: the format of other values is not reported", () => {
    expect(check(email, 5).problems).toEqual([problem("must be string, but is number")]);
  });
});

describe("a number where an id belongs", () => {
  const schema = object({ id: string({ "x-id": true }), text: optional(string()) });
  const decided = (value: object) => check(schema, value, { "ids.acceptNumbers": "reject" }).decidedBy;

  it.each([0, 7, Number.MAX_SAFE_INTEGER])("is refused by an entry: %s", (id) => {
    expect(check(schema, { id }, { "ids.acceptNumbers": "reject" })).toMatchObject({
      problems: [problem("must be string, but is number", "@.id")],
      decidedBy: "ids.acceptNumbers",
      passed: [],
    });
    expect(check(schema, { id })).toMatchObject({
      value: { id: String(id) },
      passed: [{ code: "number-id", property: "@.id" }],
    });
  });

  it.each([-1, 1.5, 2 ** 53, true])("is none that an entry could accept: %s", (id) => {
    expect([decided({ id }), check(schema, { id }).problems.length]).toEqual([undefined, 1]);
  });

  it("is decided by an entry, a number in another field is not", () => {
    expect(decided({ id: "7", text: 7 })).toBeUndefined();
    expect(check(schema, { id: "7", text: 7 }).problems).toHaveLength(1);
  });
});

describe("null in a field that does not take it", () => {
  const a = optional(string());
  const d = optional(object({ e: optional(string()) }));
  const schema = object(
    { a, c: array(string()), d, f: string() },
    { oneOf: [{ required: ["a"] }, { required: ["f"] }] },
  );
  const value = { a: null, c: [null], d: { e: null }, f: "x" };
  const type = (property: string) => problem("must be string, but is null", property);

  it("counts as omitted and is listed if nulls are omitted, but not as an array item", () => {
    const values = { "body.nullFields": "omit" } as const;
    const result = check(schema, value, values);
    expect(result).toMatchObject({
      problems: [type("@.c[0]")],
      passed: ["@.a", "@.d.e"].map((property) => ({ code: "null-field", property })),
    });
    expect(result.value).toEqual({ c: [null], d: {}, f: "x" });
    expect(result.decidedBy).toBeUndefined();
    const missing = check(schema, { ...value, f: null }, values).problems;
    expect(missing).toContainEqual(problem("is missing and not optional", "@.f"));
    expect(missing).toContainEqual(problem('must have at least key "a" or "f"'));
  });

  it("is a problem if nulls are rejected, and the entry is named", () => {
    const values = { "body.nullFields": "omit", "graphql.nullFields": "reject" } as const;
    const options = { nullFields: "graphql.nullFields" } as const;
    const result = check(schema, { ...value, c: [] }, values, options);
    expect(result).toMatchObject({ passed: [], decidedBy: "graphql.nullFields" });
    expect(result.problems).toContainEqual(type("@.a"));
    expect(check(schema, { c: [], f: "x" }, values, options).decidedBy).toBeUndefined();
  });
});

describe("the address of a webhook", () => {
  const https = object({ url: string({ format: "webhook-url", "x-https": true }) });
  it.each([
    ["https://bot.example", "reject", false],
    ["http://localhost:3000", "reject", true],
    ["http://localhost:3000", "loopback", false],
    ["http://bot.example", "allow", false],
    ["HTTPS://bot.example", "reject", false],
    ["http://bot.example/https:", "loopback", true],
    ["http://10.0.0.1/", "loopback", false],
    ["http://bot:3000/", "loopback", false],
    ["http://169.254.169.254/", "loopback", true],
    ["http://[fe80::1]/", "loopback", true],
    ["http://0.0.0.0/", "loopback", true],
    ["sink:demo", "loopback", false],
    ["sink:demo", "reject", true],
  ] as const)("%s where others than https are for %s", (url, insecureUrls, isRefused) => {
    const { problems, decidedBy } = check(https, { url }, { "webhooks.insecureUrls": insecureUrls });
    const refusal = problem(`must match [https], but is equal to "${url}"`, "@.url");
    expect(problems).toEqual(isRefused ? [refusal] : []);
    expect(decidedBy).toBe(isRefused ? "webhooks.insecureUrls" : undefined);
  });

  it("is checked only if the schema requires https and the value is a URL", () => {
    const values = { "webhooks.insecureUrls": "reject" } as const;
    const plain = object({ url: string({ format: "webhook-url" }) });
    expect(check(plain, { url: "http://bot.example" }, values).problems).toEqual([]);
    for (const url of ["bot", 5]) {
      const { problems, decidedBy } = check(https, { url }, values);
      expect([problems.length, decidedBy]).toEqual([1, undefined]);
    }
  });
});

describe("an unknown field", () => {
  it("is refused by an entry; a missing field is not", () => {
    const schema = object({ a: string() });
    expect(check(schema, { a: "", b: 1 }, { "body.unknownFields": "reject" }).decidedBy).toBe(
      "body.unknownFields",
    );
    expect(check(schema, {}, { "body.unknownFields": "reject" }).decidedBy).toBeUndefined();
    expect(check(schema, undefined)).toMatchObject({ problems: [problem("is missing and not optional")] });
  });
});

it("of several entries, the one behind the first problem is named", () => {
  const schema = object({ id: string({ "x-id": true }), to: string({ format: "email" }) });
  const values = { "ids.acceptNumbers": "reject", "widget.emailFormat": "schema-inspector" } as const;
  const to = "ana@acme.co.uk";
  expect(check(schema, { id: 1, to }, values).decidedBy).toBe("ids.acceptNumbers");
  expect(
    check(schema, { id: "1", to, more: 1 }, { ...values, "body.unknownFields": "reject" }).decidedBy,
  ).toBe("body.unknownFields");
  expect(check(schema, { id: "1", to }, values).decidedBy).toBe("widget.emailFormat");
});

it("a schema is compiled on first use", () => {
  const validator = new RequestValidator();
  const schema: { type: string } = { type: "string" };
  expect(validator.check(schema, "x", PROFILES.documented).problems).toEqual([]);
  schema.type = "integer";
  expect(validator.check(schema, "x", PROFILES.documented).problems).toEqual([]);
});
