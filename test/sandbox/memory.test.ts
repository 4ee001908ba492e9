import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { Heap } from "../../src/sandbox/memory.js";

const MIB = 1024 * 1024;
/** A heap of 4 GiB: how much of it is in use, how much of that is garbage, and how often it was looked at and collected. */
const heap = vi.hoisted(() => ({ used: 0, garbage: 0, looks: 0, collections: 0 }));
let now = 0;

// The mocks hold in modules of this file's own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());
vi.mock("node:v8", () => ({
  setFlagsFromString: () => {},
  getHeapStatistics: () => {
    heap.looks += 1;
    return { heap_size_limit: 4096 * MIB, used_heap_size: heap.used };
  },
}));
vi.mock("node:vm", () => ({
  runInNewContext: () => () => {
    heap.collections += 1;
    heap.used -= heap.garbage;
    heap.garbage = 0;
  },
}));

beforeEach(() => {
  Object.assign(heap, { used: 100 * MIB, garbage: 0, looks: 0, collections: 0 });
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  return () => clock.mockRestore();
});

it("a heap is looked at once a second at most, and refuses while more than 85 % of it are in use", () => {
  const { limit } = new Heap();
  expect(limit / MIB).toBeCloseTo(0.85 * (4096 - 192));
  const one = new Heap();
  heap.looks = 0;
  for (let n = 0; n < 1_000; n += 1) expect(one.refusal).toBeUndefined();
  expect(heap.looks).toBe(1);
  heap.used = limit + MIB;
  expect(one.refusal).toBeUndefined();
  now += 1_000;
  expect(one.refusal).toMatchObject({ key: "limits.overloadError", scope: { retryAfter: 5 } });
  heap.used = limit - MIB;
  now += 4_999;
  expect(one.isFull).toBe(true);
  now += 1;
  expect(one.refusal).toBeUndefined();
  expect(heap.collections).toBe(1);
});

it("a heap that is full of garbage has room", () => {
  const one = new Heap();
  Object.assign(heap, { used: 4000 * MIB, garbage: 3000 * MIB });
  expect([one.refusal, heap.collections]).toEqual([undefined, 1]);
});
