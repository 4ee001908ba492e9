import { expect, it } from "vitest";
import { queryOf } from "../../src/kernel/http/target.js";

it.each([
  "customerThreadId=9001",
  "a=",
  "a",
  "=x",
  "1=x",
  "__proto__=x",
  "constructor=x",
  "a.b=x",
  "a=b=c",
  "a=1&a=2",
  "a=b+c",
  "%61=%20",
  "ſ=x",
])("the parameters of the query %s are those of URLSearchParams", (query) => {
  const params = queryOf(query);
  expect(Object.entries(params)).toEqual([...new Map(new URLSearchParams(query))]);
  expect(Object.getPrototypeOf(params)).toBe(Object.prototype);
});
