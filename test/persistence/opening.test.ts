/** How saved sandboxes are opened, with a store that the test controls. */
import { expect, it, onTestFinished } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { SILENT } from "../../src/kernel/errors.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import { PersistenceUnavailableError } from "../../src/sandbox/saver.js";
import { Ownership, type OwnershipContext } from "../../src/storage/ownership.js";
import type { ValkeyStore } from "../../src/storage/valkey-store.js";

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
  // Nothing else of them is used.
  const leases: Pick<ValkeyStore, "acquire" | "release"> = {
    acquire: async () => "held",
    release: async () => {},
  };
  const opening = new Ownership(leases as ValkeyStore, context as unknown as OwnershipContext);
  onTestFinished(() => opening.end());
  const kept = (id: string) => [{ id }, { run: { state: {} } }];
  return { opening, reading, opened, kept };
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
