import { describe, expect } from "vitest";
import { createTest, test } from "../../src/test-runners/vitest.js";

/** Resolves when `count` have arrived: it can only do so when they run at the same time. */
function meetingOf(count: number): () => Promise<void> {
  let arrived = 0;
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    arrived += 1;
    if (arrived === count) open();
    return all;
  };
}

const realistic = createTest({ behaviour: "realistic", clock: "2026-01-01T09:00:00Z" });
const guarded = createTest({ simulator: { controlToken: "secret" } });

describe("test", () => {
  const meet = meetingOf(2);
  const ids = new Set<string>();
  const urls = new Set<string>();

  for (const name of ["one", "other"]) {
    test(`gives each its own world, at the same time as others: ${name}`, async ({ sandbox, sim }) => {
      ids.add(sandbox.id);
      urls.add(sim.url);
      await sandbox.customerSays("9001", `From ${name}`);
      await meet();
      expect(ids.size).toBe(2);
      expect(urls.size).toBe(1);
      expect(await sandbox.deliveries()).toHaveLength(1);
    });
  }

  test.sequential("deletes the sandboxes of tests that are over", async ({ sandbox, sim }) => {
    const left = (await sim.sandboxes()).map(({ id }) => id);
    expect(left).toEqual(["default", sandbox.id]);
    expect(ids.has(sandbox.id)).toBe(false);
  });

  const extended = test.extend("token", ({ sandbox }) => sandbox.token("acme-token"));
  const meetAgain = meetingOf(2);
  extended.for(["a", "b"])("stays so when it is extended: %s", async (_name, { token, sandbox, task }) => {
    expect(token).toBe(`${sandbox.id}.acme-token`);
    expect(task.concurrent).toBe(true);
    await meetAgain();
  });
});

describe("createTest", () => {
  realistic("starts sandboxes as its options say", async ({ sandbox }) => {
    await sandbox.customerSays("9001", "Hello");
    await sandbox.advance("25h");
    expect(await sandbox.data("threads").get("9001")).toMatchObject({ isMessagingWindowOpen: false });
  });

  guarded("starts a simulator of its own", async ({ sandbox, server }) => {
    expect(server.controlToken).toBe("secret");
    expect((await fetch(`${server.url}/__sim/state`)).status).toBe(401);
    await sandbox.reset();
  });
});
