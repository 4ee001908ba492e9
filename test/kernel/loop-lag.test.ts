import { syncBuiltinESMExports } from "node:module";
import perfHooks from "node:perf_hooks";
import { afterEach, expect, it, vi } from "vitest";
import { LoopLag } from "../../src/kernel/metrics.js";

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it("tells in seconds how long others had to wait since somebody asked last", () => {
  // Times between two looks of the platform, in nanoseconds, each 10 ms after the last at best.
  let measured = [...Array<number>(60).fill(12e6), ...Array<number>(39).fill(60e6), 310e6];
  const histogram = {
    enable: vi.fn(),
    disable: vi.fn(),
    reset: () => {
      measured = [9e6];
    },
    percentile: (share: number) => measured[Math.ceil((share / 100) * measured.length) - 1],
    get max() {
      return measured.at(-1);
    },
  };
  const monitor = vi.spyOn(perfHooks, "monitorEventLoopDelay").mockReturnValue(histogram as never);
  syncBuiltinESMExports();
  const lag = new LoopLag();
  expect([monitor.mock.calls, histogram.enable.mock.calls.length]).toEqual([[[{ resolution: 10 }]], 1]);
  const figures = Object.values(lag.take()).map((seconds) => seconds.toFixed(6));
  expect(figures).toEqual(["0.002000", "0.050000", "0.300000"]);
  expect(lag.take()).toEqual({ median: 0, p99: 0, max: 0 });
  lag.close();
  expect(histogram.disable).toHaveBeenCalledOnce();
});
