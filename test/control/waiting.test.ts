import { connect } from "node:net";
import { beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import { createSimulator } from "../../src/server/simulator.js";
import { heldReceiver } from "../support/server.js";
import type { Running } from "../support/simulator.js";
import { startSimulator, withCalls } from "../support/simulator.js";

const DETAILS = "/api/get-customer-thread-details";
const SEND = "/api/send-message-to-customer-thread";

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

const read = (threadId = "9001") => sim.api(`GET ${DETAILS}?customerThreadId=${threadId}`);
const say = (text: string) => sim.api(`POST ${SEND}`, { customerThreadId: "9001", text, internal: true });

/** Resolves when this many waits are open. */
async function opened(count: number, sandbox = sim.registry.default): Promise<void> {
  while (sandbox.openWaits !== count) await nextTurn();
}

describe("POST /wait", () => {
  it("responds immediately with existing entries", async () => {
    await read();
    await say("Hello");
    const { status, body } = await sim.control("POST /wait", { for: { requests: { path: SEND } } });
    expect(status).toBe(200);
    expect(body.matches).toMatchObject([{ id: "r2", status: 200, body: { text: "Hello" } }]);
    expect(body.count).toBe(1);
  });

  it("responds when enough entries match", async () => {
    await say("1");
    const waiting = sim.control("POST /wait", {
      for: { requests: { operation: "sendMessageToCustomerThread", status: 200 }, count: 3 },
    });
    await opened(1);
    await say("2");
    await read();
    await say("3");
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.matches.map(({ id }: { id: string }) => id)).toEqual(["r1", "r2", "r4"]);
  });

  it("responds when a delivery matches", async () => {
    const deliveries = { webhookId: "crm", status: "delivered", body: { data: { messageBody: "Hello" } } };
    const waiting = sim.control("POST /wait", { for: { deliveries } });
    await opened(1);
    await say("Hello");
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.matches).toMatchObject([{ id: "d1", status: "delivered", attempts: [{ status: 200 }] }]);
  });

  it("shows the nearest misses and their differences after a timeout", async () => {
    await read();
    await say("Hello");
    const { status, body } = await sim.control("POST /wait", {
      for: { requests: { method: "POST", path: SEND, body: { text: { $regex: "^Good" } } } },
      timeoutMs: 5,
    });
    expect(status).toBe(408);
    expect(body.error).toEqual({ code: "timeout", message: expect.any(String), details: [] });
    expect(body.count).toBe(0);
    expect(body).not.toHaveProperty("evicted");
    expect(body.nearMisses[0]).toEqual({
      id: "r2",
      entry: expect.objectContaining({ path: SEND, status: 200 }),
      differences: [{ path: "body.text", expected: { $regex: "^Good" }, seen: "Hello" }],
    });
    expect(body.nearMisses[1]).toMatchObject({ id: "r1" });
  });

  it("considers only entries after `since`, and who called", async () => {
    await read();
    await sim.api(`GET ${DETAILS}?customerThreadId=9001`, undefined, { headers: { "x-sim-by": "scenario" } });
    await read();
    const later = await sim.control("POST /wait", { for: { requests: { path: DETAILS }, since: "r1" } });
    expect(later.body.matches.map(({ id }: { id: string }) => id)).toEqual(["r2", "r3"]);
    const byScenario = await sim.control("POST /wait", { for: { requests: { by: "scenario" } } });
    expect(byScenario.body.matches.map(({ id }: { id: string }) => id)).toEqual(["r2"]);
  });

  it("continues with new entries after a reset", async () => {
    await say("before");
    const waiting = sim.control("POST /wait", { for: { requests: { path: SEND }, count: 2 } });
    await opened(1);
    await sim.control("POST /reset");
    await say("1");
    expect(sim.registry.default.openWaits).toBe(1);
    await say("2");
    const { body } = await waiting;
    expect(body.matches.map(({ body: { text } }: { body: { text: string } }) => text)).toEqual(["1", "2"]);
  });

  it("ends when its sandbox is deleted", async () => {
    await sim.control("POST /sandboxes", { id: "s1" });
    const waiting = sim.control("POST /sandboxes/s1/wait", { for: { requests: { path: "/never" } } });
    const sandbox = sim.registry.get("s1");
    if (sandbox === undefined) throw new Error("the sandbox is missing");
    await opened(1, sandbox);
    await sim.control("DELETE /sandboxes/s1");
    const { status, body } = await waiting;
    expect(status).toBe(409);
    expect(body.error.code).toBe("conflict");
  });

  it("responds when an evicted delivery ends", async () => {
    sim = await startSimulator({ journalLimit: 1 });
    const { url, arrived, release } = await heldReceiver();
    await sim.control("PATCH /data/webhooks/1", { url });
    await say("Hello");
    await arrived;
    await sim.control("PATCH /data/webhooks/1", { url: "http://127.0.0.1:1/" });
    await say("Again");
    const deliveries = { status: "delivered", body: { data: { messageBody: "Hello" } } };
    const waiting = sim.control("POST /wait", { for: { deliveries } });
    await opened(1);
    release();
    const { status, body } = await waiting;
    expect([status, body.matches?.map((match: { url: string }) => match.url)]).toEqual([200, [url]]);
    expect((await sim.control(`GET /deliveries/${body.matches[0].id}`)).status).toBe(404);
  });

  it("for idleness responds when calls and deliveries have ended", async () => {
    const { url, arrived, release } = await heldReceiver();
    await sim.control("PATCH /data/webhooks/1", { url });
    await say("Hello");
    await arrived;
    expect((await sim.control("GET /deliveries?status=pending")).body).toHaveLength(1);
    const waiting = sim.control("POST /wait", { for: "idle" });
    await opened(1);
    release();
    const { status, body } = await waiting;
    expect([status, body]).toEqual([200, { idle: true }]);
    expect((await sim.control("GET /deliveries?status=delivered")).body).toHaveLength(1);
  });

  it("for idleness ignores a retry that is not due", async () => {
    await sim.control("PUT /clock", { frozen: true });
    await sim.control("PATCH /behaviour", { "delivery.attempts": 2, "delivery.backoff": ["1m"] });
    await sim.control("PUT /sinks/demo", { status: 500 });
    await say("Hello");
    expect((await sim.control("POST /wait", { for: "idle" })).status).toBe(200);
    const [delivery] = (await sim.control("GET /deliveries")).body;
    expect(delivery).toMatchObject({ status: "pending", attempts: [{ status: 500 }] });
  });

  it("for idleness lists what is in flight after a timeout", async () => {
    const { hostname, port } = new URL(sim.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${SEND} HTTP/1.1\r\nHost: ${hostname}\r\nToken: acme-token\r\nContent-Length: 2\r\n\r\n`,
    );
    while (sim.registry.default.run.calls.idle) await nextTurn();
    const { status, body } = await sim.control("POST /wait", { for: "idle", timeoutMs: 5 });
    expect(status).toBe(408);
    expect(body).toMatchObject({ error: { code: "timeout" }, onTheirWay: ["r1"] });
    socket.end("{}");
    expect((await sim.control("POST /wait", { for: "idle" })).status).toBe(200);
  });
});

describe("POST /verify", () => {
  it.each([
    [undefined, 200],
    [2, 200],
    [1, 422],
    [{ min: 1 }, 200],
    [{ min: 3 }, 422],
    [{ max: 1 }, 422],
    [{ min: 2, max: 2 }, 200],
    [0, 422],
  ])("with count %j answers %d", async (count, expected) => {
    await read();
    await read();
    const { status, body } = await sim.control("POST /verify", { requests: { path: DETAILS }, count });
    expect(status).toBe(expected);
    expect(body).toMatchObject({ ok: expected === 200, count: 2 });
  });

  it("shows near misses", async () => {
    await read("404404");
    const { status, body } = await sim.control("POST /verify", { requests: { path: DETAILS, status: 200 } });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: { code: "expectation", message: "expected at least 1, but 0 match", details: [] },
      ok: false,
      count: 0,
      nearMisses: [{ id: "r1", differences: [{ path: "status", expected: 200, seen: 404 }] }],
    });
  });

  it("accepts a match for deliveries", async () => {
    await say("Hello");
    await sim.control("POST /wait", { for: "idle" });
    const deliveries = { webhookId: "1", status: "delivered" };
    const { status, body } = await sim.control("POST /verify", { deliveries });
    expect([status, body]).toEqual([200, { ok: true, count: 1 }]);
  });
});

describe("a match that is too expensive to compare", () => {
  const COSTLY = { $regex: "^(a?b?){990}$" };
  const text = `${"ab".repeat(1_200)}!`;
  const answerOf = async (route: string, body: object) => {
    const answer = await sim.control(`POST /${route}`, body);
    return [answer.status, answer.body.error.details];
  };
  const refused = (path: string) => [400, [{ path, message: expect.stringContaining("is too expensive") }]];

  it("is refused with its location, and ends the wait", async () => {
    await say(text);
    const requests = { body: { text: COSTLY } };
    expect(await answerOf("verify", { requests })).toEqual(refused("requests"));
    expect(await answerOf("wait", { for: { requests } })).toEqual(refused("for.requests"));
    const state = { collection: "messages", values: { text: COSTLY } };
    expect(await answerOf("wait", { for: { state } })).toEqual(refused("for.state.values"));
    expect(sim.registry.default.openWaits).toBe(0);
    expect((await sim.control("POST /verify", { requests: { ...requests, method: "PUT" } })).status).toBe(
      422,
    );
  });

  it("ends an open wait when a text comes that takes too long", async () => {
    const waiting = answerOf("wait", { for: { requests: { body: { text: COSTLY } } } });
    await opened(1);
    await say(text);
    expect(await waiting).toEqual(refused("for.requests"));
  });
});

describe("a simulator that closes", () => {
  it("answers delayed calls of the API and of sinks first", async () => {
    const ending = withCalls(await createSimulator());
    await ending.control("POST /faults", { on: "request", then: { delayMs: 300 } });
    await ending.control("PUT /sinks/late", { delayMs: 400 });
    const calls = [ending.api("GET /api/webhooks/"), ending.control("POST /sinks/late", {})];
    const { run } = ending.registry.default;
    await expect.poll(() => [...run.sinks.received("late")].length + run.logs.journal.size).toBe(2);
    const started = performance.now();
    await ending.close(5_000);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  it.each([0, 5_000])("answers open waits immediately, with %i ms of grace", async (grace) => {
    const ending = withCalls(await createSimulator());
    const waits = [
      { requests: { path: "/never" } },
      { deliveries: { status: "delivered" } },
      { requests: {}, count: 9 },
    ].map((what) => ending.control("POST /wait", { for: what, timeoutMs: 60_000 }));
    await opened(waits.length, ending.registry.default);
    const started = performance.now();
    const closed = ending.close(grace);
    const error = { code: "closing", message: "the simulator is shutting down" };
    for (const answer of await Promise.all(waits))
      expect(answer).toMatchObject({ status: 503, body: { error } });
    await closed;
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

it("each wait and verification compares logs in its own turn", async () => {
  const { waiters } = sim.registry.default;
  const compared: number[] = [];
  let turn = 0;
  const { turn: own } = waiters;
  waiters.turn = () => own.call(waiters).then(() => void compared.push(turn));
  const verify = () => sim.control("POST /verify", { requests: { status: 404 }, count: 0 });
  const wait = () => sim.control("POST /wait", { for: { requests: { status: 404 } }, timeoutMs: 0 });
  const answered = Promise.all([verify(), wait(), verify(), wait()]);
  for (let isOver = false; !isOver; turn += 1) {
    isOver = (await Promise.race([answered, nextTurn()])) !== undefined;
  }
  expect(new Set(compared).size).toBe(6);
});
