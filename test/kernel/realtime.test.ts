import { once } from "node:events";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  atTurnEnd,
  elapsedSince,
  instantOf,
  inTime,
  isoOf,
  later,
  monotonicNow,
  nextTurn,
  onAbort,
  sleep,
  soon,
  wallNow,
  within,
} from "../../src/kernel/realtime.js";

// These tests decide when a timer is due, in modules of their own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

it("sleep rejects as soon as its signal is aborted", async () => {
  const controller = new AbortController();
  const sleeping = sleep(600_000, controller.signal);
  controller.abort();
  await expect(sleeping).rejects.toMatchObject({ name: "AbortError" });
  await expect(sleep(600_000, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
});

describe("a timer", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 50_000 }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    [20, 20],
    [0, 0],
    [-5, 0],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 40, 2 ** 31 - 1],
    [Number.POSITIVE_INFINITY, 2 ** 31 - 1],
  ])("of %s ms runs once after %s", (ms, after) => {
    const seen: number[] = [];
    later(ms, () => seen.push(wallNow()));
    if (after > 0) vi.advanceTimersByTime(after - 1);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(after > 0 ? 1 : 0);
    expect(seen).toEqual([50_000 + after]);
    vi.advanceTimersByTime(1_000);
    expect(seen).toHaveLength(1);
  });

  it("does not run after it is cancelled", () => {
    const seen: number[] = [];
    later(20, () => seen.push(1)).cancel();
    vi.advanceTimersByTime(1_000);
    expect([seen, vi.getTimerCount()]).toEqual([[], 0]);
  });
});

it.each([
  [undefined, true],
  [{}, true],
  [{ background: true }, false],
])("a timer with %j keeps the process alive: %s", (options, alive) => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const timer = later(60_000, () => {}, options);
  try {
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([alive]);
  } finally {
    timer.cancel();
    timers.mockRestore();
  }
});

it("atTurnEnd runs callbacks once, in order, and before soon", async () => {
  const seen: string[] = [];
  soon(() => seen.push("soon"));
  const next = nextTurn().then(() => seen.push("next turn"));
  atTurnEnd(() => {
    seen.push("first");
    atTurnEnd(() => seen.push("of the next end"));
  });
  atTurnEnd(() => seen.push("second"));
  await Promise.resolve().then(() => seen.push("at once"));
  await next;
  await nextTurn();
  expect(seen).toEqual(["at once", "first", "second", "soon", "of the next end", "next turn"]);
});

it("an error at the end of a turn is thrown without delaying other callbacks", async () => {
  const seen: unknown[] = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  const thrown = once(process, "uncaughtException");
  try {
    atTurnEnd(() => {
      throw new Error("failed");
    });
    atTurnEnd(() => seen.push("second"));
    await new Promise<void>(soon);
    expect(seen).toEqual(["second"]);
    await expect(thrown).resolves.toMatchObject([{ message: "failed" }, "uncaughtException"]);
  } finally {
    for (const listener of listeners) process.on("uncaughtException", listener);
  }
});

describe("waiting for work", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const done = (ms: number, end: "resolves" | "rejects") =>
    new Promise<string>((resolve, reject) => {
      later(ms, () => (end === "resolves" ? resolve("done") : reject(new Error("failed"))));
    });

  it.each([
    [9, "resolves", true, "done"],
    [9, "rejects", true, new Error("failed")],
    [11, "resolves", false, new Error("too late")],
    [11, "rejects", false, new Error("too late")],
  ] as const)("that after %i ms %s: it ends within 10 ms (%s), with %s", async (ms, end, isOver, result) => {
    const over = vi.fn();
    within(10, done(ms, end)).then(over);
    await vi.advanceTimersByTimeAsync(8);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(over.mock.calls).toEqual([[isOver]]);
    expect(vi.getTimerCount()).toBe(isOver ? 0 : 1);
    const outcome = inTime(10, done(ms, end), "too late").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(ms + 1);
    expect(await outcome).toEqual(result);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("counts input as in time that arrived while the process was busy", async () => {
    const read = new Promise((resolve) => later(10, () => soon(() => resolve("read"))));
    const outcome = inTime(10, read, "too late");
    await vi.advanceTimersByTimeAsync(20);
    expect(await outcome).toBe("read");
  });

  it("measures its duration by monotonic time, rounded", () => {
    const started = monotonicNow();
    vi.advanceTimersByTime(1_234);
    expect([elapsedSince(started, 0), elapsedSince(monotonicNow() - 12.3456, 2)]).toEqual([1_234, 12.35]);
    expect(elapsedSince(monotonicNow() - 12.3456, 0)).toBe(12);
  });
});

describe("an instant", () => {
  it.each<[unknown, number]>([
    [0, 0],
    [1_767_258_000_999, 1_767_258_000_999],
    [-1, -1],
    ["2026-01-01", 1_767_225_600_000],
    ["2026-01-01T09:00:00Z", 1_767_258_000_000],
    ["2026-01-01T09:00:00.5+01:00", 1_767_254_400_500],
    ["2026-01-01T09:00:00.123456789Z", 1_767_258_000_123],
    ["2026-01-01T09:00", 1_767_258_000_000],
    ["2026-01-01T00:00-23:59", 1_767_311_940_000],
    ["2024-02-29", 1_709_164_800_000],
    ["2000-02-29T00:00:00Z", 951_782_400_000],
  ])("can be written as %j", (value, ms) => {
    expect(instantOf(value)).toBe(ms);
  });

  it.each<[string, ...values: unknown[]]>([
    ["a number that is no instant", 1.5, 2 ** 60, Number.NaN],
    ["no text", null, undefined, {}, ["2026-01-01"]],
    ["no date", "", "now", "2026", "x2026-01-01", "26-01-01", "2026-01-01T"],
    ["no such month or day", "2026-13-01", "2026-02-30", "2026-02-29T09:00:00Z", "2026-01-00", "1900-02-29"],
    ["no such time", "2026-01-01T24:00:00Z", "2026-06-30T23:59:60Z"],
    ["digits that are missing", "2026-01-1", "2026-1-01", "2026-01-01T9:00Z", "2026-01-01T09:00:00.Z"],
    ["a year of six digits", "+002026-01-01T09:00:00Z"],
    ["other letters", "2026-01-01t09:00:00Z", "2026-01-01 09:00:00Z", "2026-01-01T09:00:00z"],
    ["no such zone", "2026-01-01T09:00:00+24:00", "2026-01-01T09:00:00+0100"],
    ["a date with text behind it", "2026-01-01T09:00:00Z (here)", "2026-01-01T09:00:00Z\n"],
  ])("cannot be written as %s: %j", (_, ...values) => {
    expect(values.map(instantOf)).toEqual(values.map(() => Number.NaN));
  });

  it("is formatted in ISO 8601", () => {
    expect(isoOf(1_767_258_000_999)).toBe("2026-01-01T09:00:00.999Z");
  });
});

it.each([[[]], [[0]], [[1]], [[3]], [[0, 1]], [[3, 0, 2]], [[1, 1]], [[0, 1, 2, 3]]])(
  "an aborted signal calls its listeners once each, without %j, which were forgotten",
  (forgotten) => {
    const controller = new AbortController();
    const called: number[] = [];
    const forget = [0, 1, 2, 3].map((id) => onAbort(controller.signal, () => called.push(id)));
    for (const id of forgotten) forget[id]!();
    controller.abort();
    for (const each of forget) each();
    expect(called.sort()).toEqual([0, 1, 2, 3].filter((id) => !forgotten.includes(id)));
  },
);

it("a listener that another one forgets while the signal is aborted is not called", () => {
  const controller = new AbortController();
  const called: string[] = [];
  const forget = ["first", "second"].map((name, index) =>
    onAbort(controller.signal, () => {
      called.push(name);
      forget[1 - index]!();
    }),
  );
  controller.abort();
  expect(called).toHaveLength(1);
});
