import { describe, expect, it } from "vitest";
import { monotonicNow, sleep } from "../../src/kernel/realtime.js";

describe("sleep", () => {
  it("resolves after the time", async () => {
    const before = monotonicNow();
    await sleep(20);
    expect(monotonicNow() - before).toBeGreaterThanOrEqual(19);
  });

  it("rejects as soon as its signal is aborted", async () => {
    const controller = new AbortController();
    const sleeping = sleep(600_000, controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ name: "AbortError" });
    await expect(sleep(600_000, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
  });
});
