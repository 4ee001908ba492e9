/** When the changes of a sandbox are written, with a store whose writing takes as long as the test says. */
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
  return { entries, ends, change, log, writer, store };
}

const sandboxOf = (id: string) => ({ id, run: { parts: {} } }) as Sandbox;
vi.mock("../../src/storage/capture.js", () => ({ capture: () => function* () {} }));

it("changes are gathered for a while", async () => {
  const { entries, change } = setUp("batched");
  change("1");
  await vi.advanceTimersByTimeAsync(30);
  change("2");
  expect(entries).toEqual([]);
  await vi.advanceTimersByTimeAsync(GATHERED - 30);
  expect(entries).toEqual(['[["messages","1",{"id":"1"}],["messages","2",{"id":"2"}]]']);
});

it("changes that were gathered during a writing that took long are written right after it", async () => {
  const { entries, ends, change, log } = setUp("batched");
  change("1");
  await vi.advanceTimersByTimeAsync(GATHERED);
  change("2");
  await vi.advanceTimersByTimeAsync(GATHERED);
  expect(entries).toHaveLength(1);
  ends[0]?.succeed();
  await vi.advanceTimersByTimeAsync(0);
  expect(entries).toEqual(['[["messages","1",{"id":"1"}]]', '[["messages","2",{"id":"2"}]]']);
  ends[1]?.succeed();
  await vi.advanceTimersByTimeAsync(0);
  expect(log.isEmpty).toBe(true);
});
