import { getEventListeners } from "node:events";
import { expect, it, vi } from "vitest";
import { onAbort } from "../../src/kernel/abort.js";

it("calls when the signal is aborted, once", () => {
  const controller = new AbortController();
  const listener = vi.fn();
  onAbort(controller.signal, listener);
  expect(listener).not.toHaveBeenCalled();
  controller.abort();
  controller.signal.dispatchEvent(new Event("abort"));
  expect(listener).toHaveBeenCalledOnce();
});

it("calls at once where the signal is aborted already", () => {
  const listener = vi.fn();
  const cancel = onAbort(AbortSignal.abort(), listener);
  expect(listener).toHaveBeenCalledOnce();
  cancel();
  expect(listener).toHaveBeenCalledOnce();
});

it("calls no more once it is cancelled, and others as before", () => {
  const controller = new AbortController();
  const [left, stayed] = [vi.fn(), vi.fn()];
  const cancel = onAbort(controller.signal, left);
  onAbort(controller.signal, stayed);
  cancel();
  cancel();
  controller.abort();
  expect([left.mock.calls.length, stayed.mock.calls.length]).toEqual([0, 1]);
});

it("takes very many listeners with one of the platform's", () => {
  const { signal } = new AbortController();
  for (let index = 0; index < 100; index += 1) onAbort(signal, () => {});
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
});
