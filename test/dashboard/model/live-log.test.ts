import { expect, test } from "vitest";
import { BoundedMap } from "../../../dashboard/src/lib/bounded-map";
import { LiveLog, MAX_ENTRIES } from "../../../dashboard/src/model/live-log";

const entry = (number: number, text = "") => ({ id: `r${number}`, text });
const entries = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => entry(from + at));

test("a log keeps its newest entries, and nothing of those that are gone", () => {
  const log = new LiveLog<ReturnType<typeof entry>>();
  log.load(entries(1, 10), () => 500);
  expect(log.arrivalOf("r1")).toBeLessThanOrEqual(performance.now() - 500);
  log.put(entries(11, MAX_ENTRIES + 5));
  expect(log.entries).toHaveLength(MAX_ENTRIES);
  expect(log.entries[0]?.id).toBe("r6");
  expect([log.get("r5"), log.arrivalOf("r5")]).toEqual([undefined, undefined]);
  expect(log.get("r6")).toEqual(entry(6));
  log.clear();
  expect([log.entries, log.get("r6"), log.arrivalOf("r6")]).toEqual([[], undefined, undefined]);
});

test("entries stand in the order of their ids, and one that changes takes its own place", () => {
  const log = new LiveLog<ReturnType<typeof entry>>();
  log.put([entry(2), entry(9), entry(10)]);
  const came = log.arrivalOf("r9");
  log.put([entry(3), entry(9, "ended")]);
  expect(log.entries).toEqual([entry(2), entry(3), entry(9, "ended"), entry(10)]);
  expect(log.get("r9")).toEqual(entry(9, "ended"));
  expect(log.arrivalOf("r9")).toBe(came);
});

test("a map of at most 100 entries never holds more, and always the newest", () => {
  const map = new BoundedMap<number>(100);
  for (let at = 0; at < 1_000; at += 1) {
    map.set(`k${at}`, at);
    expect(map.size).toBeLessThanOrEqual(100);
    expect(map.get(`k${Math.max(0, at - 80)}`)).toBe(Math.max(0, at - 80));
  }
});
