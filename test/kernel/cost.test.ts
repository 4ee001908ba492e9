import { expect, it } from "vitest";
import { costOf, costOfText } from "../../src/kernel/cost.js";

it("counts `{}` at 25 times its text", () => {
  const text = `[${"{},".repeat(1000)}{}]`;
  expect(costOf(JSON.parse(text)) / text.length).toBeGreaterThan(20);
  expect(costOf(JSON.parse(text)) / text.length).toBeLessThan(26);
});

it("counts a text by its length, and nothing where there is none", () => {
  expect(costOfText("x".repeat(1000))).toBeGreaterThanOrEqual(2000);
  expect(costOfText("x".repeat(1000))).toBeLessThan(2100);
  expect([costOfText(null), costOfText(undefined), costOf(null), costOf(true)]).toEqual([0, 0, 0, 0]);
});

it("counts what is nested, arrays by their items and long names of fields", () => {
  expect(costOf({ a: { b: "x".repeat(500) } })).toBeGreaterThan(1000);
  expect(costOf([1.5, 2.5]) - costOf([])).toBeGreaterThanOrEqual(16);
  expect(costOf({ ["n".repeat(500)]: 1 })).toBeGreaterThan(1000);
});
