/** A server of `--data` that goes away, is full or is suspended while a process uses it. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { said, say } from "../persistence/command.js";
import { type Redis, startRedis } from "../support/redis.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";

let redis: Redis;
let sim: Running;

async function begin(durability: "batched" | "strict", ...options: string[]): Promise<void> {
  redis = await startRedis(...options);
  const { stop } = redis;
  onTestFinished(stop);
  sim = await startSimulator({ data: redis.url(), durability });
  await sim.control("PUT /sandboxes/a");
}
let acknowledged: string[] = [];
beforeEach(() => {
  acknowledged = [];
});

async function sayOne(): Promise<number> {
  const text = `n${acknowledged.length} ${Math.random()}`;
  const answer = await say(sim, text, "a");
  if (answer.status === 200) acknowledged.push(text);
  else {
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(answer.body.error).toMatch(/saved|does not respond/);
  }
  return answer.status;
}

async function expectTrouble(): Promise<void> {
  await until(async () => (await sayOne()) === 503);
  const ready = await sim.control("GET /ready");
  expect([ready.status, ready.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(ready.body.error.code).toBe("storage-unavailable");
  expect((await sim.control("GET /health")).body).toMatchObject({
    status: "ok",
    store: { failure: expect.any(String) },
  });
  expect((await sim.control("GET /metrics")).body).toMatch(/^messaging_sim_store_up 0$/m);
  const made = await sim.control("POST /sandboxes", { id: "b" });
  expect([made.status, made.headers.get("retry-after")]).toEqual([503, "1"]);
  // Open sandboxes can be read as before.
  expect(await said(sim, "a")).toEqual(expect.arrayContaining(acknowledged));
}

async function expectRecovery(): Promise<void> {
  await until(async () => (await sim.control("GET /ready")).status === 200);
  expect(await sayOne()).toBe(200);
  expect((await sim.control("GET /health")).body.status).toBe("ok");
  const again = await startSimulator({ data: redis.url() });
  await sim.close();
  const kept = await said(again, "a");
  expect(kept.filter((text) => acknowledged.includes(text))).toEqual(acknowledged);
  expect(new Set(kept).size).toBe(kept.length);
}

describe("a server of --data", needs("redis"), () => {
  it.each(["batched", "strict"] as const)(
    "that was killed and restarted has lost no acknowledged change: %s",
    async (durability) => {
      await begin(durability);
      for (let n = 0; n < 20; n += 1) await sayOne();
      if (durability === "batched") await sim.control("POST /checkpoint");
      await redis.kill();
      await expectTrouble();
      await redis.restart();
      await expectRecovery();
    },
  );

  it("that is out of memory refuses changes until there is room", async () => {
    await begin("strict", "--maxmemory", "8mb", "--maxmemory-policy", "noeviction");
    await sayOne();
    // A value that is larger than the memory, so that later ones find no room.
    await redis.ask("SETRANGE", "filler", String(9 * 1024 * 1024), "x");
    await expectTrouble();
    expect((await sim.control("GET /ready")).body.error.message).toMatch(/OOM/);
    await redis.ask("DEL", "filler");
    await expectRecovery();
  });

  it("that is suspended is not waited for", async () => {
    await begin("strict");
    await sayOne();
    redis.pause();
    await expectTrouble();
    redis.resume();
    await expectRecovery();
  });
});
