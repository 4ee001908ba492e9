/** Of very many problems and properties the first are listed, and the others counted. */
import { expect, it } from "vitest";
import { RequestValidator } from "../../../src/api/validation/validator.js";
import { array, object, optional, record, type Schema, string } from "../../../src/kernel/schema.js";

const OMITTED = { treatment: () => "omit" as const, key: "body.nullFields" } as const;
const check = (schema: Schema, value: unknown, unknownFields: "ignore" | "reject" = "ignore") =>
  new RequestValidator().check(schema, value, { unknownFields, numbersAsIds: true, nullFields: OMITTED });
/** The numbers from 0 up to `count`, not included. */
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const fields = (count: number) => Object.fromEntries(upTo(count).map((index) => [`f${index}`, 0]));

it.each([
  [99, []],
  [100, []],
  [101, [{ message: "and 1 more", property: "@" }]],
  [340, [{ message: "and 240 more", property: "@" }]],
])("of %i problems, the first hundred", (count, rest) => {
  const { problems } = check(record(string()), fields(count));
  const message = "must be string, but is number";
  const listed = upTo(Math.min(count, 100)).map((index) => ({ message, property: `@.f${index}` }));
  expect(problems).toEqual([...listed, ...rest]);
});

it("counts missing fields too", () => {
  const keys = Object.fromEntries(upTo(103).map((index) => [`f${index}`, string()]));
  const { problems } = check(object(keys), {});
  expect(problems.slice(-2)).toEqual([
    { message: "is missing and not optional", property: "@.f99" },
    { message: "and 3 more", property: "@" },
  ]);
});

it("checks an https address even if its neighbours have too many problems", () => {
  const schema = object({ faulty: record(string()), url: string({ format: "url", "x-https": true }) });
  const options = { unknownFields: "ignore", numbersAsIds: true, insecureUrls: "reject" } as const;
  const decidedBy = (url: string) =>
    new RequestValidator().check(schema, { faulty: fields(200), url }, options).decidedBy;
  expect([decidedBy("http://bot.example"), decidedBy("https://bot.example"), decidedBy("none")]).toEqual([
    "webhooks.insecureUrls",
    undefined,
    undefined,
  ]);
});

it.each<[string, Schema, (count: number) => unknown, "unknownFields" | "numberIds" | "nulls"]>([
  ["fields that no schema names", object({}), fields, "unknownFields"],
  ["numbers for ids", array(string({ "x-id": true })), upTo, "numberIds"],
  [
    "nulls that count as left out",
    array(object({ a: optional(string()) })),
    (count) => upTo(count).map(() => ({ a: null })),
    "nulls",
  ],
])("of %s that are let through, the first hundred", (_, schema, make, list) => {
  const few = check(schema, make(100));
  expect([few[list].length, few.moreProperties, few.problems]).toEqual([100, 0, []]);
  const many = check(schema, make(107));
  expect([many[list], many.moreProperties, many.problems]).toEqual([few[list], 7, []]);
});

it("of the names of refused unknown fields, the first hundred", () => {
  const told = (count: number) => check(object({}), fields(count), "reject").problems;
  const names = upTo(100)
    .map((index) => `"f${index}"`)
    .join(", ");
  const property = "@";
  expect(told(100)).toEqual([{ message: `should not contains properties [${names}]`, property }]);
  expect(told(102)).toEqual([{ message: `should not contains properties [${names}, and 2 more]`, property }]);
});
