// Slow: processes that stand still for longer than a lease.
/** Sandboxes that several processes share, some of which are killed or suspended for longer than a lease. */
import { expect, it } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { said, say, serve } from "../persistence/command.js";
import { sharedRedis } from "../support/redis.js";
import { until } from "../support/until.js";
import { once } from "./once.js";

const redis = sharedRedis();

const documentOf = (sandbox: string) => redis().ask("GET", `messaging-sim:{${sandbox}}:document`);

const NAME =
  "sandboxes of a dead or suspended process open elsewhere, and nothing is written under a lost lease";
it(NAME, needs("redis"), async () => {
  const [dead, still, heir] = await Promise.all(
    [1, 2, 3].map(() => serve(redis().url(), "--durability", "strict")),
  );
  const acknowledged: string[] = [];
  for (const [sim, id] of [
    [dead!, "a"],
    [still!, "b"],
  ] as const) {
    // With a frozen clock, no delivery is retried.
    await sim.control(`PUT /sandboxes/${id}`, { clock: "2026-05-05T10:00:00Z" });
    for (let n = 0; n < 20; n += 1)
      if ((await say(sim, `${id}${n}`, id)).status === 200) acknowledged.push(`${id}${n}`);
  }
  expect(acknowledged).toHaveLength(40);
  for (const sim of [dead, still, heir]) {
    expect(await sim!.control("GET /ready")).toMatchObject({ status: 200, body: { status: "ok" } });
    const { body: all } = await sim!.control("GET /sandboxes");
    expect(all.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(["a", "b"]));
  }
  // A write in flight when the process is suspended. A repeated one would request the sandbox.
  const under = once(still!, "POST /api/send-message-to-customer-thread", {
    headers: { token: "b.acme-token" },
    body: JSON.stringify({ customerThreadId: "9001", text: "under way" }),
  });
  still!.program.child.kill("SIGSTOP");
  await dead!.kill();
  for (const id of ["a", "b"]) {
    await until(async () => (await heir!.control(`GET /sandboxes/${id}`)).status === 200);
    expect(await said(heir!, id)).toEqual(
      expect.arrayContaining(acknowledged.filter((text) => text[0] === id)),
    );
    expect((await say(heir!, `${id} goes on`, id)).status).toBe(200);
  }
  // Everything is written, including attempts of deliveries.
  await heir!.control("POST /sandboxes/b/wait", { for: "idle" });
  expect((await heir!.control("POST /checkpoint")).status).toBe(200);
  const written = await documentOf("b");
  still!.program.child.kill("SIGCONT");
  // The call in flight is refused, or was written before.
  const kept = await said(heir!, "b");
  const { status } = await under;
  expect([200, 421]).toContain(status);
  if (status === 200) expect(kept).toContain("under way");
  const { body } = await still!.control("GET /metrics");
  expect(body).toMatch(/^messaging_sim_sandboxes 0$/m);
  expect(await documentOf("b")).toBe(written);
  expect(new Set(kept).size).toBe(kept.length);
  expect(await still!.stop()).toBe(0);
  expect(await said(heir!, "b")).toEqual(kept);
});
