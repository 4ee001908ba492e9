import fc from "fast-check";
import { expect, it } from "vitest";
import { estimateBytes } from "../../src/kernel/json.js";

it("counts `{}` at 20 to 26 times its text", () => {
  const text = `[${"{},".repeat(1000)}{}]`;
  const times = estimateBytes(JSON.parse(text)) / text.length;
  expect([times > 20, times < 26]).toEqual([true, true]);
});

it("counts a text by its length, and null, undefined and booleans as nothing", () => {
  expect(estimateBytes("x".repeat(1000)) - 2_000).toBe(estimateBytes(""));
  expect(estimateBytes("")).toBeLessThan(100);
  expect([null, undefined, true].map(estimateBytes)).toEqual([0, 0, 0]);
});

it("adds up parts, with the same cost for each place", () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const place = estimateBytes([null]) - estimateBytes([]);
  const field = estimateBytes({ a: null }) - estimateBytes({});
  expect([place, field].every((bytes) => bytes > 0)).toBe(true);
  fc.assert(
    fc.property(fc.array(json), fc.dictionary(fc.string({ maxLength: 32 }), json), (items, fields) => {
      const sum = (values: unknown[]) =>
        values.reduce<number>((bytes, value) => bytes + estimateBytes(value), 0);
      expect(estimateBytes(items)).toBe(estimateBytes([]) + place * items.length + sum(items));
      const values = Object.values(fields);
      expect(estimateBytes(fields)).toBe(estimateBytes({}) + field * values.length + sum(values));
    }),
  );
});

it("counts names of fields that are longer than 32 characters", () => {
  const cost = (length: number) => estimateBytes({ ["n".repeat(length)]: null });
  expect(cost(32)).toBe(cost(1));
  expect(cost(33)).toBe(cost(1) + estimateBytes("n".repeat(33)));
});

it("counts more than eight bytes for a number", () => {
  expect(Math.min(...[1.5, -1e21, 2 ** 40].map(estimateBytes))).toBeGreaterThan(8);
});
