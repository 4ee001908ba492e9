import { describe, expect, it } from "vitest";
import { atOnce, inSlices } from "../../src/kernel/slices.js";
import { DELIVERIES, REQUESTS } from "../../src/sandbox/kinds.js";
import { nearestMisses } from "../../src/sandbox/misses.js";
import { verify } from "../../src/sandbox/verify.js";
import { call, deliver, newDeliveries, newJournal, waitedOn } from "./entries.js";

const MANY = Number.POSITIVE_INFINITY;

function journalOf(paths: readonly string[], limit?: number) {
  const journal = newJournal(limit);
  for (const path of paths) call(journal, { path });
  return journal;
}

const verdict = (journal: ReturnType<typeof newJournal>, min: number, max: number) => {
  const { ok, count, evicted } = atOnce(verify(REQUESTS, journal, { path: "/a" }, { min, max }));
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
    const misses = atOnce(
      nearestMisses(REQUESTS, journal, {
        method: "POST",
        path: "/a",
        body: { a: 1, b: 2, c: 3 },
      }),
    );
    expect(misses.map(({ id }) => id)).toEqual(["r1", "r3", "r2"]);
  });

  it("are five at most, of equal ones the newest, and never a match", () => {
    const journal = journalOf([...Array(8).fill("/b"), "/a"]);
    const misses = atOnce(nearestMisses(REQUESTS, journal, { path: "/a" }));
    expect(misses.map(({ id }) => id)).toEqual(["r8", "r7", "r6", "r5", "r4"]);
  });

  it("go by event type and webhook of a delivery", () => {
    const deliveries = newDeliveries();
    deliver(deliveries, { eventType: "transfer", status: "delivered" });
    deliver(deliveries, { eventType: "message", status: "failed" });
    const misses = atOnce(
      nearestMisses(DELIVERIES, deliveries, { eventType: "message", status: "delivered" }),
    );
    expect(misses.map(({ id }) => id)).toEqual(["d2", "d1"]);
  });
});

describe("over large bodies", () => {
  /** The turns of the event loop that others get until `work` is over. */
  async function turnsDuring<T>(work: Promise<T>): Promise<{ turns: number; result: T }> {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const result = await work;
    isOver = true;
    return { turns, result };
  }

  const large = () => {
    const sandbox = waitedOn(1_000);
    const text = "x".repeat(100_000);
    for (let n = 0; n < 400; n += 1) {
      const entry = call(sandbox.journal, { path: "/a" });
      entry.receive({ text: JSON.stringify({ text, n }) });
      // From here on the body is parsed for whoever looks at it.
      entry.settle();
    }
    return sandbox;
  };
  const match = { path: "/a", body: { n: { $lt: 300 } } };

  it("lets others run, and says the same", async () => {
    const { journal } = large();
    const verified = await turnsDuring(inSlices(verify(REQUESTS, journal, match, { min: 300, max: 300 })));
    expect(verified.result).toMatchObject({ ok: true, count: 300 });
    expect(verified.turns).toBeGreaterThan(3);
    const missed = await turnsDuring(inSlices(nearestMisses(REQUESTS, journal, match)));
    expect(missed.result.map(({ id }) => id)).toEqual(["r400", "r399", "r398", "r397", "r396"]);
    expect(missed.turns).toBeGreaterThan(3);
  });

  it("so does a wait, which is not over before it has looked at all", async () => {
    const { journal, waiters } = large();
    const wait = waiters.requests(match, 301, 0);
    expect(wait.open).toBe(true);
    const more = waiters.requests(match, 1, 10_000);
    call(journal, { path: "/a", body: { n: 1 } });
    const { turns, result } = await turnsDuring(Promise.all([wait.ended, more.ended]));
    expect(result).toEqual(["met", "met"]);
    expect([wait.matches().length, more.matches().length]).toEqual([301, 301]);
    expect(turns).toBeGreaterThan(3);
    const late = waiters.requests(match, 302, 0);
    expect(await late.ended).toBe("timeout");
    expect(late.matches()).toHaveLength(301);
  });
});
