import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { linearRegex } from "../../src/kernel/linear-regex.js";

describe("a linear regular expression", () => {
  it.each<[pattern: string, text: string, found: boolean]>([
    ["(\\w+,\\s?)+end", "one, two, three, four, five, end", true],
    ["(\\w+,\\s?)+end", "one, two, three, four, five, stop", false],
    ["a.*b.*c", `a${"x".repeat(5_000)}b${"y".repeat(5_000)}c`, true],
    ["a.*b.*c", `a${"x".repeat(5_000)}c${"y".repeat(5_000)}b`, false],
    ["(?<year>\\d{4})-\\d\\d$", "on 2026-01", true],
    ["^\\x{e9}\\p{L}\\/$", "éA/", true],
    ["(?i)(h+e+)+LLO WORLD!", "say hello world! and hello world! again", true],
    ["(?m)^b$", "a\nb\nc", true],
    ["(?m)^b$", "a\nbc", false],
    ["^b$", "a\nb\nc", false],
    ["(?s)a.b", "a\nb", true],
    ["a.b", "a\nb", false],
  ])("matches %s where it occurs", (pattern, text, found) => {
    expect(linearRegex(pattern)(text)).toBe(found);
  });

  it("takes linear time where RegExp takes exponential time", () => {
    expect(linearRegex("(a+)+$")(`${"a".repeat(60_000)}!`)).toBe(false);
  });

  it("matches no text beyond the bound", () => {
    const { limit } = BOUNDS.regexTextCharacters;
    const regex = linearRegex("^a+$");
    expect([regex("a".repeat(limit)), regex("a".repeat(limit + 1))]).toEqual([true, false]);
  });

  it("matches no text that would take it long, the shorter the longer it is itself", () => {
    const regex = linearRegex(`^${"a?".repeat(400)}b*$`);
    const longest = Math.floor(BOUNDS.regexSteps.limit / 804);

    expect([regex("b".repeat(longest)), regex("b".repeat(longest + 1))]).toEqual([true, false]);
  });

  it.each([
    ["(?m)(?i)(a", /missing closing \): `\(\?m\)\(\?i\)\(a`$/],
    ["(?=a)b", /\(\?=/],
    ["(a)\\1", /\\1/],
    ["(?:(?:a{1000}){1000}){1000}", /./],
    ["a{995}", /^has more than 1000 characters, with repetitions written out$/],
    [`(?:${"ab?".repeat(300)}){1000}`, /^has more than 1000 characters, with repetitions written out$/],
    ["((?:a{30}){3}|b){10}".repeat(2), /^has more than 1000 characters, with repetitions written out$/],
    ["x".repeat(1_001), /1000/],
  ])("refuses %.40s with a reason", (pattern, why) => {
    expect(() => linearRegex(pattern)).toThrow(why);
  });
});
