import { describe, expect, it } from "vitest";
import { linearRegex } from "../../src/kernel/matching.js";

describe("a linear regular expression", () => {
  it.each([
    ["^hello", "hello world", true],
    ["world$", "hello world", true],
    ["(\\w+,\\s?)+end", "one, two, three, four, five, end", true],
    ["(\\w+,\\s?)+end", "one, two, three, four, five, stop", false],
    ["a.*b.*c", `a${"x".repeat(5_000)}b${"y".repeat(5_000)}c`, true],
    ["a.*b.*c", `a${"x".repeat(5_000)}c${"y".repeat(5_000)}b`, false],
    ["[(+*]+\\)\\+", "++)+ is no quantified group", true],
    ["(?<year>\\d{4})-\\d\\d", "on 2026-01-01", true],
    ["^\\x{e9}\\p{L}\\/$", "éA/", true],
  ])("finds %s in a text exactly when it is there", (pattern, text, found) => {
    expect(linearRegex(pattern).test(text)).toBe(found);
  });

  it("keeps its flags", () => {
    expect(linearRegex("(h+e+)+LLO WORLD!", "i").test("say hello world! and hello world! again")).toBe(true);
    expect(linearRegex("^b$", "m").test("a\nb\nc")).toBe(true);
    expect(linearRegex("^b$", "m").test("a\nbc")).toBe(false);
    expect(linearRegex("^b$").test("a\nb\nc")).toBe(false);
    expect(linearRegex("a.b", "s").test("a\nb")).toBe(true);
    expect(linearRegex("a.b").test("a\nb")).toBe(false);
  });

  it("gives up a text that is too long for it", () => {
    expect(linearRegex("x".repeat(4_000)).test("x".repeat(4_000))).toBe(true);
    const regex = linearRegex("(?:a|b){500}c$");
    expect(regex.test(`${"ab".repeat(250)}c`)).toBe(true);
    expect(regex.test(`${"ab".repeat(1_000_000)}c`)).toBe(false);
  });

  it("runs to the bounds, and no further", () => {
    /** Of so many instructions: one for each letter, one for the beginning and one for the end. */
    const ofSize = (size: number) =>
      `${"a{1000}".repeat(Math.floor(size / 1_000) - 1)}a{998}${"a".repeat(size % 1_000)}`;
    expect(linearRegex(ofSize(20_000)).test("a".repeat(2_500))).toBe(false);
    expect(() => linearRegex(ofSize(20_001))).toThrow("repeats too much");
    const regex = linearRegex(ofSize(5_000));
    expect([4_997, 4_998, 10_000, 10_001].map((length) => regex.test("a".repeat(length)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it.each([
    ["(", /missing closing \)/],
    ["(?=a)b", /\(\?=/],
    ["(?<=a)b", /\(\?<=/],
    ["(a)\\1", /\\1/],
    ["(?<n>a)\\k<n>", /\\k/],
    ["a{1001}", /1001/],
    ["(?:(?:a{1000}){1000}){1000}", /./],
    ["a{1000}".repeat(21), /^repeats too much$/],
    ["x".repeat(4_001), /4000/],
  ])("refuses %.40s, and says why", (pattern, why) => {
    expect(() => linearRegex(pattern)).toThrow(why);
  });
});
