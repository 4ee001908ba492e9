import { expect, it, vi } from "vitest";
import { lazy } from "../../src/kernel/lazy.js";

it("loads once, for callers that come together and later", async () => {
  const load = vi.fn(async () => ({}));
  const get = lazy(load);
  expect(load).not.toHaveBeenCalled();
  const [first, second] = await Promise.all([get(), get()]);
  expect(second).toBe(first);
  expect(await get()).toBe(first);
  expect(load).toHaveBeenCalledTimes(1);
});

it("tries again after a load that failed", async () => {
  const load = vi.fn(async () => "loaded").mockRejectedValueOnce(new Error("no descriptor left"));
  const get = lazy(load);
  await expect(get()).rejects.toThrow("no descriptor left");
  expect(await get()).toBe("loaded");
});
