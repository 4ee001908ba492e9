import { once } from "node:events";
import { connect } from "node:net";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { StreamData } from "../../src/client/index.js";
import { eventBatches } from "../../src/client/stream.js";
import { Transport } from "../../src/client/transport.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import type { Rule } from "../../src/service/domain/transaction.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

interface StreamEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the data
  readonly data: any;
}

const SEND = "POST /api/send-message-to-customer-thread";
const MESSAGE = { customerThreadId: "9001", text: "Hello", internal: true };

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

/** Opens a stream; `until` reads up to a matching event and returns all events since the last call. */
async function openStream(path = "", names?: (keyof StreamData)[]) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const batches = eventBatches(new Transport(`${sim.url}/__sim${path}`), abort.signal, names);
  const arrived: StreamEvent[] = [];
  const read = async () => {
    const { value, done } = await batches.next();
    if (done) throw new Error("the stream has ended");
    arrived.push(...value);
  };
  await read();
  async function until(fits: (event: StreamEvent) => boolean): Promise<StreamEvent[]> {
    for (;;) {
      const end = arrived.findIndex(fits);
      if (end >= 0) return arrived.splice(0, end + 1);
      await read();
    }
  }
  return { until, named: (name: string) => until(({ event }) => event === name) };
}

/** Resolves when this many streams are open. */
async function streams(count: number): Promise<void> {
  while (sim.registry.default.streams.count !== count) await nextTurn();
}

describe("the stream", () => {
  it("begins with hello", async () => {
    const { named } = await openStream();
    const [hello] = await named("hello");
    expect(hello).toMatchObject({
      id: "1",
      event: "hello",
      data: { sandbox: "default", version: expect.any(String), run: sim.registry.default.run.epoch },
    });
  });

  it("sends a call, the records that it changed, and its deliveries until they arrive", async () => {
    const { until } = await openStream();
    await sim.api(SEND, MESSAGE);
    const events = await until(({ event, data }) => event === "delivery" && data.status === "delivered");
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => String(index + 1)));
    const of = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);
    expect(of("request").at(-1)).toMatchObject({ id: "r1", status: 200, response: {} });
    expect(of("delivery")[0]).toMatchObject({ id: "d1", status: "pending", causedBy: "r1" });
    expect(of("state").flatMap(({ changes }) => changes)).toContainEqual(
      expect.objectContaining({
        collection: "messages",
        before: null,
        after: expect.objectContaining({ text: "Hello" }),
        causedBy: "r1",
      }),
    );
  });

  it("sends a call on receipt and again when it is answered", async () => {
    const { until } = await openStream();
    await sim.control("POST /faults", { on: "request", then: { delayMs: 30 } });
    await sim.api(SEND, MESSAGE);
    const events = await until(({ event, data }) => event === "request" && data.status === 200);
    const requests = events.filter(({ event }) => event === "request").map(({ data }) => data);
    expect(requests[0]).toMatchObject({ id: "r1", status: null, durationMs: null });
    expect(requests.at(-1)).toMatchObject({ id: "r1", status: 200 });
  });

  it("sends cleared logs, steps and ends of posted scenarios, and changes of the list of sandboxes", async () => {
    const { named } = await openStream();
    await sim.api(SEND, MESSAGE);
    await sim.control("DELETE /requests");
    expect((await named("cleared")).at(-1)?.data).toEqual({ log: "requests" });
    await sim.control("DELETE /warnings");
    expect((await named("cleared")).at(-1)?.data).toEqual({ log: "warnings" });
    const steps = [{ customer: "Hello" }, { delivered: "transfer", within: "1ms" }, { advance: "1h" }];
    await sim.control("POST /scenarios/run", { scenario: { name: "x", thread: "9001", steps } });
    const ran = await named("ran");
    expect(ran.at(-1)?.data).toEqual({});
    expect(
      ran.filter(({ event }) => event === "step").map(({ data }) => [data.ok, data.place.path, data.skipped]),
    ).toEqual([
      [true, "steps[0]", undefined],
      [false, "steps[1]", undefined],
      [false, "steps[2]", true],
    ]);
    await sim.control("PUT /sandboxes/beside");
    expect((await named("sandboxes")).at(-1)?.data).toEqual({});
    await sim.control("DELETE /sandboxes/beside");
    expect((await named("sandboxes")).at(-1)?.data).toEqual({});
  });

  it("sends warnings, faults, clock changes and resets", async () => {
    const { named } = await openStream();
    await sim.api(SEND, { ...MESSAGE, customerThreadId: 9001 });
    expect((await named("warning")).at(-1)?.data).toMatchObject({
      id: "w1",
      code: "number-id",
      requestId: "r1",
    });
    await sim.control("POST /faults", { on: "request", then: { headers: { "X-Odd": "1" } } });
    expect((await named("faults")).at(-1)?.data).toEqual({ changed: true, counts: [] });
    await sim.api(SEND, MESSAGE);
    expect((await named("faults")).at(-1)?.data).toEqual({
      changed: false,
      counts: [{ id: "f1", seen: 1, fired: 1 }],
    });
    await sim.control("PUT /clock", { now: 1_700_000_000_000, frozen: true });
    expect((await named("clock")).at(-1)?.data).toEqual({ now: 1_700_000_000_000, frozen: true });
    await sim.control("POST /reset");
    await named("reset");
    expect((await named("state")).at(-1)?.data).toEqual({ all: true });
  });

  it("names the control call that caused a change, and none if time did", async () => {
    const { named } = await openStream();
    await sim.control("PUT /clock", { now: 1_700_000_000_000, frozen: true });
    expect((await named("state")).at(-1)?.data).toEqual({ all: true });
    const closesAt = 1_700_000_060_000;
    await sim.control("PATCH /data/threads/9001", { windowClosesAt: closesAt });
    expect((await named("state")).at(-1)?.data.changes).toMatchObject([
      { id: "9001", causedBy: "c2", after: { isMessagingWindowOpen: true } },
    ]);
    await sim.control("POST /clock/advance", { by: "60s" });
    expect((await named("state")).at(-1)?.data.changes).toMatchObject([
      { id: "9001", causedBy: null, after: { isMessagingWindowOpen: false } },
    ]);
    await sim.control("PATCH /behaviour", { "window.channels": [] });
    expect((await named("state")).at(-1)?.data).toEqual({ all: true });
  });

  it("belongs to one sandbox and ends with it", async () => {
    await sim.control("POST /sandboxes", { id: "s1" });
    const { until } = await openStream("/sandboxes/s1");
    await sim.api(SEND, MESSAGE);
    await sim.api(SEND, { ...MESSAGE, text: "Hello in s1" }, { token: "s1.acme-token" });
    const events = await until(({ event }) => event === "request");
    expect(events.filter(({ event }) => event === "request")).toMatchObject([
      { data: { body: { text: "Hello in s1" } } },
    ]);
    await sim.control("DELETE /sandboxes/s1");
    await expect(until(() => false)).rejects.toThrow("the stream has ended");
  });

  it("sends `all: true` if a turn has too many changes", async () => {
    const { named, until } = await openStream();
    await named("hello");
    const { run } = sim.registry.default;
    const thread = run.world.get("threads", "9001");
    const change: Rule<string, void> = (tx, customerId) => tx.put("threads", { ...thread!, customerId });
    for (let round = 0; round < 40; round += 1)
      run.transact({ id: null }, change, `${round}`.padEnd(500_000, "x"));
    run.logs.warn({ code: "x", message: "after it", section: "x" });
    const events = await until(({ event }) => event === "warning");
    expect(events.map(({ event, data }) => [event, data.all])).toEqual([
      ["state", true],
      ["warning", undefined],
    ]);
  });

  it("omits what is too long for a turn, and sends `all: true`", async () => {
    const { named, until } = await openStream();
    await named("hello");
    await sim.control("PATCH /behaviour", { "limits.bodyBytes": 30_000_000 });
    await named("state");
    await sim.api(SEND, { ...MESSAGE, note: "x".repeat(17_000_000) });
    const events = await until(({ event, data }) => event === "state" && data.all === true);
    // The call has no body yet on receipt; with its body it is too long.
    const requests = events.filter(({ event }) => event === "request");
    expect(requests.map(({ data }) => data.body)).toEqual(requests.map(() => null));
  });

  it("omits what is too long for all streams together", async () => {
    const { named, until } = await openStream();
    await Promise.all(Array.from({ length: 9 }, () => openStream()));
    await streams(10);
    await named("hello");
    await sim.api(SEND, { ...MESSAGE, note: "x".repeat(900_000) });
    await until(({ event, data }) => event === "request" && data.status === 200);
    await Promise.all(Array.from({ length: 10 }, () => openStream()));
    await streams(20);
    await sim.api(SEND, { ...MESSAGE, note: "x".repeat(900_000) });
    const events = await until(({ event, data }) => event === "state" && data.all === true);
    expect(events.filter(({ data }) => data.body?.note !== undefined)).toEqual([]);
  });

  it("disconnects a client that does not read", async () => {
    const { hostname, port } = new URL(sim.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.pause();
    socket.write(`GET /__sim/stream HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await streams(1);
    const sandbox = sim.registry.default;
    const thread = sandbox.run.world.get("threads", "9001");
    if (thread === undefined) throw new Error("the thread is missing");
    const fill: Rule<number, void> = (tx, round) => {
      tx.put("threads", { ...thread, customerId: `${round}`.padEnd(500_000, "x") });
    };
    let written = 0;
    while (sandbox.streams.count > 0 && written < 400) {
      sandbox.run.transact({ id: null }, fill, written);
      written += 1;
      await nextTurn();
      await nextTurn();
    }
    expect(sandbox.streams.count).toBe(0);
    socket.resume();
    await once(socket, "close");
    expect((await sim.api(SEND, MESSAGE)).status).toBe(200);
  });

  it("sends only the requested events", async () => {
    const { until } = await openStream("", ["delivery", "reset"]);
    await until(({ event }) => event === "hello");
    await sim.api(SEND, { ...MESSAGE, internal: false });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    await sim.control("PUT /clock", { frozen: true });
    await sim.control("POST /reset");
    const heard = await until(({ event }) => event === "reset");
    expect([...new Set(heard.map(({ event }) => event))]).toEqual(["delivery", "reset"]);
    expect(heard.map(({ id }) => id)).toEqual(heard.map((_, at) => String(at + 2)));
    const all = await openStream();
    await all.until(({ event }) => event === "hello");
    await sim.api(SEND, MESSAGE);
    await all.until(({ event }) => event === "state");
  });
});
