import { expect, it, vi } from "vitest";
import { contain } from "../../src/kernel/contain.js";

const broken = new Error("broken");

it("reports what work throws at once, and goes on", () => {
  const report = vi.fn();
  contain(report, () => {
    throw broken;
  });
  expect(report.mock.calls).toEqual([[broken]]);
});

it("reports what work rejects with later, once", async () => {
  const report = vi.fn();
  contain(report, () => Promise.reject(broken));
  expect(report).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(report.mock.calls).toEqual([[broken]]));
});

it.each([undefined, 5, Promise.resolve(5)])("reports nothing of work that returns %s", async (result) => {
  const report = vi.fn();
  const work = vi.fn(() => result);
  contain(report, work);
  await result;
  expect(work).toHaveBeenCalledOnce();
  expect(report).not.toHaveBeenCalled();
});
