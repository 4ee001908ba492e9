// Slow: leases end in real time.
import { Agent } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { BOUNDS } from "../../src/kernel/bounds.js";
import type { SimulatorOptions } from "../../src/server/simulator.js";
import { ValkeyStore } from "../../src/storage/valkey-store.js";
import { said as saidIn } from "../persistence/command.js";
import { lower } from "../support/bounds.js";
import { sharedRedis } from "../support/redis.js";
import { answering, linkTo } from "../support/redis-link.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { once } from "./once.js";

const redis = sharedRedis();

const start = (options: SimulatorOptions = {}): Promise<Running> =>
  startSimulator({ data: redis().url(), durability: "strict", ...options });
const token = "a.acme-token";
/** The command, the script, three keys and their number, the fencing number, the process and the lease. */
const RENEWAL_WORDS = 9;
const say = (sim: Running, text: string) =>
  once(sim, "POST /api/send-message-to-customer-thread", {
    headers: { token },
    body: JSON.stringify({ customerThreadId: "9001", text }),
  });
const said = (sim: Running) => saidIn(sim, "a");

describe("a sandbox of several processes", needs("redis"), () => {
  it("is open in the process that is called first, and others answer 421", async () => {
    const [one, two] = [await start(), await start()];
    expect((await one.control("PUT /sandboxes/a", { clock: "2026-05-05T10:00:00Z" })).status).toBe(201);
    expect((await say(one, "one")).status).toBe(200);
    const refused = await say(two, "lost");
    const error = { code: "elsewhere", message: expect.stringMatching(/another process/), details: [] };
    expect([refused.status, refused.body]).toEqual([421, { error }]);
    expect(refused.headers.get("connection")).toBe("close");
    const control = await once(await start(), "GET /__sim/sandboxes/a/state");
    expect([control.status, control.body.error.code]).toEqual([421, "elsewhere"]);
    const texts = await said(one);
    expect([texts.includes("one"), texts.includes("lost")]).toEqual([true, false]);
  });

  it("moves with everything to a process that is called again and again", async () => {
    const [one, two] = [await start(), await start()];
    await one.control("PUT /sandboxes/a", { clock: "2026-05-05T10:00:00Z", seed: 7 });
    await say(one, "one");
    await one.control("POST /sandboxes/a/clock/advance", { by: "1h" });
    const { body: state } = await one.control("GET /sandboxes/a/state");
    expect((await say(two, "two")).status).toBe(421);
    await until(async () => (await say(two, "two")).status === 200);
    expect(one.registry.get("a")).toBeUndefined();
    const clock = { now: Date.UTC(2026, 4, 5, 11), frozen: true };
    expect((await two.control("GET /sandboxes/a/clock")).body).toEqual(clock);
    const { body: moved } = await two.control("GET /sandboxes/a/state");
    expect(moved.messages).toHaveLength(state.messages.length + 1);
    expect(await said(two)).toEqual(expect.arrayContaining(["one", "two"]));
    expect((await say(one, "back")).status).toBe(421);
  });

  it("is handed over at once and without loss when its process ends", async () => {
    const [one, two] = [await start({ durability: "batched" }), await start()];
    await one.control("PUT /sandboxes/a");
    await say(one, "last words");
    await one.close();
    expect(await said(two)).toContain("last words");
    expect((await say(two, "on")).status).toBe(200);
  });

  it("can be created in any process, and is then closed", async () => {
    const [one, two] = [await start(), await start()];
    const made = await one.control("POST /sandboxes", { id: "a" });
    expect([made.status, made.body.tokens["acme-token"]]).toEqual([201, token]);
    expect((await say(two, "hello")).status).toBe(200);
    expect((await one.control("POST /sandboxes", { id: "a" })).body.error.code).toBe("conflict");
    const [first, second] = [await one.control("POST /sandboxes"), await two.control("POST /sandboxes")];
    expect(first.body.id).not.toBe(second.body.id);
  });

  it("is created once, however many calls ask for it at once", async () => {
    const one = await start();
    const put = await Promise.all([1, 2, 3, 4].map(() => one.control("PUT /sandboxes/a")));
    expect(put.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    const posted = await Promise.all(
      [1, 2, 3].map(() => once(one, "POST /__sim/sandboxes", { body: '{"id":"b"}' })),
    );
    expect(posted.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await say(one, "hello")).status).toBe(200);
    expect((await one.control("GET /sandboxes/b/clock")).status).toBe(200);
  });

  it("is never lost to its own process, however often it is made and opened at once", async () => {
    const one = await start();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const seen: string[] = [];
    for (let round = 0; round < 200; round += 1) {
      const id = `r${round}`;
      const put = () => once(one, `PUT /__sim/sandboxes/${id}`, { agent, body: "{}" });
      const get = () => once(one, `GET /__sim/sandboxes/${id}/clock`, { agent });
      const post = () => once(one, "POST /__sim/sandboxes", { agent, body: JSON.stringify({ id }) });
      const calls =
        [
          [put, put],
          [put, put, put, put],
          [post, put, get],
          [post, post, put],
        ][round % 4] ?? [];
      const answers = await Promise.all(calls.map((call) => call()));
      seen.push(...answers.map(({ status }) => String(status)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    }
    expect(seen).not.toContain("421");
    expect(seen).not.toContain("503");
  });

  it("is listed with its current values by every process", async () => {
    const [one, two] = [await start(), await start()];
    await one.control("PUT /sandboxes/a");
    await two.control("PUT /sandboxes/b");
    await one.control("GET /state");
    await one.control("POST /sandboxes/a/data/tokens", { id: "later", userId: "501" });
    const listed = async (sim: Running) =>
      (await sim.control("GET /sandboxes")).body.map(({ url: _, ...info }: { url: string }) => info);
    await until(async () => (await listed(two))[1]?.tokens.later === "a.later");
    await until(async () => (await listed(one)).length === 3);
    const here = await listed(one);
    expect(here.map(({ id }: { id: string }) => id)).toEqual(["default", "a", "b"]);
    const [, a] = await listed(two);
    expect(a).toEqual(here[1]);
    expect(a).toMatchObject({ tokens: { "acme-token": token } });
    expect((await one.control("DELETE /sandboxes/a")).status).toBe(200);
    expect((await listed(two)).map(({ id }: { id: string }) => id)).toEqual(["default", "b"]);
    expect((await two.control("GET /sandboxes/a")).status).toBe(404);
    expect((await two.control("PUT /sandboxes/a")).status).toBe(201);
  });

  it("is closed when it is idle, and opened by the next call", async () => {
    lower(BOUNDS.sandboxIdleMs, 1_000);
    const one = await start();
    await one.control("PUT /sandboxes/a");
    await say(one, "one");
    await until(async () => one.registry.get("a") === undefined);
    await until(async () => (await redis().ask("EXISTS", "messaging-sim:{a}:lease")) === ":0\r\n");
    expect((await one.control("GET /health")).body.sandboxes).toBe(0);
    expect(await said(one)).toContain("one");
  });

  it("expires even if it is not open", async () => {
    lower(BOUNDS.sandboxIdleMs, 1_000);
    const one = await start();
    await one.control("POST /sandboxes", { id: "a", ttlMs: 100 });
    await until(async () => (await redis().ask("EXISTS", "messaging-sim:{a}:document")) === ":0\r\n");
    expect((await one.control("GET /sandboxes/a")).status).toBe(404);
  });

  it("is gone for every call once it has expired", async () => {
    const two = await start();
    const ended = async () => {
      const one = await start();
      await one.control("POST /sandboxes", { id: "a", ttlMs: 500 });
      const expiresAt = Date.now() + 500;
      await one.close();
      await until(() => Date.now() > expiresAt);
    };
    await ended();
    expect((await two.control("GET /sandboxes/a")).status).toBe(404);
    await ended();
    expect((await say(two, "late")).status).toBe(401);
    await ended();
    expect((await two.control("PUT /sandboxes/a")).status).toBe(201);
    await two.control("DELETE /sandboxes/a");
    await ended();
    expect((await two.control("POST /sandboxes", { id: "a" })).status).toBe(201);
    expect((await two.control("POST /sandboxes", { id: "a" })).status).toBe(409);
  });

  it("loses nothing if its server lost the last changes", async () => {
    const [one, two] = [await start(), await start()];
    await one.control("PUT /sandboxes/a", { clock: "2026-05-05T10:00:00Z" });
    await say(one, "one");
    await one.control("POST /sandboxes/a/wait", { for: "idle" });
    await one.control("POST /sandboxes/a/snapshots", { name: "then" });
    await say(one, "two");
    await redis().ask("DEL", "messaging-sim:{a}:document");
    await until(async () => (await say(one, "three")).status === 200);
    expect((await one.control("POST /sandboxes/a/snapshots/then/restore")).status).toBe(200);
    await one.close();
    expect(await said(two)).toContain("one");
    expect(await said(two)).not.toContain("three");
  });

  it("if unknown, is answered as by a single process", async () => {
    const [one, two] = [await start(), await start()];
    await one.control("GET /state");
    const plain = await startSimulator();
    for (const unknown of ["none.acme-token", "no such thing.x"]) {
      const call = (sim: Running) => sim.api("GET /api/webhooks/", undefined, { token: unknown });
      const [expected, answer] = [await call(plain), await call(two)];
      expect([answer.status, answer.body]).toEqual([expected.status, expected.body]);
    }
    expect((await two.control("GET /sandboxes/none/state")).status).toBe(404);
    expect((await once(two, "GET /api/webhooks/")).status).toBe(421);
    expect((await one.api("GET /api/webhooks/")).status).toBe(200);
  });

  it("ends its waits and streams when it moves, and they can be reopened", async () => {
    const [one, two] = [await start(), await start()];
    await one.control("PUT /sandboxes/a");
    const waiting = once(one, "POST /__sim/sandboxes/a/wait", {
      body: JSON.stringify({ for: { requests: { operation: "listWebhooks" } }, timeoutMs: 20_000 }),
    });
    const stream = await fetch(`${one.url}/__sim/sandboxes/a/stream`);
    await until(async () => one.registry.get("a")!.openWaits === 1);
    await until(async () => (await say(two, "Hello")).status === 200);
    expect(two.registry.get("a")).toBeDefined();
    expect((await waiting).status).toBe(421);
    expect(await stream.text()).toMatch(/event: moved\ndata: \{\}\n\n$/);
    const again = await fetch(`${two.url}/__sim/sandboxes/a/stream`);
    const { value } = await again.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toMatch("event: hello");
  });

  it("is dropped by a process if another took it, even if another renewal fails, and not served", async () => {
    let failures = 0;
    const port = await linkTo(redis().port, (words) => {
      // A renewal has no arguments of its own.
      const isRenewal = words[0]?.toUpperCase() === "EVALSHA" && words.length === RENEWAL_WORDS;
      if (!isRenewal || words[3] !== "messaging-sim:{b}:meta") return undefined;
      failures += 1;
      return answering("redis.error_reply('TRYAGAIN')");
    });
    const one = await start({ data: `redis://127.0.0.1:${port}/0` });
    const two = await start();
    for (const id of ["a", "b"]) await one.control(`PUT /sandboxes/${id}`);
    const thief = await ValkeyStore.open(redis().url());
    onTestFinished(() => thief.close());
    await redis().ask("DEL", "messaging-sim:{a}:lease");
    expect(await thief.acquire("a", false)).toBe("held");
    await thief.release("a");
    expect((await say(two, "two")).status).toBe(200);
    await until(async () => one.registry.get("a") === undefined);
    expect((await once(one, "GET /__sim/sandboxes/a/state")).status).toBe(421);
    expect(failures).toBeGreaterThan(0);
    expect(one.registry.get("b")).toBeDefined();
  });
});
