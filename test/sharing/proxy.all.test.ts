/** deploy/haproxy.cfg: three processes behind one address, each sandbox in one of them. */
import { spawn, spawnSync } from "node:child_process";
import { once as onceEmitted } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { findHaproxy, needs } from "../../scripts/programs.mjs";
import { SimClient } from "../../src/client/index.js";
import { start } from "../cli/program.js";
import { converseAtOnce, startBot } from "../examples/echo-bot.js";
import { type Served, said, say, serve } from "../persistence/command.js";
import { newFolder } from "../persistence/support.js";
import { freePort } from "../support/free-port.js";
import { sharedRedis } from "../support/redis.js";
import { type Running, withCalls } from "../support/simulator.js";
import { until } from "../support/until.js";
import { once } from "./once.js";

const ROOT = join(import.meta.dirname, "..", "..");
const CONFIG = join(ROOT, "deploy", "haproxy.cfg");
const redis = sharedRedis("--appendfsync", "no");

const serveMany = (count: number, durability = "strict"): Promise<Served[]> =>
  Promise.all(Array.from({ length: count }, () => serve(redis().url(), "--durability", durability)));
/** How many sandboxes are open in a process. */
async function heldBy({ control }: Served): Promise<number> {
  return (await control("GET /health")).body.sandboxes;
}
const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";
const ids = (count: number) => Array.from({ length: count }, (_, n) => `team-${n}`);
/** Sends a message with one call. */
const sayOnce = (to: { readonly url: string }, text: string, id: string, agent?: Agent) =>
  once(to, "POST /api/send-message-to-customer-thread", {
    ...(agent && { agent }),
    headers: { token: `${id}.acme-token` },
    body: JSON.stringify({ customerThreadId: "9001", text }),
  });
/** The proxy of deploy/ in front of processes. */
async function startProxy(processes: readonly { readonly url: string }[], port?: number) {
  const program = findHaproxy();
  if (program === undefined) throw new Error("there is no HAProxy: run node scripts/programs.mjs all");
  const listen = port ?? (await freePort());
  const variables = processes.map(({ url }, at) => [`SIMULATOR_${at + 1}`, new URL(url).host]);
  const folder = newFolder();
  const socket = join(folder, "stats");
  const stats = join(folder, "stats.cfg");
  writeFileSync(stats, `global\n  stats socket ${socket}\n`);
  const child = spawn(program, ["-db", "-f", CONFIG, "-f", stats], {
    env: { PATH: process.env.PATH ?? "", LISTEN: `127.0.0.1:${listen}`, ...Object.fromEntries(variables) },
    stdio: "ignore",
  });
  const gone = onceEmitted(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${listen}`;
  // Until its first check passes, a process that answers slowly counts as dead, and its calls fail.
  await until(async () => (await passing(socket)) >= processes.length);
  const { control, api } = withCalls({ url } as Running);
  return { url, control, api, stop };
}

/** The number of processes that have passed a check. */
async function passing(socket: string): Promise<number> {
  const stats = await text(connect(socket).end("show stat\n")).catch(() => "");
  return stats.split("\n").filter((line) => /,L7OK,/.test(line)).length;
}

/** The proxy in front of processes, with these sandboxes. */
async function proxyWith(processes: readonly Served[], all: readonly string[]) {
  const proxy = await startProxy(processes);
  for (const id of all) expect((await proxy.control(`PUT /sandboxes/${id}`)).status).toBe(201);
  return proxy;
}

const NEEDS = { timeout: 60_000, ...needs("redis", "haproxy") };

describe("three processes behind a proxy", NEEDS, () => {
  it("have a configuration without warnings", () => {
    const { status, stderr } = spawnSync(findHaproxy()!, ["-c", "-f", CONFIG], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("run every bundled scenario like one process", async () => {
    const processes = await serveMany(3);
    const proxy = await startProxy(processes);
    const run = start(["run", join(ROOT, "scenarios"), "--url", proxy.url, "--reporter", "tap"]);
    expect([await run.exited, run.stderr()]).toEqual([0, ""]);
    expect(run.stdout()).toMatch(/^1\.\.2\d$/m);
    expect(run.stdout()).not.toMatch(/^not ok/m);
    // The proxy does not repeat a call that a fault drops.
    await proxy.control("POST /faults", { on: "request", times: 1, then: { drop: "before" } });
    const headers = { token: "acme-token" };
    await expect(once(proxy, DETAILS, { headers })).rejects.toThrow("socket hang up");
  });

  it("serve 200 conversations of the echo bot at once", async () => {
    const proxy = await startProxy(await serveMany(3, "batched"));
    const client = new SimClient({ url: proxy.url, within: 30_000 });
    const conversed = await converseAtOnce(client, await startBot(proxy.url), 200);
    expect(new Set(conversed).size).toBe(200);
    expect(await client.sandboxes()).toEqual([]);
  });

  it("share sandboxes and give some to a fourth, within seconds", async () => {
    const [four, ...processes] = await serveMany(4);
    const all = ids(36);
    const proxy = await proxyWith(processes, all);
    const before = await Promise.all(processes.map(heldBy));
    expect(before.reduce((sum, held) => sum + held, 0)).toBe(36);
    for (const held of before) expect(held).toBeGreaterThan(2);
    await proxy.stop();
    const { port } = new URL(proxy.url);
    const wider = await startProxy([...processes, four!], Number(port));
    const failed = new Set<string>();
    const called = all.map((id) =>
      until(async () => {
        const { status } = await sayOnce(wider, "on", id);
        if (status !== 200) failed.add(id);
        expect([200, 421]).toContain(status);
        return status === 200;
      }),
    );
    await Promise.all(called);
    const moved = await heldBy(four!);
    expect(moved).toBeGreaterThan(2);
    expect(moved).toBeLessThanOrEqual(12);
    expect(failed.size).toBe(moved);
    expect((await wider.control("GET /sandboxes")).body).toHaveLength(36);
    // One of them ends: its sandboxes open elsewhere.
    expect(await processes[0]!.stop()).toBe(0);
    for (const id of all) expect([id, (await say(wider, "still", id)).status]).toEqual([id, 200]);
    for (const id of all.slice(0, 9))
      expect(await said(wider, id)).toEqual(expect.arrayContaining(["on", "still"]));
  });

  it("answer, or ask for a retry, while one of them is killed", async () => {
    const processes = await serveMany(3);
    const all = ids(24);
    const proxy = await proxyWith(processes, all);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const seen = new Set<string>();
    let answered = 0;
    const goOn = all.map(async (id, at) => {
      const call = () =>
        at % 2 === 0
          ? sayOnce(proxy, "on", id, agent)
          : once(proxy, DETAILS, { agent, headers: { token: `${id}.acme-token` } });
      let answer = await call();
      for (; answer.status === 200 && !seen.has("over"); answered += 1) answer = await call();
      const { status, headers } = answer;
      if (status !== 200)
        seen.add(`${at % 2 === 0 ? "POST" : "GET"} ${status} ${headers.get("retry-after")}`);
    });
    await until(() => answered > 100);
    await processes[0]!.kill();
    await until(() => seen.size > 0);
    seen.add("over");
    await Promise.all(goOn);
    seen.delete("over");
    for (const refusal of seen) expect(refusal).toMatch(/^(GET 421|POST (421|503)) 1$/);
  });

  it("replace a suspended one once its lease is over, and keep waits in the others", async () => {
    const processes = await serveMany(2);
    const all = ids(8);
    const proxy = await proxyWith(processes, all);
    const first = processes[0]!;
    await first.control("PUT /sandboxes/here");
    const holderOf = (id: string) => redis().ask("GET", `messaging-sim:{${id}}:lease`);
    const [here, ...holders] = await Promise.all(["here", ...all].map(holderOf));
    const there = holders.map((holder) => holder === here);
    const [lost, safe] = [all[there.indexOf(true)]!, all[there.indexOf(false)]!];
    const timeoutMs = 13_000;
    const waiting = proxy.control(`POST /sandboxes/${safe}/wait`, { for: { requests: {} }, timeoutMs });
    const began = performance.now();
    first.program.child.kill("SIGSTOP");
    onTestFinished(() => void first.program.child.kill("SIGKILL"));
    const written = await sayOnce(proxy, "on", lost);
    expect([written.status, written.headers.get("retry-after")]).toEqual([503, "1"]);
    await until(async () => (await sayOnce(proxy, "again", lost)).status === 200);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect((await waiting).status).toBe(408);
  });

  it("ask for a retry while the store is away, and recover by themselves", async () => {
    const proxy = await proxyWith(await serveMany(3), ["team-1"]);
    expect((await say(proxy, "before", "team-1")).status).toBe(200);
    await redis().kill();
    const read = () => once(proxy, "GET /__sim/sandboxes/team-1/clock");
    const refusals = new Set<string>();
    let unanswered = 0;
    await until(async () => {
      const answer = await read().catch(() => undefined);
      if (answer === undefined) {
        unanswered += 1;
        return false;
      }
      const { status, headers, body } = answer;
      if (status !== 200) refusals.add(`${status} ${headers.get("retry-after")} ${body.error.code}`);
      return body.error?.message.startsWith("no simulator is ready") === true;
    });
    // First the process refuses, then the proxy, which has taken it out.
    expect([...refusals].sort()).toEqual(["503 1 overloaded", "503 1 storage-unavailable"]);
    // The proxy ends the call in flight when it takes a process out.
    expect(unanswered).toBeLessThanOrEqual(3);
    await redis().restart();
    await until(async () => (await read()).status === 200);
    expect((await say(proxy, "after", "team-1")).status).toBe(200);
    expect(await said(proxy, "team-1")).toEqual(expect.arrayContaining(["before", "after"]));
  });
});
