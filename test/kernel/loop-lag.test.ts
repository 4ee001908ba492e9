import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, expect, it, vi } from "vitest";
import { LoopLag } from "../../src/kernel/loop-lag.js";

/** What the platform measured, in nanoseconds: times between two of its looks, each 10 ms after the last at best. */
const measured = vi.hoisted(() => ({ values: [] as number[], isOn: false }));
vi.mock("node:perf_hooks", () => ({
  monitorEventLoopDelay: vi.fn(() => ({
    enable: () => {
      measured.isOn = true;
    },
    disable: () => {
      measured.isOn = false;
    },
    reset: () => {
      measured.values = [];
    },
    percentile: (share: number) =>
      measured.values[Math.ceil((share / 100) * measured.values.length) - 1] ?? 0,
    get max() {
      return measured.values.at(-1) ?? 0;
    },
  })),
}));
afterAll(() => void vi.restoreAllMocks());

it("tells in seconds how long others had to wait since somebody asked last", () => {
  const lag = new LoopLag();
  expect(measured.isOn).toBe(true);
  expect(vi.mocked(monitorEventLoopDelay).mock.calls).toEqual([[{ resolution: 10 }]]);
  measured.values = [...Array<number>(60).fill(12e6), ...Array<number>(39).fill(60e6), 310e6];
  const { median, p99, max } = lag.take();
  expect([median, p99, max].map((seconds) => seconds.toFixed(6))).toEqual([
    "0.002000",
    "0.050000",
    "0.300000",
  ]);
  measured.values.push(9e6);
  expect(lag.take()).toEqual({ median: 0, p99: 0, max: 0 });
  lag.close();
  expect(measured.isOn).toBe(false);
});
