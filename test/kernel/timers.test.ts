import { afterEach, expect, it, vi } from "vitest";
import * as namespace from "../../src/kernel/timers.js";

/** The exports, by name. */
const timers = { ...namespace };

afterEach(() => void vi.useRealTimers());

const FAKED = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate"] as const;
const ALSO_FAKED = ["clearImmediate", "queueMicrotask", "Date", "performance"] as const;

it("are the platform's, even if they are loaded while fake timers are installed", async () => {
  const names = [...FAKED, ...ALSO_FAKED];
  vi.useFakeTimers({ toFake: names, now: 0 });
  const again = "../../src/kernel/timers.js?again";
  const late: typeof timers = await import(again);
  for (const name of names) {
    expect(late[name], name).toBe(timers[name]);
    expect(late[name], name).not.toBe(globalThis[name]);
  }
  expect(new late.Date().getFullYear()).toBeGreaterThan(2000);
  await new Promise((resolve) => late.setImmediate(resolve));
  await new Promise((resolve) => late.nextTick(resolve));
});
