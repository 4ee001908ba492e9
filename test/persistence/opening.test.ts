/** How saved sandboxes are opened, with a store that the test controls. */
import { afterAll, expect, it, onTestFinished, vi } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { SILENT } from "../../src/kernel/errors.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../../src/sandbox/saver.js";
import { Ownership, type OwnershipContext } from "../../src/storage/ownership.js";
import type { ValkeyStore } from "../../src/storage/valkey-store.js";

// One test decides when a timer is due, in modules of its own.
vi.hoisted(() => vi.resetModules());
vi.mock("../../src/kernel/timers.js", () => globalThis);
afterAll(() => void vi.resetModules());

const AT_ONCE = BOUNDS.sandboxOpenings.limit;

function setUp() {
  const reading: { readonly id: string; succeed: (kept: object) => void; fail: (reason: Error) => void }[] =
    [];
  const opened: string[] = [];
  const context = {
    persistence: {
      onLost: () => {},
      loadOne: (id: string) => new Promise((succeed, fail) => reading.push({ id, succeed, fail })),
    },
    registry: {
      each: () => {},
      heap: { isFull: false },
      size: 0,
      create: ({ id }: { id: string }) => opened.push(id),
    },
    logger: SILENT,
  };
  const leases: Pick<ValkeyStore, "acquire" | "release" | "ask" | "onAsked"> = {
    acquire: async () => "held",
    release: async () => {},
    ask: async () => {},
    onAsked: () => {},
  };
  // Nothing else of them is used.
  const opening = new Ownership(leases as ValkeyStore, context as unknown as OwnershipContext);
  onTestFinished(() => opening.close(0));
  const kept = (id: string) => [{ id }, { run: { state: {} } }];
  return { opening, leases, reading, opened, kept };
}

it("few are read at once, and the others follow in order, even after a damaged one", async () => {
  const { opening, reading, opened, kept } = setUp();
  const ids = Array.from({ length: AT_ONCE + 3 }, (_, index) => `s${index}`);
  const calls = ids.map((id) => opening.opened(id)?.catch((error: unknown) => error));
  await nextTurn();
  expect(reading.map(({ id }) => id)).toEqual(ids.slice(0, AT_ONCE));
  reading[1]?.succeed(kept("s1"));
  reading[0]?.fail(new Error("it is damaged"));
  await nextTurn();
  expect(reading.map(({ id }) => id)).toEqual(ids.slice(0, AT_ONCE + 2));
  for (const { id, succeed } of reading) succeed(kept(id));
  await nextTurn();
  reading.at(-1)?.succeed(kept(String(ids.at(-1))));
  expect(await calls[0]).toBeInstanceOf(PersistenceUnavailableError);
  expect(await Promise.all(calls.slice(1))).toEqual(ids.slice(1).map(() => undefined));
  expect(opened.sort()).toEqual(ids.slice(1));
});

it("a repeated call waits for the other process, however long ago the first one was", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { opening, leases, reading, opened, kept } = setUp();
  leases.acquire = async () => ({ holder: "another" });
  await expect(opening.opened("a")).rejects.toThrow(LeaseHeldElsewhereError);
  await vi.advanceTimersByTimeAsync(9_900);
  const second = opening.opened("a");
  await vi.advanceTimersByTimeAsync(500);
  leases.acquire = async () => "held";
  await vi.advanceTimersByTimeAsync(1_000);
  reading[0]?.succeed(kept("a"));
  await second;
  expect(opened).toEqual(["a"]);
});
