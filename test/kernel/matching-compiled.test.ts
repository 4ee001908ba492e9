import { expect, it, vi } from "vitest";
import { linearRegex } from "../../src/kernel/linear-regex.js";
import { matches } from "../../src/kernel/matching.js";

vi.mock("../../src/kernel/linear-regex.js", async (original) => {
  const actual = await original<typeof import("../../src/kernel/linear-regex.js")>();
  return { linearRegex: vi.fn(actual.linearRegex) };
});

it("the expression of a condition is compiled once, however many values it is compared with", () => {
  const pattern = { text: { $regex: "^b", $flags: "i" } };
  const fits = ["Ba", "ab", "b", 5].map((text) => matches(pattern, { text }));
  expect(fits).toEqual([true, false, true, false]);
  expect(vi.mocked(linearRegex).mock.calls).toEqual([["^b", "i"]]);
  expect(matches({ text: { ...pattern.text } }, { text: "b" })).toBe(true);
  expect(linearRegex).toHaveBeenCalledTimes(2);
});

it("an expression that cannot be compiled fits nothing, each time", () => {
  const pattern = { $regex: "(", $flags: "" };
  expect([matches(pattern, "("), matches(pattern, "("), matches(pattern, "a")]).toEqual([
    false,
    false,
    false,
  ]);
});
