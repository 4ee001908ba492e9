import { expect, test } from "vitest";
import type { Findable } from "../../../dashboard/src/model/query";
import { completionsOf, queryOf } from "../../../dashboard/src/model/query";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const ENTRY: Findable = {
  text: '{"error":"Refused: the window is closed"}',
  thread: "9001",
  status: ["403"],
  operation: "sendMessageToCustomerThread",
  at: NOW - 5 * 60_000,
};
const fits = (search: string) => queryOf(search)(ENTRY, NOW);

test.each([
  "",
  "window CLOSED",
  '"window is"',
  '"error":"Refused: the',
  "status:4xx",
  "status:403 thread:9001",
  "operation:send after:10m",
])("%s finds the call", (search) => expect(fits(search)).toBe(true));
test.each([
  "status:5xx",
  "status:40",
  "thread:900",
  "after:2m",
  "before:10m",
  "after:2026-01-02",
  "after:soon",
  "http://x",
])("%s does not", (search) => expect(fits(search)).toBe(false));

test("the term that is being written is completed, with values that are known", () => {
  const known = { thread: ["9001", "9002"], operation: ["sendMessageToCustomerThread"] };
  const terms = (search: string) => completionsOf(search, known).map(({ term }) => term);
  const all = "status:4xx thread:9001 operation:sendMessageToCustomerThread after:10m before:1h";
  expect(terms("")).toEqual(all.split(" "));
  expect(terms("hat thr")).toEqual(["thread:9001"]);
  expect(terms("thread:")).toEqual(["thread:9001", "thread:9002"]);
  expect(completionsOf("hat thr", known)[0]?.search).toBe("hat thread:9001 ");
});
