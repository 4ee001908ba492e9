// Slow: processes that run out of disk, one after the other.
/** A folder that cannot be written to while the simulator runs. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAIN, start } from "../cli/program.js";
import { until } from "../support/until.js";
import { refused, type Served, said, saidIn, say, serve, serveWith } from "./command.js";
import { newFolder } from "./support.js";

const BYTES = 2 ** 21;

/** A folder that is a small disk to a program with these variables. */
function newDisk() {
  const folder = join(newFolder(), "disk");
  mkdirSync(folder);
  const preload = pathToFileURL(join(import.meta.dirname, "small-disk.mjs"));
  const env = { NODE_OPTIONS: `--import=${preload}`, SMALL_DISK: folder, SMALL_DISK_BYTES: String(BYTES) };
  return { folder, env, readOnly: `${folder}.read-only` };
}

/** Fills a disk, except for this many bytes. */
function fill(folder: string, left: number): string {
  const filler = join(folder, "filler");
  const sizes = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .map((file) => (file.isFile() ? file.size : 0));
  writeFileSync(filler, Buffer.alloc(BYTES - left - sizes.reduce((sum, size) => sum + size, 0)));
  return filler;
}

const isFailing = async (sim: Served): Promise<boolean> =>
  (await sim.control("GET /health")).body.store.failure !== null;

/** Sends messages until one is refused. @returns the acknowledged texts */
async function sayUntilRefused(sim: Served): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; ; n += 1) {
    const { status } = await say(sim, `n${n}`);
    if (status === 503) return acknowledged;
    acknowledged.push(`n${n}`);
  }
}

async function expectRefusals(sim: Served): Promise<void> {
  const deliveries = async () => (await sim.control("GET /deliveries")).body.length;
  const before = await deliveries();
  const answer = await say(sim, "refused");
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(answer.body.error).toMatch(/^Storage unavailable: changes cannot be saved in /);
  expect(answer.headers.get("x-sim-behaviour")).toBeNull();
  for (const [call, body] of [
    ["POST /threads/9001/inbound", { text: "refused" }],
    ["PUT /clock", { frozen: true }],
    ["POST /clock/advance", { by: "1h" }],
    ["POST /events", { eventType: "message", data: {} }],
    ["POST /deliveries/d1/replay", undefined],
    ["PATCH /behaviour", { "delivery.attempts": 2 }],
    ["POST /faults", { on: "request", then: "slow" }],
    ["PUT /sinks/x", { status: 500 }],
    ["POST /snapshots", { name: "refused" }],
    ["POST /reset", undefined],
    ["PUT /state", {}],
    ["POST /sandboxes", { id: "refused" }],
    ["DELETE /faults", undefined],
    ["POST /checkpoint", undefined],
    ["GET /ready", undefined],
  ] as const) {
    const { status, body: said } = await sim.control(call, body);
    expect([call, status, said.error?.code]).toEqual([call, 503, "storage-unavailable"]);
  }
  expect((await sim.control("GET /snapshots")).body).toEqual([]);
  expect((await sim.control("GET /faults")).body).toEqual([]);
  expect(await deliveries()).toBe(before);
  expect((await sim.control("GET /clock")).body.frozen).toBe(false);
  expect((await sim.control("GET /sandboxes/refused")).status).toBe(404);
  expect((await sim.api("GET /api/get-customer-thread-details?customerThreadId=9001")).status).toBe(200);
  expect((await sim.control("GET /metrics")).body).toMatch(/^messaging_sim_store_up 0$/m);
  expect(await said(sim)).not.toContain("refused");
}

describe.each(["batched", "strict"])("a full disk, with %s durability", (durability) => {
  it("refuses changes, answers reads, recovers and loses nothing", async () => {
    const { folder, env } = newDisk();
    const sim = await serveWith(env, folder, "--durability", durability);
    await say(sim, "before");
    // Part of the first write fits.
    const filler = fill(folder, 100);
    const acknowledged = await sayUntilRefused(sim);
    await until(() => isFailing(sim));
    await expectRefusals(sim);
    expect(sim.program.stdout()).toMatch(/error .*changes cannot be saved: the disk is full/);
    const { status, body } = await sim.control("GET /health");
    expect([status, body]).toMatchObject([
      200,
      { status: "ok", store: { failure: expect.stringContaining("the disk is full") } },
    ]);
    rmSync(filler);
    await until(async () => !(await isFailing(sim)));
    expect(sim.program.stdout()).not.toMatch(/failed inside/);
    expect((await say(sim, "after")).status).toBe(200);
    await until(async () => (await sim.control("GET /ready")).status === 200);
    await sim.control("POST /checkpoint");
    await sim.kill();
    const there = await saidIn(folder);
    for (const text of ["before", ...acknowledged, "after"]) expect(there).toContain(text);
  });

  it("ends with exit code 1 and a message if acknowledged changes cannot be saved", async () => {
    const { folder, env } = newDisk();
    const sim = await serveWith(env, folder, "--durability", durability);
    await say(sim, "before");
    fill(folder, 100);
    await sayUntilRefused(sim);
    expect(await sim.stop()).toBe(1);
    expect(sim.program.stdout()).toMatch(/error .*the last changes could not be saved: the disk is full/);
  });

  it("that is read-only refuses changes until it can be written to", async () => {
    const { folder, env, readOnly } = newDisk();
    const sim = await serveWith(env, folder, "--durability", durability);
    await say(sim, "before");
    writeFileSync(readOnly, "");
    const acknowledged = await sayUntilRefused(sim);
    await until(() => isFailing(sim));
    await expectRefusals(sim);
    expect(sim.program.stdout()).toMatch(/error .*changes cannot be saved: the disk is read-only/);
    rmSync(readOnly);
    await until(async () => !(await isFailing(sim)));
    await sim.kill();
    const there = await saidIn(folder);
    for (const text of ["before", ...acknowledged]) expect(there).toContain(text);
  });
});

describe("a folder", () => {
  it("on a disk without room for the first document ends with exit code 2", async () => {
    const { folder, env } = newDisk();
    // Room for the lock, but not for a sandbox.
    fill(folder, 1_024);
    const { exited, stderr } = start(["serve", "--port", "0", "--data", join(folder, "data")], env);
    expect(await exited).toBe(2);
    expect(stderr()).toBe("--data: cannot be written to: the disk is full\n");
  });

  it("that is moved away refuses changes until it is back, and has everything then", async () => {
    const folder = join(newFolder(), "data");
    const sim = await serve(folder, "--durability", "strict");
    await say(sim, "before");
    renameSync(folder, `${folder}.gone`);
    expect((await say(sim, "while it is gone")).status).toBe(503);
    expect((await sim.control("GET /ready")).status).toBe(503);
    renameSync(`${folder}.gone`, folder);
    await until(async () => !(await isFailing(sim)) && (await say(sim, "after")).status === 200);
    await sim.kill();
    const there = await saidIn(folder);
    for (const text of ["before", "after"]) expect(there).toContain(text);
  });

  it("serves one process: the second ends with exit code 2 and names the first", async () => {
    const folder = newFolder();
    const sim = await serve(folder);
    const { code, said } = await refused(folder);
    expect(code).toBe(2);
    expect(said).toContain(`in use by process ${sim.program.child.pid} on ${hostname()}`);
    expect(await sim.stop()).toBe(0);
    await serve(folder);
  });

  it("is free once its process is killed, even if another process has its id", async () => {
    const folder = newFolder();
    const sim = await serve(folder);
    await sim.kill();
    const lock = join(folder, "lock");
    const holder = JSON.parse(readFileSync(lock, "utf8"));
    writeFileSync(lock, JSON.stringify({ ...holder, pid: process.pid }));
    await (await serve(folder)).kill();
    for (const text of ["torn {", "null"]) {
      writeFileSync(lock, text);
      await (await serve(folder)).kill();
    }
  });

  it("is free once its process is killed, even if it stays a zombie", async () => {
    const folder = newFolder();
    const words = ["serve", "--port", "0", "--data", folder];
    const parent = spawn("sh", ["-c", '"$@" & exec sleep 1000', "sh", process.execPath, MAIN, ...words]);
    onTestFinished(() => void parent.kill("SIGKILL"));
    let line = "";
    for await (const text of parent.stdout) if ((line += text).includes(" ready at ")) break;
    const { pid } = JSON.parse(readFileSync(join(folder, "lock"), "utf8"));
    const state = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0];
    process.kill(pid, "SIGKILL");
    await until(() => state() === "Z");
    await serve(folder);
    expect(state()).toBe("Z");
  });

  it("that cannot be created or is a file ends with exit code 2", async () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    for (const folder of [file, join(file, "below"), "/proc/none"]) {
      const { code, said } = await refused(folder);
      expect([folder, code]).toEqual([folder, 2]);
      expect(said).toContain(`cannot use ${folder}`);
    }
    const server = await refused("redis://me:secret@127.0.0.1:1/0");
    expect(server.said).toMatch(/cannot use redis:\/\/me:••••et@127.0.0.1:1\/0: connection refused/);
    expect((await refused(newFolder(), "--durability", "never")).said).toMatch(
      /--durability: must be one of batched, strict/,
    );
  });
});
