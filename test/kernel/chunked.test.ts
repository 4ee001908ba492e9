import { expect, it, vi } from "vitest";
import type { Chunked } from "../../src/kernel/realtime.js";
import { chunked, nextTurn } from "../../src/kernel/realtime.js";

/** Blocks for about this long in each step. */
function* work(steps: number, stepMs: number): Chunked<string> {
  for (let step = 0; step < steps; step += 1) {
    const end = performance.now() + stepMs;
    while (performance.now() < end);
    yield;
  }
  return `${steps} steps`;
}

it("splits long work into chunks, and lets others run in between", async () => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  expect(await chunked(work(320, 0.5))).toBe("320 steps");
  isOver = true;
  // 160 ms of work in chunks of 8 ms.
  expect(turns).toBeGreaterThan(10);
});

it("runs short work synchronously", async () => {
  const turned = vi.fn();
  const turn = nextTurn().then(turned);
  expect(await chunked(work(3, 0))).toBe("3 steps");
  expect(turned).not.toHaveBeenCalled();
  await turn;
});

it("rejects when the signal is aborted or the work throws", async () => {
  const controller = new AbortController();
  const unwanted = chunked(work(5_000_000, 0), controller.signal);
  controller.abort();
  await expect(unwanted).rejects.toThrow("This operation was aborted");
  // biome-ignore lint/correctness/useYield: it fails before it could.
  function* failing(): Chunked<void> {
    throw new Error("no");
  }
  await expect(chunked(failing())).rejects.toThrow("no");
});
