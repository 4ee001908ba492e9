import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../../src/sandbox/deliveries.js";
import type { FaultInput } from "../../src/sandbox/faults.js";
import { FAULT_PRESET_NAMES, FAULT_PRESETS, Faults } from "../../src/sandbox/faults.js";
import type { JournalEntry } from "../../src/sandbox/journal.js";
import { complete, newJournal, receive } from "./entries.js";

function call(): JournalEntry {
  const journal = newJournal();
  const entry = receive(journal, { path: "/api/update-thread-status" });
  entry.operation = "updateThreadStatus";
  return complete(journal, entry, { customerThreadId: "9001", status: "replied" });
}

const delivery = (over: Partial<Delivery> = {}) =>
  ({
    eventType: "message",
    webhookId: "1",
    hookId: "crm",
    threadId: "9001",
    status: "pending",
    causedBy: "r1",
    body: { eventType: "message", data: { messageBody: "Hello" } },
    attempts: [] as const,
    ...over,
  }) as Delivery;

/** Faults of calls with these rules, counted from f1. */
function faultsOf(...rules: Partial<FaultInput>[]): Faults {
  const faults = new Faults(1, () => true);
  for (const rule of rules) faults.add({ on: "request", then: { status: 503 }, ...rule });
  return faults;
}

describe("a fault", () => {
  it("fires `times` times in total, whatever its probability", () => {
    const faults = faultsOf({ probability: 0.3, times: 5 });
    const picked = Array.from({ length: 2_000 }, () => faults.pick("request", call()));
    expect(picked.filter((fault) => fault !== undefined)).toHaveLength(5);
  });

  it("with a probability fires on the same deliveries, in any order and whatever else is drawn", () => {
    const cases = ["1", "2"].flatMap((webhookId) =>
      Array.from({ length: 50 }, (_, at) => delivery({ webhookId, causedBy: `r${at}` })),
    );
    const fired = (calls: number, subjects: readonly Delivery[]) => {
      const faults = faultsOf(
        { on: "delivery", probability: 0.5, then: { delayMs: { min: 0, max: 99 } } },
        { probability: 0.5 },
      );
      for (let at = 0; at < calls; at += 1) faults.pick("request", call());
      const found = new Map(subjects.map((subject) => [subject, faults.pick("delivery", subject)]));
      return cases.map((subject) => found.get(subject)?.delayMs ?? null);
    };
    const first = fired(0, cases);
    expect(first.filter((delay) => delay === null).length).toBeGreaterThan(30);
    expect(new Set(first).size).toBeGreaterThan(30);
    expect(fired(10, cases.toReversed())).toEqual(first);
  });

  it("has a fixed delay, or one drawn from its range", () => {
    const faults = faultsOf({ times: 1, then: { delayMs: 40 } }, { then: { delayMs: { min: 10, max: 12 } } });
    expect(faults.pick("request", call())).toEqual({ rule: "f1", delayMs: 40 });
    const delays = Array.from({ length: 100 }, () => faults.pick("request", call())?.delayMs);
    expect([...new Set(delays)].sort()).toEqual([10, 11, 12]);
  });

  it("does not change with the object that it was made from", () => {
    const input = { match: { method: "POST" }, then: { headers: { a: "1" } } };
    const faults = faultsOf(input);
    input.match.method = "GET";
    input.then.headers.a = "2";
    expect(faults.pick("request", call())).toMatchObject({ headers: { a: "1" } });
  });

  it.each([
    ["request", { method: "GET" }, false],
    ["request", { path: "/api/*" }, true],
    ["request", { operation: "updateThreadStatus", token: "acme-token" }, true],
    ["request", { body: { status: "replied" } }, true],
    ["request", {}, true],
    ["delivery", { webhookId: "1" }, true],
    ["delivery", { webhookId: "crm" }, true],
    ["delivery", { webhookId: "2" }, false],
    ["delivery", { hookId: "crm" }, true],
    ["delivery", { hookId: "1" }, false],
    ["delivery", { threadId: "9001", status: "pending" }, true],
    ["delivery", { causedBy: { $regex: "^r" } }, true],
    ["delivery", { body: { data: { messageBody: { $regex: "^Hell" } } } }, true],
  ] as const)("for a %s with %j hits: %s", (on, match, hits) => {
    const faults = faultsOf({ on, match, then: "unavailable" });
    const picked = on === "request" ? faults.pick(on, call()) : faults.pick(on, delivery());
    expect(picked !== undefined).toBe(hits);
    expect(faults.get("f1")).toMatchObject({ seen: hits ? 1 : 0, fired: hits ? 1 : 0 });
  });

  it("for deliveries ignores calls, and vice versa", () => {
    const faults = faultsOf({ on: "delivery" });
    expect(faults.pick("request", call())).toBeUndefined();
    expect(faults.get("f1")).toMatchObject({ seen: 0 });
    expect(faultsOf({}).pick("delivery", delivery())).toBeUndefined();
  });
});

describe("several faults", () => {
  it("fire as a simple count for each of them predicts", () => {
    const rule = fc.record({
      after: fc.nat(3),
      every: fc.integer({ min: 1, max: 4 }),
      times: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), (rules) => {
        const faults = faultsOf(...rules);
        const fired = rules.map(() => 0);
        for (let seen = 1; seen <= 20; seen += 1) {
          const expected = rules.findIndex(
            ({ after, every, times }, index) =>
              seen > after && (seen - after - 1) % every === 0 && fired[index]! < times,
          );
          if (expected >= 0) fired[expected] = fired[expected]! + 1;
          expect(faults.pick("request", call())?.rule).toBe(expected < 0 ? undefined : `f${expected + 1}`);
        }
        expect(faults.list().map((listed) => [listed.seen, listed.fired])).toEqual(
          fired.map((times) => [20, times]),
        );
      }),
    );
  });
});

describe("presets", () => {
  it("are those of the contract", () => {
    const names = "rate-limited unavailable slow hang-up token-expired bad-signature stale-signature";
    expect(FAULT_PRESET_NAMES).toEqual(names.split(" "));
  });

  it("take two to five seconds where they are slow", () => {
    expect(FAULT_PRESETS.slow.then).toEqual({ delayMs: { min: 2_000, max: 5_000 } });
  });
});
