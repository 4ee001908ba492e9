/** When the changes of a sandbox are written, with a store that the test controls. */
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { SILENT } from "../../src/kernel/errors.js";
import { PersistenceUnavailableError } from "../../src/sandbox/durable.js";
import type { Sandbox } from "../../src/sandbox/sandbox.js";
import type { Durability, Store } from "../../src/storage/port.js";
import { SandboxLog } from "../../src/storage/sandbox-log.js";
import { Writer } from "../../src/storage/writer.js";

// These tests decide when a timer is due, in modules of their own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

/** More than the time for which changes are gathered, ms. */
const GATHERED = 45;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(durability: Durability) {
  const entries: string[] = [];
  const ends: { succeed: () => void; fail: (reason: Error) => void }[] = [];
  const store: Partial<Store> = {
    location: "a store",
    logBytes: 1e6,
    rotate: () => {},
    append: (_id, entry) => {
      entries.push(entry);
      return new Promise((succeed, fail) => ends.push({ succeed, fail }));
    },
    sizeOf: () => ({ log: 0, base: 0 }),
    prove: () => undefined,
  };
  // The values are known: nothing else of the sandbox is asked.
  const writer = new Writer(store as Store, durability, SILENT);
  const log = new SandboxLog(sandboxOf("s"), writer);
  // Its log has begun.
  log.written(true);
  const change = (key: string) => log.changed("messages", key, { id: key });
  /** Ends a write. */
  const succeed = async (write: number) => {
    ends[write]?.succeed();
    await vi.advanceTimersByTimeAsync(0);
  };
  const fail = (write: number) => ends[write]?.fail(new Error("the disk is full"));
  return { entries, ends, change, succeed, fail, log, writer, store };
}

const sandboxOf = (id: string) => ({ id, run: { parts: {} } }) as Sandbox;
vi.mock("../../src/storage/capture.js", () => ({ capture: () => function* () {} }));

it("changes are collected for a while, and those during a slow write are written right after it", async () => {
  const { entries, change, succeed, log } = setUp("batched");
  change("1");
  await vi.advanceTimersByTimeAsync(30);
  change("2");
  expect(entries).toEqual([]);
  await vi.advanceTimersByTimeAsync(GATHERED - 30);
  change("3");
  await vi.advanceTimersByTimeAsync(GATHERED);
  expect(entries).toEqual(['[["messages","1",{"id":"1"}],["messages","2",{"id":"2"}]]']);
  await succeed(0);
  expect(entries.slice(1)).toEqual(['[["messages","3",{"id":"3"}]]']);
  await succeed(1);
  expect(log.isEmpty).toBe(true);
});

it("a failed write is retried after a while, not at once, and changes are refused until all are written", async () => {
  const { entries, change, succeed, fail, writer } = setUp("batched");
  change("1");
  await vi.advanceTimersByTimeAsync(GATHERED);
  change("2");
  await vi.advanceTimersByTimeAsync(GATHERED);
  fail(0);
  await vi.advanceTimersByTimeAsync(GATHERED);
  expect(entries).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(250);
  expect(entries).toEqual(Array(2).fill('[["messages","1",{"id":"1"}]]'));
  await succeed(1);
  expect(() => writer.check()).toThrow(PersistenceUnavailableError);
  await vi.advanceTimersByTimeAsync(250);
  await succeed(2);
  expect(() => writer.check()).not.toThrow();
});

it("a change right before a failure is not acknowledged", async () => {
  const { change, fail, log } = setUp("batched");
  change("1");
  await vi.advanceTimersByTimeAsync(GATHERED);
  const before = log.changes;
  change("2");
  fail(0);
  await vi.advanceTimersByTimeAsync(0);
  await expect(log.settled(before)).rejects.toThrow();
  expect(log.settled(log.changes)).toBeUndefined();
});

it("answers wait for the first entry of a log and for a document, which may take long, and for nothing else", async () => {
  const { ends, change, succeed, log } = setUp("batched");
  const outcome = (): Promise<string> => {
    const before = log.changes;
    change(`${before}`);
    const settled = log.settled(before);
    return settled === undefined ? Promise.resolve("at once") : settled.then(() => "written");
  };
  log.isSlow = true;
  let first = "waits";
  void outcome().then((text) => {
    first = text;
  });
  await vi.advanceTimersByTimeAsync(1);
  expect([first, ends.length]).toEqual(["waits", 1]);
  await succeed(0);
  expect([first, await outcome()]).toEqual(["written", "at once"]);
  await vi.advanceTimersByTimeAsync(GATHERED);
  await succeed(1);
  log.isSlow = true;
  const next = outcome();
  await vi.advanceTimersByTimeAsync(GATHERED);
  await succeed(2);
  expect(await next).toBe("written");
});

it("a sandbox is written after the earlier one with its id is deleted, even if that fails first", async () => {
  const { writer, store, entries } = setUp("strict");
  const done: string[] = [];
  let isFull = true;
  store.compact = async () => void done.push("compact");
  store.remove = async () => {
    done.push("remove");
    if (isFull) throw new Error("the disk is full");
  };
  const first = writer.logOf(sandboxOf("a"));
  first.replaced();
  await vi.advanceTimersByTimeAsync(0);
  first.removed();
  const second = writer.logOf(sandboxOf("a"));
  second.replaced();
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toEqual(["compact", "remove"]);
  isFull = false;
  await vi.advanceTimersByTimeAsync(300);
  expect(done).toEqual(["compact", "remove", "remove", "compact"]);
  // A late change does not belong to the new one.
  first.changed("messages", "1", {});
  await vi.advanceTimersByTimeAsync(GATHERED);
  expect([done.length, entries]).toEqual([4, []]);
});

it("a checkpoint waits for its sandboxes only, not for busy others", async () => {
  const { writer, store, entries } = setUp("strict");
  store.compact = async () => {};
  const [idle, busy] = [sandboxOf("idle"), sandboxOf("busy")];
  const logs = [writer.logOf(idle), writer.logOf(busy)];
  store.append = async (id, entry) => {
    entries.push(entry);
    await Promise.resolve();
    if (id === "busy") logs[1]?.changed("messages", "2", {});
  };
  for (const log of logs) log.changed("messages", "1", {});
  let isDone = false;
  void writer.checkpoint([idle, busy]).then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(GATHERED);
  expect([isDone, entries.length > 2]).toEqual([true, true]);
});

it("a failed write is retried on close, and then reported", async () => {
  const { writer, store } = setUp("batched");
  let isFull = true;
  store.append = async () => {
    if (isFull) throw new Error("the disk is full");
  };
  const sandbox = sandboxOf("a");
  const log = writer.logOf(sandbox);
  log.changed("messages", "1", {});
  await vi.advanceTimersByTimeAsync(GATHERED);
  await writer.close();
  expect(writer.isSaved).toBe(false);
  isFull = false;
  await writer.close();
  expect(writer.isSaved).toBe(true);
  isFull = true;
  log.changed("messages", "2", {});
  await writer.close();
  writer.lose(sandbox);
  expect(writer.isSaved).toBe(false);
});
