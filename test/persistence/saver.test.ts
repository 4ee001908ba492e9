/** When documents are written, with a store that the test controls. */
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Sandbox } from "../../src/sandbox/sandbox.js";
import { PersistenceUnavailableError } from "../../src/sandbox/saver.js";
import { DocumentSaver, type SaverContext } from "../../src/storage/document-saver.js";

// These tests decide when a timer is due, in modules of their own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

/** More than the time for which changes are gathered, and before the next attempt after a failure, ms. */
const GATHERED = 35;
const RETRIED = 260;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(durability: "batched" | "strict") {
  const written: (string | undefined)[] = [];
  const ends: { succeed: () => void; fail: (reason: Error) => void }[] = [];
  const context: SaverContext = {
    isStrict: durability === "strict",
    write: (_id, saved) => {
      const { text } = (saved ?? {}) as { readonly text?: string };
      written.push(text);
      return new Promise((done, fail) => ends.push({ succeed: () => done(text?.length ?? 0), fail }));
    },
    check: () => {
      if (saver.failure !== undefined) throw new PersistenceUnavailableError(saver.failure);
    },
    written: () => {},
    failed: () => {},
    lost: () => {},
  };
  const sandbox = { text: "" };
  // Nothing else of the sandbox is used.
  const saver = new DocumentSaver("s", sandbox as unknown as Sandbox, context);
  const change = (text: string) => {
    sandbox.text = text;
    saver.changed();
  };
  /** Ends a write. */
  const succeed = async (write: number) => {
    ends[write]?.succeed();
    await vi.advanceTimersByTimeAsync(0);
  };
  const fail = async (write: number) => {
    ends[write]?.fail(new Error("the disk is full"));
    await vi.advanceTimersByTimeAsync(0);
  };
  /** What becomes of an answer to a call that has changed something. */
  const answerTo = (text: string) => {
    const before = saver.changes;
    change(text);
    const answer = { state: "waits" };
    const settled = saver.settled(before);
    if (settled === undefined) answer.state = "at once";
    else
      settled.then(
        () => Object.assign(answer, { state: "saved" }),
        () => Object.assign(answer, { state: "refused" }),
      );
    return answer;
  };
  return { written, ends, change, succeed, fail, saver, answerTo };
}

it("batched collects changes for a while, and answers at once", async () => {
  const { written, change, succeed, saver, answerTo } = setUp("batched");
  change("1");
  await vi.advanceTimersByTimeAsync(20);
  expect(answerTo("2").state).toBe("at once");
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(GATHERED - 20);
  expect(written).toEqual(["2"]);
  // One write at a time: what changes meanwhile is in the next one.
  change("3");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(written).toEqual(["2"]);
  await succeed(0);
  await vi.advanceTimersByTimeAsync(GATHERED);
  expect(written).toEqual(["2", "3"]);
  await succeed(1);
  expect(saver.isSaved).toBe(true);
});

it("strict answers once the write with the change has ended, and answers that come together share it", async () => {
  const { written, succeed, answerTo, saver } = setUp("strict");
  const first = [answerTo("1"), answerTo("2")];
  await vi.advanceTimersByTimeAsync(0);
  expect(written).toEqual(["2"]);
  const later = [answerTo("3"), answerTo("4")];
  await vi.advanceTimersByTimeAsync(1_000);
  expect([...first, ...later].map(({ state }) => state)).toEqual(["waits", "waits", "waits", "waits"]);
  await succeed(0);
  expect([...first, ...later].map(({ state }) => state)).toEqual(["saved", "saved", "waits", "waits"]);
  // Those who were answered together are waited for.
  await vi.advanceTimersByTimeAsync(490);
  expect(written).toEqual(["2"]);
  await vi.advanceTimersByTimeAsync(20);
  expect(written).toEqual(["2", "4"]);
  await succeed(1);
  expect(later.map(({ state }) => state)).toEqual(["saved", "saved"]);
  expect(saver.settled()).toBeUndefined();
});

it.each(["batched", "strict"] as const)(
  "a failed write is tried again after a while: %s",
  async (durability) => {
    const { written, change, succeed, fail, saver } = setUp(durability);
    change("1");
    await vi.advanceTimersByTimeAsync(GATHERED);
    change("2");
    await fail(0);
    expect(() => saver.check()).toThrow(PersistenceUnavailableError);
    await vi.advanceTimersByTimeAsync(GATHERED);
    expect(written).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(RETRIED);
    expect(written).toEqual(["1", "2"]);
    await succeed(1);
    expect(() => saver.check()).not.toThrow();
    expect(saver.isSaved).toBe(true);
  },
);

it.each(["batched", "strict"] as const)(
  "a change right before a failure is not acknowledged: %s",
  async (durability) => {
    const { change, fail, answerTo, saver } = setUp(durability);
    change("1");
    await vi.advanceTimersByTimeAsync(GATHERED);
    const waiting = durability === "strict" ? answerTo("2") : undefined;
    await fail(0);
    if (waiting !== undefined) expect(waiting.state).toBe("refused");
    const late = answerTo("3");
    await vi.advanceTimersByTimeAsync(0);
    expect(late.state).toBe("refused");
    // A call that changed nothing is answered.
    expect(saver.settled()).toBeUndefined();
  },
);

it("a document above 5 MB is written for at most a tenth of the time", async () => {
  const { written, change, succeed } = setUp("batched");
  change("x".repeat(6 * 1024 * 1024));
  await vi.advanceTimersByTimeAsync(GATHERED);
  await vi.advanceTimersByTimeAsync(200);
  await succeed(0);
  change("after");
  await vi.advanceTimersByTimeAsync(1_700);
  expect(written).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(written).toHaveLength(2);
});

it("all changes before it are saved by a flush, which waits for no later ones", async () => {
  const { written, change, succeed, saver } = setUp("strict");
  change("1");
  await vi.advanceTimersByTimeAsync(0);
  change("2");
  let isDone = false;
  void saver.flush().then(() => {
    isDone = true;
  });
  await succeed(0);
  expect([written, isDone]).toEqual([["1", "2"], false]);
  change("3");
  await succeed(1);
  expect(isDone).toBe(true);
});

it("a sandbox that is deleted loses its document, and a later one with its id gets a new one", async () => {
  const { written, change, succeed, saver } = setUp("strict");
  change("1");
  await vi.advanceTimersByTimeAsync(0);
  await succeed(0);
  saver.removed();
  await vi.advanceTimersByTimeAsync(0);
  saver.sandbox = { text: "new" } as unknown as Sandbox;
  saver.changed();
  await succeed(1);
  await succeed(2);
  expect(written).toEqual(["1", undefined, "new"]);
  expect(saver.isOver).toBe(false);
  saver.removed();
  await vi.advanceTimersByTimeAsync(0);
  await succeed(3);
  // A late change does not bring anything back.
  saver.changed();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([written.length, saver.isOver]).toEqual([4, true]);
});
