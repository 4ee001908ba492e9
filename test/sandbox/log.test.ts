import fc from "fast-check";
import { expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { Log } from "../../src/sandbox/log.js";

interface Entry {
  readonly id: string;
}

const newLog = (limit = 3, changed?: (entry: Entry) => void) => new Log<Entry>("r", limit, changed);
const add = (log: Log<Entry>, bytes = 0): Entry => log.add({ id: log.nextId() }, bytes);
const addMany = (log: Log<Entry>, count: number) => Array.from({ length: count }, () => add(log));
const ids = (log: Log<Entry>, position?: number): string[] => [...log.from(position)].map(({ id }) => id);

it("a log gives a slow reader the entries from its start, without those evicted meanwhile", () => {
  const log = newLog();
  addMany(log, 3);
  const all = log.from();
  expect(all.next().value).toEqual({ id: "r1" });
  addMany(log, 2);
  expect([...all].map(({ id }) => id)).toEqual(["r3"]);
});

it.each(["r0", "r5", "d1", "1", "r", "", "r1.5", "r-1", "r01", "r1e0", "constructor"])(
  "a log has no entry %j",
  (id) => {
    const log = newLog(10);
    addMany(log, 4);
    expect(log.get(id)).toBeUndefined();
  },
);

it("a log counts the entries evicted since a position", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(20), fc.nat(20), (limit, before, after) => {
      const log = newLog(limit);
      addMany(log, before);
      const { mark } = log;
      addMany(log, after);
      expect(log.evictedSince(mark)).toBe(Math.max(0, after - limit));
      expect(log.evictedSince(mark) + ids(log, mark).length).toBe(after);
      expect(log.evictedSince(0)).toBe(Math.max(0, before + after - limit));
    }),
  );
});

it("a log reports no change of cleared or foreign entries", () => {
  const changed: Entry[] = [];
  const log = newLog(2, (entry) => changed.push(entry));
  const cleared = add(log);
  log.clear();
  const [evicted, held] = [add(log), add(log), add(log)] as const;
  changed.length = 0;
  for (const entry of [cleared, evicted, { ...held }, { id: "r9" }]) log.changed(entry, 10);
  expect(changed).toEqual([evicted]);
  log.changed(held, 10);
  expect(changed).toEqual([evicted, held]);
});

const MOST = BOUNDS.logBytes.limit;

it("a log keeps as much as its bounds allow, whatever is added, grows and is cleared", () => {
  const grown = { grows: fc.nat(3), by: fc.nat(MOST / 8) };
  const step = fc.record({ bytes: fc.nat(MOST / 2), ...grown, clears: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), (steps, limit) => {
      const log = newLog(limit);
      const kept: { id: string; bytes: number }[] = [];
      const drop = () => {
        const total = () => kept.reduce((sum, { bytes }) => sum + bytes, 0);
        while (kept.length > 1 && (kept.length > limit || total() > MOST)) kept.shift();
      };
      for (const { bytes, grows, by, clears } of steps) {
        if (clears === 0) {
          log.clear();
          kept.length = 0;
        }
        kept.push({ id: add(log, bytes).id, bytes });
        drop();
        const grown = kept.at(-1 - grows);
        if (grown === undefined) continue;
        log.changed(log.get(grown.id) as Entry, by);
        grown.bytes += by;
        drop();
      }
      expect(ids(log)).toEqual(kept.map(({ id }) => id));
    }),
  );
});
