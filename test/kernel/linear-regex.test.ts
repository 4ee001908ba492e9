import { describe, expect, it } from "vitest";
import { BoundedRegex } from "../../src/kernel/bounded-regex.js";

const bounded = (source: string, flags = "u") => new BoundedRegex(new RegExp(source, flags));

describe("a bounded regular expression", () => {
  it.each([
    ["^hello", "hello world", true],
    ["world$", "hello world", true],
    ["(\\w+,\\s?)+end", "one, two, three, four, five, end", true],
    ["(\\w+,\\s?)+end", "one, two, three, four, five, stop", false],
    ["a.*b.*c", `a${"x".repeat(5_000)}b${"y".repeat(5_000)}c`, true],
    ["a.*b.*c", `a${"x".repeat(5_000)}c${"y".repeat(5_000)}b`, false],
    ["[(+*]+\\)\\+", "++)+ is no quantified group", true],
  ])("finds %s in a text exactly when it is there", (source, text, found) => {
    expect(bounded(source).test(text)).toBe(found);
  });

  it("keeps its flags", () => {
    expect(bounded("(h+e+)+LLO WORLD!", "iu").test("say hello world! and hello world! again")).toBe(true);
  });

  it.each(["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){25}$", "a*a*a*a*a*a*a*a*a*a*a*$"])(
    "gives %s up, and still answers what is short",
    (source) => {
      const regex = bounded(source);
      const evil = `${"a".repeat(2_000)}!`;
      for (let round = 0; round < 50; round += 1) expect(regex.test(evil)).toBe(false);
      expect(regex.test("aaaaa")).toBe(source !== "(.*a){25}$");
    },
  );
});
