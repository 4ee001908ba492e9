/** Worlds are bounded by the memory budget: beyond it calls are refused, change nothing, and go on where there is room again. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { DETAILS, SEND } from "../wire/client.js";
import { commands, play } from "./commands.js";

const LARGE = "x".repeat(200_000);
const START = { clock: "2026-01-01T09:00:00Z", set: {}, memory: "8MiB" } as const;

const messages = async (sim: Running) => (await sim.control("GET /data/messages")).body.length;

/** Sends large messages until one is refused; returns the refusal and how many went through. */
async function fill(sim: Running) {
  for (let sent = 0; sent < 100; sent += 1) {
    const answer = await sim.api(`POST ${SEND}`, { customerThreadId: "9001", text: LARGE });
    if (answer.status !== 200) return { answer, sent };
    // A sink that is still reading what was delivered shares the bytes that bodies may have at once.
    await sim.control("POST /wait", { for: "idle" });
  }
  throw new Error("nothing was refused");
}

const MESSAGE = { threadId: "9001", fromCustomer: true, text: LARGE, timestamp: 1 };

describe("a world that uses all memory for worlds", () => {
  it("refuses a write in the service's form, changes nothing, and has its newest journal entries", async () => {
    const sim = await startSimulator(START);
    const { memory } = sim.registry;
    const before = await messages(sim);
    const { answer, sent } = await fill(sim);
    expect(sent).toBeGreaterThan(8);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(answer.headers.get("x-sim-behaviour")).toBeNull();
    expect(answer.body.error).toMatch(
      /^Service unavailable: worlds use 5\.\d MiB of the 6 MiB of memory allowed, and this needs \d+(\.\d)? KiB more$/,
    );
    expect(await messages(sim)).toBe(before + sent);
    expect(memory.used).toBeLessThanOrEqual(memory.limit);
    const { body } = await sim.control("GET /requests");
    expect(body.at(-1)).toMatchObject({ id: `r${sent + 1}`, status: 503, response: answer.body });
    const { body: verified } = await sim.control("POST /verify", { requests: { path: "/never" }, count: 0 });
    expect(verified).toMatchObject({ ok: false, evicted: sent + 1 - body.length });
    expect((await sim.api(`GET ${DETAILS}`)).status).toBe(200);
    memory.hold({ bytes: memory.room });
    const webhook = { url: "https://bot.example/hook", subscribedEvents: ["messages"], enabled: true };
    const graphql = await sim.api("POST /graphql", { query: "saveWebhook", variables: { webhook } });
    expect(graphql.body).toHaveProperty("errors");
  });

  it("refuses control calls with 507, which change nothing", async () => {
    const sim = await startSimulator(START);
    await fill(sim);
    const state = (await sim.control("GET /state")).body;
    const messages = Array.from({ length: 20 }, (_, n) => ({ id: String(800 + n), ...MESSAGE }));
    const more = { ...state, messages: [...state.messages, ...messages] };
    for (const [line, body] of [
      ["POST /data/messages", MESSAGE],
      ["POST /threads/9001/inbound", { text: LARGE }],
      ["PUT /state", more],
      ["POST /snapshots", { name: "full" }],
      ["POST /sandboxes", { id: "big", fixtures: more }],
      ["POST /reset", { fixtures: more }],
    ] as const) {
      const refused = await sim.control(line, body);
      expect([line, refused.status, refused.body.error?.code]).toEqual([line, 507, "insufficient-storage"]);
      expect(refused.body.error.message).toMatch(
        /^worlds use .* of the 6 MiB .* more: reset or delete .* --memory$/,
      );
    }
    expect((await sim.control("GET /state")).body).toEqual(state);
    expect(sim.registry.get("big")).toBeUndefined();
    expect((await sim.control("GET /snapshots")).body).toEqual([]);
  });

  it("refuses settings that do not fit, and releases replaced and removed ones", async () => {
    const sim = await startSimulator(START);
    const { memory } = sim.registry;
    const before = memory.worlds;
    const body = Array.from({ length: 30_000 }, () => ({}));
    const fault = { on: "request", match: { path: "/never" }, then: { status: 500, body } };
    const answer = { "limits.rateError": { status: 429, body } };
    const statuses = async (...calls: [line: string, given: object][]) => {
      const found: number[] = [];
      for (const call of calls) found.push((await sim.control(...call)).status);
      return found;
    };
    const fitting = await statuses(
      ["PUT /sinks/a", { body }],
      ["PUT /sinks/a", { body }],
      ["POST /faults", fault],
      ["PATCH /behaviour", answer],
    );
    expect(fitting).toEqual([200, 200, 201, 200]);
    expect(memory.worlds - before).toBeGreaterThan(5_500_000);
    const others = await statuses(
      ["PUT /sinks/b", { body }],
      ["POST /faults", fault],
      ["PATCH /behaviour", { "limits.textLengthError": { status: 400, body } }],
    );
    expect(others).toEqual([507, 507, 507]);
    expect((await sim.control("GET /faults")).body).toHaveLength(1);
    await sim.control("DELETE /faults");
    await sim.control("PUT /sinks/a", {});
    await sim.control("PATCH /behaviour", { "limits.rateError": { status: 429, body: {} } });
    expect(memory.worlds - before).toBeLessThan(1_000);
    await sim.control("POST /reset");
    expect(memory.worlds).toBe(before);
  });

  it("refuses a reset to faults that do not fit, which changes nothing", async () => {
    const body = Array.from({ length: 60_000 }, () => ({}));
    const faults = [{ on: "request", match: { path: "/never" }, then: { status: 500, body } }] as const;
    const sim = await startSimulator({ ...START, faults });
    await sim.control("DELETE /faults");
    // Snapshots outlive a reset, which frees no room for the faults of the start.
    for (
      let taken = 0;
      (await sim.control("POST /snapshots", { name: `s${taken}` })).status === 201;
      taken += 1
    )
      await sim.api(`POST ${SEND}`, { customerThreadId: "9001", text: LARGE });
    await sim.control("POST /wait", { for: "idle" });
    const state = (await sim.control("GET /state")).body;
    const { worlds } = sim.registry.memory;
    expect((await sim.control("POST /reset")).status).toBe(507);
    expect((await sim.control("GET /state")).body).toEqual(state);
    expect((await sim.api(`GET ${DETAILS}`)).status).toBe(200);
    expect(sim.registry.memory.worlds).toBe(worlds);
    for (const { name } of (await sim.control("GET /snapshots")).body)
      await sim.control(`DELETE /snapshots/${name}`);
    expect((await sim.control("POST /reset")).status).toBe(200);
    expect(sim.registry.memory.worlds).toBeLessThan(worlds);
  });

  it("allows calls that free memory, and more after them", async () => {
    const sim = await startSimulator(START);
    await fill(sim);
    const { body } = await sim.control("GET /data/messages");
    const { id } = body.find(({ text }: { text: string }) => text === LARGE);
    expect((await sim.control(`DELETE /data/messages/${id}`)).status).toBe(200);
    const again = await sim.api(`POST ${SEND}`, { customerThreadId: "9001", text: LARGE });
    expect(again.status).toBe(200);
    expect((await sim.control("POST /reset")).status).toBe(200);
    expect((await fill(sim)).sent).toBeGreaterThan(8);
  });
});

describe("what worlds cost", () => {
  it("is only what each has changed: sandboxes, snapshots and resets share the rest, and release their own", async () => {
    const sim = await startSimulator({ ...START, memory: "64MiB" });
    const { memory } = sim.registry;
    const base = memory.worlds;
    for (let n = 0; n < 50; n += 1) await sim.control("POST /sandboxes", { id: `s${n}` });
    await sim.control("POST /snapshots", { name: "unchanged" });
    expect(memory.worlds).toBe(base);
    await sim.control("POST /sandboxes/s1/threads/9001/inbound", { text: LARGE });
    const changed = memory.worlds - base;
    expect(changed).toBeGreaterThan(400_000);
    expect(changed).toBeLessThan(500_000);
    await sim.control("POST /sandboxes/s1/snapshots", { name: "a" });
    expect(memory.worlds).toBe(base + 2 * changed);
    await sim.control("POST /sandboxes/s1/reset");
    expect(memory.worlds).toBe(base + changed);
    await sim.control("POST /sandboxes/s1/snapshots/a/restore");
    expect(memory.worlds).toBe(base + 2 * changed);
    await sim.control("DELETE /sandboxes/s1");
    expect(memory.worlds).toBe(base);
  });

  it("is released with every sandbox, whatever was done to it", async () => {
    const sim = await startSimulator({ ...START, memory: "64MiB" });
    const { memory } = sim.registry;
    await sim.control("POST /sandboxes", { id: "warm" });
    await sim.control("DELETE /sandboxes/warm");
    const base = memory.worlds;
    await fc.assert(
      fc.asyncProperty(commands, async (all) => {
        await sim.control("POST /sandboxes", { id: "used" });
        for (const command of all) await play(sim, "used", command);
        await sim.control("DELETE /sandboxes/used");
        expect(memory.worlds).toBe(base);
      }),
      { numRuns: 8 },
    );
  });
});
