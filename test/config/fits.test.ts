import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainlyFits } from "../../src/config/fits.js";
import type { Option } from "../../src/config/option.js";
import { OPTION_NAMES, SERVE_OPTIONS } from "../../src/config/options.js";
import { createAjv } from "../../src/kernel/ajv.js";

const word = fc.constantFrom(
  "",
  "a",
  "a b",
  "info",
  "json",
  "127.0.0.1",
  "a=b",
  "*",
  "é",
  "2026-01-01T00:00:00Z",
);
const scalar = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string());
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(word, scalar, { maxKeys: 2 }),
);

describe("what plainly fits", () => {
  test.each(OPTION_NAMES)("the schema of %s fits it for ajv too", (name) => {
    const { schema }: Option = SERVE_OPTIONS[name];
    const validate = createAjv().compile(schema);
    fc.assert(fc.property(value, (any) => !plainlyFits(schema, any) || validate(any)));
  });

  test.each([
    ["port", 4020],
    ["host", "sim"],
    ["seed", "monday"],
    ["seed", 7],
    ["strict", true],
    ["log-level", "debug"],
    ["allow-host", ["a", "b"]],
    ["rewrite-host", ["a=b"]],
    ["control-token", "off"],
  ] as const)("a usual %s does", (name, usual) => {
    expect(plainlyFits(SERVE_OPTIONS[name].schema, usual)).toBe(true);
  });

  test("is nothing that a keyword unknown here could refuse", () => {
    expect(plainlyFits({ type: "string", format: "date-time" }, "2026-01-01T00:00:00Z")).toBe(false);
    expect(plainlyFits({ type: "array", items: { type: "string" }, maxItems: 1 }, ["a"])).toBe(false);
  });
});
