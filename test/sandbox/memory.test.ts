import fc from "fast-check";
import { expect, it } from "vitest";
import type { Logged } from "../../src/sandbox/log.js";
import { Log } from "../../src/sandbox/log.js";
import { MemoryBudget } from "../../src/sandbox/memory.js";
import { Sinks } from "../../src/sandbox/sinks.js";

const MEBIBYTE = 1024 * 1024;

const logOn = (budget: MemoryBudget, limit = 10_000) => {
  const lease = budget.lease();
  const log = new Log<Logged>("r", limit, lease);
  const add = (count: number, bytes = MEBIBYTE) => {
    for (let n = 0; n < count; n += 1) log.add({ id: log.nextId() }, bytes);
  };
  return { lease, log, add };
};

it("a memory budget evicts the oldest entries once all together cost too much, and says how many", () => {
  const budget = new MemoryBudget(128 * MEBIBYTE);
  const { log, add } = logOn(budget);
  add(200);
  expect(budget.used).toBeLessThanOrEqual(budget.limit);
  expect(log.size).toBeGreaterThan(118);
  expect(log.evictedSince(0)).toBe(200 - log.size);
  expect(log.get("r200")).toBeDefined();
  expect(log.get(`r${200 - log.size}`)).toBeUndefined();
});

it("a memory budget evicts from the largest logs, and leaves small ones alone", () => {
  const budget = new MemoryBudget(100 * MEBIBYTE);
  const small = logOn(budget);
  small.add(10);
  const [large, other] = [logOn(budget), logOn(budget)];
  large.add(60);
  other.add(100);
  expect(small.log.evictedSince(0)).toBe(0);
  expect(Math.abs(large.log.size - other.log.size)).toBeLessThan(10);
  expect(large.log.size + other.log.size).toBeGreaterThan(78);
});

it("a memory budget evicts from one of many equal logs, not from all of them", () => {
  const budget = new MemoryBudget(100 * MEBIBYTE);
  const logs = Array.from({ length: 150 }, () => logOn(budget));
  for (const { add } of logs) add(1);
  expect(logs.filter(({ log }) => log.size === 1).length).toBeGreaterThan(90);
  expect(logs.at(-1)?.log.size).toBe(1);
});

it("a memory budget keeps the newest entry, however large, and evicts it with the next", () => {
  const budget = new MemoryBudget(100 * MEBIBYTE);
  const { log, add } = logOn(budget);
  add(10);
  add(1, 500 * MEBIBYTE);
  expect([log.size, log.get("r11")?.id]).toEqual([1, "r11"]);
  add(1);
  expect([log.size, log.get("r12")?.id]).toEqual([1, "r12"]);
  expect(budget.used).toBeLessThan(2 * MEBIBYTE);
});

it("a memory budget gets back the bytes of cleared and evicted entries, of forgotten sinks and of ended runs", () => {
  const budget = new MemoryBudget(1000 * MEBIBYTE);
  const { lease, log, add } = logOn(budget, 10);
  add(20);
  expect(Math.round(budget.used / MEBIBYTE)).toBe(10);
  log.clear();
  expect(budget.used).toBe(0);
  add(5);
  const sinks = new Sinks(10, lease);
  const text = "x".repeat(MEBIBYTE);
  const call = { at: 0, method: "POST", path: "/", headers: {}, text, isJson: false };
  for (let n = 0; n < 12; n += 1) sinks.receive("a", call);
  expect(Math.round(budget.used / MEBIBYTE)).toBe(25);
  for (let n = 0; n < 1_000; n += 1) sinks.set(`s${n}`, {});
  expect(Math.round(budget.used / MEBIBYTE)).toBe(5);
  lease.close();
  expect(budget.used).toBe(0);
  add(5);
  sinks.receive("a", call);
  expect(budget.used).toBe(0);
});

it("a memory budget never keeps more than its limit, and always the newest entry", () => {
  const adds = fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 0, max: 9_000 })), { maxLength: 200 });
  fc.assert(
    fc.property(adds, (steps) => {
      const budget = new MemoryBudget(10_000);
      const logs = Array.from({ length: 5 }, () => logOn(budget));
      for (const [at, bytes] of steps) {
        const { log, add } = logs[at]!;
        add(1, bytes);
        expect(budget.used).toBeLessThanOrEqual(10_000);
        expect(log.get(`r${log.mark}`)).toBeDefined();
      }
    }),
  );
});
