import { expect, it } from "vitest";
import { shortTime } from "../../../dashboard/src/lib/format.js";

const NOW = Date.parse("2026-01-01T12:00:00Z");

it.each([
  ["2026-01-01T09:05:00Z", "09:05"],
  ["2026-11-17T09:05:00Z", "17 Nov"],
  ["2025-12-31T23:59:00Z", "Dec 2025"],
  ["2027-01-01T12:00:00Z", "Jan 2027"],
])("shortens %s to %s", (at, text) => {
  expect(shortTime(Date.parse(at), NOW)).toBe(text);
});
