import { expect, it } from "vitest";
import type { Delivery } from "../../src/sandbox/deliveries.js";
import { Log } from "../../src/sandbox/log.js";
import { DELIVERIES, nearestMisses, REQUESTS } from "../../src/sandbox/match.js";
import { call, newJournal } from "./entries.js";

it("near misses begin with the entries to the same method and path, however much else differs", async () => {
  const journal = newJournal();
  call(journal, { method: "POST", path: "/a", body: { a: 9, b: 9, c: 9 } });
  call(journal, { method: "POST", path: "/b", body: { a: 1, b: 2, c: 3 } });
  call(journal, { method: "GET", path: "/a", body: { a: 1, b: 2, c: 3 } });
  const match = { method: "POST", path: "/a", body: { a: 1, b: 2, c: 3 } };
  const misses = await nearestMisses(REQUESTS, journal, match);
  expect(misses.map(({ id }) => id)).toEqual(["r1", "r3", "r2"]);
});

it("near misses are five at most, of equal ones the newest, and never a match", async () => {
  const journal = newJournal();
  for (const path of [...Array(8).fill("/b"), "/a"]) call(journal, { path });
  const misses = await nearestMisses(REQUESTS, journal, { path: "/a" });
  expect(misses.map(({ id }) => id)).toEqual(["r8", "r7", "r6", "r5", "r4"]);
});

it("near misses go by event type and webhook of a delivery", async () => {
  const deliveries = new Log<Delivery>("d", 100);
  deliveries.add({ id: "d1", eventType: "transfer", status: "delivered" } as Delivery);
  deliveries.add({ id: "d2", eventType: "message", status: "failed" } as Delivery);
  const misses = await nearestMisses(DELIVERIES, deliveries, { eventType: "message", status: "delivered" });
  expect(misses.map(({ id }) => id)).toEqual(["d2", "d1"]);
});
