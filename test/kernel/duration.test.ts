import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { durationSchema, durationText, milliseconds } from "../../src/kernel/units.js";

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["90s", 90_000],
    ["5m", 300_000],
    ["24h", 86_400_000],
    ["2d", 172_800_000],
    ["0.125h", 450_000],
    [" 90s ", 90_000],
    ["0.4ms", 0],
    [1_234, 1_234],
  ])("read %j as %i ms", (duration, ms) => {
    expect(milliseconds(duration)).toBe(ms);
  });

  it("refuse other texts", () => {
    const texts = ["", "h", "24", "-1h", "1 h", "1w", "1H", ".5h", "1h30m", "1e3s"];
    expect(texts.filter((text) => !Number.isNaN(milliseconds(text)))).toEqual([]);
    expect(texts.filter((text) => createAjv().validate(durationSchema, text))).toEqual([]);
  });

  it.each([
    [0, "0ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [5_400_000, "90m"],
    [86_400_000, "1d"],
    [90_000_000, "25h"],
  ])("write %i ms as %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it("read what they write", () => {
    fc.assert(fc.property(fc.nat(), (ms) => void expect(milliseconds(durationText(ms))).toBe(ms)));
  });
});
