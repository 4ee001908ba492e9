import { afterEach, beforeEach, describe, expect } from "vitest";
import { createTest, test } from "../../src/adapters/vitest.js";

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
    test.concurrent(`gives each its own world, at the same time as others: ${name}`, async ({
      sandbox,
      sim,
    }) => {
      ids.add(sandbox.id);
      urls.add(sim.url);
      await sandbox.customerSays("9001", `From ${name}`);
      await meet();
      expect(ids.size).toBe(2);
      expect(urls.size).toBe(1);
      expect(await sandbox.deliveries()).toHaveLength(1);
    });
  }

  test("deletes the sandboxes of tests that are over", async ({ sandbox, sim }) => {
    const left = (await sim.sandboxes()).map(({ id }) => id);
    expect(left).toEqual(["default", sandbox.id]);
    expect(ids.has(sandbox.id)).toBe(false);
  });

  const extended = test.extend("token", ({ sandbox }) => sandbox.token("acme-token"));
  extended.for(["a", "b"])("has its fixtures when it is extended: %s", async (_name, { token, sandbox }) => {
    expect(token).toBe(`${sandbox.id}.acme-token`);
  });
});

describe("tests of a file run one after the other", () => {
  let running = 0;
  let begun = 0;
  beforeEach(() => {
    begun += 1;
    running += 1;
  });
  afterEach(() => {
    running -= 1;
  });

  for (const [index, name] of ["one", "two", "three"].entries()) {
    test(`with counters, snapshots and counted assertions as in vitest: ${name}`, async ({
      sandbox,
      task,
    }) => {
      expect.assertions(4);
      expect(task.concurrent).not.toBe(true);
      await sandbox.customerSays("9001", name);
      expect([running, begun]).toEqual([1, index + 1]);
      expect({ name }).toMatchInlineSnapshot(
        { name: expect.any(String) },
        `
        {
          "name": Any<String>,
        }
      `,
      );
      const delivery = await sandbox.waitForDelivery("message");
      expect(delivery.body).toMatchObject({ data: { messageBody: name } });
    });
  }
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
