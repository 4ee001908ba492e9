import { expect, it } from "vitest";
import { missesText, patternText, valueText } from "../../src/client/misses.js";
import type { DeliveryRecord, NearMiss, RequestRecord } from "../../src/client/types.js";
import { OPERATOR_NAMES } from "../../src/kernel/matching.js";

const entry = { method: "POST", path: "/graphql", status: null } as RequestRecord;
const delivery = {
  eventType: "message",
  hookId: "crm",
  url: "sink:demo",
  status: "failed",
} as DeliveryRecord;

it("near misses in words show every difference, each expectation above what was seen", () => {
  const text = { path: "body.text", expected: "Hi", seen: undefined };
  const misses: NearMiss[] = [
    { id: "r7", entry, differences: [{ path: "status", expected: 200, seen: null }, text] },
    { id: "d1", entry: delivery, differences: [{ path: "", expected: { $absent: true }, seen: {} }] },
  ];
  expect(missesText(misses).split("\n")).toEqual([
    "  Nearest:",
    "  r7  POST /graphql → no response",
    "      status     expected 200",
    "                 seen     null",
    '      body.text  expected "Hi"',
    "                 seen     nothing",
    "  d1  message to crm (sink:demo), failed",
    "      (all of it)  expected nothing",
    "                   seen     {}",
  ]);
  expect(missesText([])).toBe("");
});

it.each([
  [{ $regex: "(?i)^a" }, "text that matches /(?i)^a/"],
  [{ $contains: "a" }, 'text that contains "a"'],
  [{ $any: "string" }, "any string"],
  [{ $gt: 1, $lt: 5 }, "more than 1 and less than 5"],
  [{ $absent: true }, "nothing"],
  [{ $absent: false }, "anything"],
  [{ $oneOf: ["9001", 9001] }, '"9001" or 9001'],
  [{ $not: { $contains: "a" } }, 'not text that contains "a"'],
  [{ a: 1 }, '{"a":1}'],
  [{}, "{}"],
  [[{ $gt: 1 }], '[{"$gt":1}]'],
  [null, "null"],
])("near misses in words describe %j as: %s", (pattern, words) => {
  expect(patternText(pattern)).toBe(words);
});

it("near misses in words describe every operator", () => {
  for (const name of OPERATOR_NAMES)
    expect(patternText({ [name]: name === "$oneOf" ? [1] : 1 })).not.toContain("$");
});

it("near misses in words truncate long values", () => {
  expect(valueText("x".repeat(500))).toBe(`"${"x".repeat(199)}…`);
});
