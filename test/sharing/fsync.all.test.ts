/** `fsync=true`. Servers before 7.2 lack WAITAOF, so the test answers in their place. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { needs } from "../../scripts/programs.mjs";
import { say, said as textsOf } from "../persistence/command.js";
import { sharedRedis, startRedis } from "../support/redis.js";
import { answering, linkTo } from "../support/redis-link.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";

const redis = sharedRedis();

/** The answer of WAITAOF: whether the server has it on its disk. */
type Answer = "nothing" | readonly [local: number, replicas: number];
const UNKNOWN = "redis.error_reply(\"ERR unknown command 'WAITAOF'\")";
let answer: Answer;
/** Resolves before WAITAOF is answered. */
let held: Promise<void>;
/** The arguments of WAITAOF so far. */
let asked: string[][];
beforeEach(() => {
  answer = [1, 1];
  held = Promise.resolve();
  asked = [];
});

async function begin(parameters: string, durability: "strict" | "batched" = "strict"): Promise<Running> {
  const port = await linkTo(redis().port, async ([name = "", ...words]) => {
    if (name.toUpperCase() !== "WAITAOF") return undefined;
    asked.push(words);
    await held;
    return answering(answer === "nothing" ? UNKNOWN : `{${answer.join()}}`);
  });
  return startSimulator({ data: `redis://127.0.0.1:${port}/0?${parameters}`, durability });
}
/** Where the document has the text of a message. */
const FINDS = `return string.find(redis.call('GET', KEYS[1]), '"n1"', 1, true) or 0`;
/** The texts of tests. */
const said = async (sim: Running): Promise<string[]> =>
  (await textsOf(sim, "a")).filter((text) => text.startsWith("n"));

describe("strict with fsync=true", needs("redis"), () => {
  it("answers once the server has the change on its disk", async () => {
    const sim = await begin("fsync=true");
    expect((await sim.control("PUT /sandboxes/a")).status).toBe(201);
    const before = asked.length;
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    const answered = say(sim, "n1", "a").then(({ status }) => status);
    await until(async () => asked.length > before);
    const written = redis().ask("EVAL", FINDS, "1", "messaging-sim:{a}:document");
    expect(await Promise.race([answered, written])).toMatch(/^:[1-9]/);
    release();
    expect(await answered).toBe(200);
    expect(asked.slice(before)).toEqual([["1", "0", expect.stringMatching(/^\d+$/)]]);
    await redis().kill();
    await redis().restart();
    await until(async () => (await sim.control("GET /ready")).status === 200);
    expect(await said(await begin("fsync=true"))).toEqual(["n1"]);
  });

  it.each([
    ["the server does not write to its disk", [0, 0], /did not write it to disk in time/],
    ["the server does not know WAITAOF", "nothing", /unknown command/],
  ] as const)("refuses changes while %s", async (_what, bad, reason) => {
    const sim = await begin("fsync=true");
    await sim.control("PUT /sandboxes/a");
    expect((await say(sim, "n1", "a")).status).toBe(200);
    answer = bad;
    const refused = await say(sim, "n2", "a");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.body.error).toMatch(reason);
    expect((await say(sim, "never", "a")).status).toBe(503);
    expect((await sim.control("PUT /sandboxes/b")).status).toBe(503);
    expect((await sim.control("GET /health")).body.status).toBe("degraded");
    answer = [1, 0];
    await until(async () => (await sim.control("GET /health")).body.status === "ok");
    expect((await say(sim, "n3", "a")).status).toBe(200);
    expect((await sim.control("GET /sandboxes/b")).status).toBe(404);
    await sim.close();
    // Refused changes may be there, once.
    expect(await said(await begin("fsync=true"))).toEqual(["n1", "n2", "n3"]);
  });

  it("does not wait under batched", async () => {
    answer = [0, 0];
    const sim = await begin("fsync=true", "batched");
    await sim.control("PUT /sandboxes/a");
    expect((await say(sim, "n1", "a")).status).toBe(200);
    expect((await sim.control("POST /checkpoint")).status).toBe(200);
    expect(asked.filter(([wanted]) => wanted !== "0")).toEqual([]);
  });

  it("is refused at the start if the server does not support it", async () => {
    answer = "nothing";
    await expect(begin("fsync=true")).rejects.toThrow(/fsync needs WAITAOF of Redis 7\.2 or Valkey/);
    const forgetful = await startRedis("--appendonly", "no");
    onTestFinished(() => forgetful.stop());
    const started = startSimulator({ data: `${forgetful.url()}?fsync=true`, durability: "strict" });
    await expect(started).rejects.toThrow(/fsync needs a server with appendonly yes/);
  });
});
