import { describe, expect, it } from "vitest";
import { CostlyMatch, linearRegex, MatchBudget } from "../../src/kernel/linear-regex.js";
import { Random } from "../../src/kernel/random.js";

describe("a linear regular expression", () => {
  it.each<[pattern: string, text: string, found: boolean, flags?: string]>([
    ["(\\w+,\\s?)+end", "one, two, three, four, five, end", true],
    ["(\\w+,\\s?)+end", "one, two, three, four, five, stop", false],
    ["a.*b.*c", `a${"x".repeat(5_000)}b${"y".repeat(5_000)}c`, true],
    ["a.*b.*c", `a${"x".repeat(5_000)}c${"y".repeat(5_000)}b`, false],
    ["(?<year>\\d{4})-\\d\\d$", "on 2026-01", true],
    ["^\\x{e9}\\p{L}\\/$", "éA/", true],
    ["(h+e+)+LLO WORLD!", "say hello world! and hello world! again", true, "i"],
    ["^b$", "a\nb\nc", true, "m"],
    ["^b$", "a\nbc", false, "m"],
    ["^b$", "a\nb\nc", false],
    ["a.b", "a\nb", true, "s"],
    ["a.b", "a\nb", false],
  ])("matches %s where it occurs", (pattern, text, found, flags = "") => {
    expect(linearRegex(pattern, flags)(text)).toBe(found);
  });

  const random = new Random(1);
  const LETTERS = Array.from({ length: 20_000 }, () => (random.fraction() < 0.5 ? "a" : "b")).join("");

  it.each([
    ["an expression of many states", "^(a?b?){990}$", `${"ab".repeat(1_200)}!`],
    ["states that differ at each character", "a[ab]{100}$", `${LETTERS}c`],
    ["a literal that is nearly there everywhere", `${"a".repeat(1_999)}b`, "a".repeat(1_000_000)],
  ])("gives up if matching takes too long: %s", (_, pattern, text) => {
    const regex = linearRegex(pattern);
    for (let time = 0; time < 2; time += 1) expect(() => regex(text)).toThrow(CostlyMatch);
  });

  it("spends little on each of many texts", () => {
    const words = linearRegex("hello|good (morning|evening)", "i");
    const length = linearRegex("^[\\s\\S]{1,1000}$");
    const budget = new MatchBudget();
    for (let at = 0; at < 10_000; at += 1) {
      const text = `We are happy to talk to you about order ${at}: it has left our house this morning`;
      expect([words(text, budget), length(text, budget)]).toEqual([false, true]);
    }
  });

  it.each([
    ["(?m)(?i)(a", /missing closing \): `\(\?m\)\(\?i\)\(a`$/],
    ["(?=a)b", /\(\?=/],
    ["(a)\\1", /\\1/],
    ["a{1001}", /1001/],
    ["(?:(?:a{1000}){1000}){1000}", /./],
    ["a{1000}".repeat(21), /^repeats too much$/],
    [`(?:${"ab?".repeat(300)}){1000}`, /^repeats too much$/],
    ["((?:a{30}){3}|b){10}".repeat(2), /^repeats too much$/],
    ["(?i)[a-\\x{FFFFF}]".repeat(7), /^repeats too much$/],
    ["\\pL".repeat(700), /^repeats too much$/],
    ["x".repeat(4_001), /4000/],
  ])("refuses %.40s with a reason", (pattern, why) => {
    expect(() => linearRegex(pattern, "i")).toThrow(why);
  });
});
