import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Log } from "../../src/sandbox/log.js";

interface Entry {
  readonly id: string;
}

const add = (log: Log<Entry>): Entry => log.add({ id: log.nextId() });
const ids = (log: Log<Entry>, position?: number): string[] => [...log.from(position)].map(({ id }) => id);

describe("a log", () => {
  it("gives ids that count up, and finds entries by them", () => {
    const log = new Log<Entry>("r", 3);
    const entries = [add(log), add(log), add(log), add(log)];
    expect(entries.map(({ id }) => id)).toEqual(["r1", "r2", "r3", "r4"]);
    expect(ids(log)).toEqual(["r2", "r3", "r4"]);
    expect(log.get("r1")).toBeUndefined();
    expect(log.get("r4")).toBe(entries[3]);
    expect(log.size).toBe(3);
    expect(log.mark).toBe(4);
  });

  it.each(["r0", "r5", "d1", "1", "r", "", "r1.5", "r-1", "r01", "r1e0", "constructor"])(
    "has no entry %j",
    (id) => {
      const log = new Log<Entry>("r", 10);
      for (let i = 0; i < 4; i += 1) add(log);
      expect(log.get(id)).toBeUndefined();
    },
  );

  it("tells how many entries whoever looks from a position can no longer see", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(20), fc.nat(20), (limit, before, after) => {
        const log = new Log<Entry>("r", limit);
        for (let i = 0; i < before; i += 1) add(log);
        const { mark } = log;
        for (let i = 0; i < after; i += 1) add(log);
        expect(log.evictedSince(mark)).toBe(Math.max(0, after - limit));
        expect(log.evictedSince(mark) + ids(log, mark).length).toBe(after);
        expect(log.evictedSince(0)).toBe(Math.max(0, before + after - limit));
      }),
    );
  });

  it("does not count as evicted what was cleared on purpose", () => {
    const log = new Log<Entry>("r", 2);
    for (let i = 0; i < 3; i += 1) add(log);
    log.clear();
    expect(ids(log)).toEqual([]);
    expect(log.evictedSince(0)).toBe(0);
    expect(add(log).id).toBe("r4");
    add(log);
    add(log);
    expect(log.evictedSince(0)).toBe(1);
  });

  it("tells its listeners of new and changed entries, and no longer of those that are gone", () => {
    const log = new Log<Entry>("r", 2);
    const heard: string[] = [];
    const first = add(log);
    const stop = log.listen(({ id }) => void heard.push(id));
    const second = add(log);
    log.changed(first);
    add(log);
    log.changed(first);
    log.changed(second);
    expect(heard).toEqual(["r2", "r1", "r3", "r2"]);
    stop();
    log.changed(second);
    add(log);
    expect(heard).toHaveLength(4);
  });

  it("does not take an entry of before a reset for the one that has its id now", () => {
    const log = new Log<Entry>("r", 2);
    const old = add(log);
    const heard: Entry[] = [];
    log.listen((entry) => void heard.push(entry));
    log.reset();
    const fresh = add(log);
    log.changed(old);
    expect(fresh.id).toBe("r1");
    expect(heard).toEqual([fresh]);
    expect(heard[0]).toBe(fresh);
  });

  it("hands over what it evicts", () => {
    const evicted: string[] = [];
    const log = new Log<Entry>("d", 1, ({ id }) => void evicted.push(id));
    for (let i = 0; i < 3; i += 1) add(log);
    log.clear();
    expect(evicted).toEqual(["d1", "d2"]);
  });

  it("lets a listener stop while it is being told", () => {
    const log = new Log<Entry>("r", 2);
    const heard: string[] = [];
    const stop = log.listen(({ id }) => {
      heard.push(`one ${id}`);
      stop();
    });
    log.listen(({ id }) => void heard.push(`two ${id}`));
    add(log);
    add(log);
    expect(heard).toEqual(["one r1", "two r1", "two r2"]);
  });
});
