import { expect, it } from "vitest";
import { given } from "../../src/kernel/given.js";

it("leaves out what is undefined, and nothing else", () => {
  const left: string | undefined = undefined;
  expect(Object.keys(given({ a: 1, b: undefined, c: null, d: 0, e: "", f: false, g: left }))).toEqual([
    "a",
    "c",
    "d",
    "e",
    "f",
  ]);
});

it("types a field that may be undefined as one that may be absent", () => {
  const value = given({ name: "Ana", age: undefined as number | undefined });
  const typed: { name: string; age?: number } = value;
  expect(typed).toEqual({ name: "Ana" });
});
