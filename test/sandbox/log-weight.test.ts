import { expect, it } from "vitest";
import type { Logged } from "../../src/sandbox/log.js";
import { Log } from "../../src/sandbox/log.js";

const MEBIBYTE = 1024 * 1024;

it("lets the oldest entries go when the bodies of a log become too large together", () => {
  const log = new Log<Logged>("r", 10_000);
  for (let n = 0; n < 200; n += 1) log.weigh(log.add({ id: log.nextId() }), MEBIBYTE);
  expect(log.size).toBe(128);
  expect(log.evictedSince(0)).toBe(72);
  expect(log.get("r72")).toBeUndefined();
  expect(log.get("r73")?.bytes).toBe(MEBIBYTE);
});

it("keeps the newest entry, however large, and forgets weights with the entries", () => {
  const log = new Log<Logged>("r", 10);
  log.weigh(log.add({ id: log.nextId() }), 500 * MEBIBYTE);
  expect(log.size).toBe(1);
  log.clear();
  for (let n = 0; n < 3; n += 1) log.weigh(log.add({ id: log.nextId() }), MEBIBYTE);
  expect(log.size).toBe(3);
});
