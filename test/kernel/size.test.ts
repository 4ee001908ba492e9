import fc from "fast-check";
import { expect, it } from "vitest";
import { bytesOfSize, SIZE, sizeText } from "../../src/kernel/size.js";

it.each([
  ["1MiB", 1_048_576],
  ["512MiB", 536_870_912],
  ["2GiB", 2_147_483_648],
  ["999999MiB", 1_048_574_951_424],
])("reads %s as %i bytes", (text, bytes) => {
  expect(bytesOfSize(text)).toBe(bytes);
  expect(new RegExp(SIZE.pattern).test(text)).toBe(true);
});

it.each([
  "",
  "0MiB",
  "01MiB",
  "1",
  "MiB",
  "1 MiB",
  "1.5GiB",
  "-1MiB",
  "1KiB",
  "1mib",
  "1MiBs",
  " 1MiB",
  "1000000MiB",
])("reads %j as no size", (text) => {
  expect(bytesOfSize(text)).toBeNaN();
  expect(new RegExp(SIZE.pattern).test(text)).toBe(false);
});

it.each([
  [0, "0 KiB"],
  [512, "0.5 KiB"],
  [1_024, "1 KiB"],
  [1_048_575, "1024 KiB"],
  [1_048_576, "1 MiB"],
  [1_572_864, "1.5 MiB"],
  [1_073_741_823, "1024 MiB"],
  [1_073_741_824, "1 GiB"],
  [2_254_857_830, "2.1 GiB"],
])("writes %i bytes as %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it("reads what it writes of whole sizes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_023 }), fc.constantFrom("MiB", "GiB"), (count, unit) => {
      expect(sizeText(bytesOfSize(`${count}${unit}`))).toBe(`${count} ${unit}`);
    }),
  );
});

it("is described for people as what it reads", () => {
  const named = SIZE["x-form"].match(/\d+[A-Za-z]+/g) ?? [];
  expect(SIZE["x-form"]).toMatch(/^a size such as /);
  expect(named.map(bytesOfSize)).toEqual([536_870_912, 2_147_483_648]);
});
