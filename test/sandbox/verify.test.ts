import { describe, expect, it } from "vitest";
import { DELIVERIES, nearestMisses, REQUESTS, verify } from "../../src/sandbox/match.js";
import { call, deliver, newDeliveries, newJournal } from "./entries.js";

const MANY = Number.POSITIVE_INFINITY;

function journalOf(paths: readonly string[], limit?: number) {
  const journal = newJournal(limit);
  for (const path of paths) call(journal, { path });
  return journal;
}

const verdict = (journal: ReturnType<typeof newJournal>, min: number, max: number) => {
  const { ok, count, evicted } = verify(REQUESTS, journal, { path: "/a" }, { min, max });
  return { ok, count, evicted };
};

describe("verifying", () => {
  it("is ok with evicted entries where what is left is enough and more does no harm", () => {
    expect(verdict(journalOf(["/a", "/a", "/a", "/b"], 2), 1, MANY)).toEqual({
      ok: true,
      count: 1,
      evicted: 0,
    });
  });
});

describe("near misses", () => {
  it("begin with the entries to the same method and path, however much else differs", () => {
    const journal = newJournal();
    call(journal, { method: "POST", path: "/a", body: { a: 9, b: 9, c: 9 } });
    call(journal, { method: "POST", path: "/b", body: { a: 1, b: 2, c: 3 } });
    call(journal, { method: "GET", path: "/a", body: { a: 1, b: 2, c: 3 } });
    const misses = nearestMisses(REQUESTS, journal, {
      method: "POST",
      path: "/a",
      body: { a: 1, b: 2, c: 3 },
    });
    expect(misses.map(({ id }) => id)).toEqual(["r1", "r3", "r2"]);
  });

  it("are five at most, of equal ones the newest, and never a match", () => {
    const journal = journalOf([...Array(8).fill("/b"), "/a"]);
    const misses = nearestMisses(REQUESTS, journal, { path: "/a" });
    expect(misses.map(({ id }) => id)).toEqual(["r8", "r7", "r6", "r5", "r4"]);
  });

  it("go by event type and webhook of a delivery", () => {
    const deliveries = newDeliveries();
    deliver(deliveries, { eventType: "transfer", status: "delivered" });
    deliver(deliveries, { eventType: "message", status: "failed" });
    const misses = nearestMisses(DELIVERIES, deliveries, { eventType: "message", status: "delivered" });
    expect(misses.map(({ id }) => id)).toEqual(["d2", "d1"]);
  });
});
