import fc from "fast-check";
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

it("counts each part by itself: a whole costs its parts and the same for every place", () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const place = costOf([null]) - costOf([]);
  const field = costOf({ a: null }) - costOf({});
  expect([place, field].every((bytes) => bytes > 0)).toBe(true);
  fc.assert(
    fc.property(fc.array(json), fc.dictionary(fc.string({ maxLength: 32 }), json), (items, fields) => {
      const sum = (values: unknown[]) => values.reduce<number>((bytes, value) => bytes + costOf(value), 0);
      expect(costOf(items)).toBe(costOf([]) + place * items.length + sum(items));
      const values = Object.values(fields);
      expect(costOf(fields)).toBe(costOf({}) + field * values.length + sum(values));
    }),
  );
});

it("counts the name of a field where it is longer than 32 characters", () => {
  const cost = (length: number) => costOf({ ["n".repeat(length)]: null });
  expect(cost(32)).toBe(cost(1));
  expect(cost(33)).toBe(cost(1) + costOfText("n".repeat(33)));
});

it("counts at least two bytes for each character, and more for the text itself", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(costOfText(text)).toBe(costOfText("") + 2 * text.length);
      expect(costOf(text)).toBe(costOfText(text));
      expect(costOfText("")).toBeGreaterThan(0);
    }),
  );
});

it.each([1.5, -1e21, 2 ** 40])(
  "counts the number %d by no less than its eight bytes, and what holds it",
  (number) => {
    expect(costOf(number)).toBeGreaterThan(8);
  },
);
