import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { durationSchema, durationText, milliseconds, sizeText } from "../../src/kernel/units.js";

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

  it("are at most a thousand years, wherever they are", () => {
    const fits = (duration: string | number) => createAjv().validate(durationSchema, duration);
    expect(["365000d", "8760000h", 31_536_000_000_000].map(fits)).toEqual([true, true, true]);
    expect(["365001d", "8760001h", 31_536_000_000_001].map(fits)).toEqual([false, false, false]);
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

describe("sizes", () => {
  it.each([
    [0, "0 KiB"],
    [512, "0.5 KiB"],
    [1_048_575, "1024 KiB"],
    [1_048_576, "1 MiB"],
    [1_073_741_823, "1024 MiB"],
    [1_073_741_824, "1 GiB"],
    [2_254_857_830, "2.1 GiB"],
  ])("write %i bytes as %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});
