import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { eventBatches } from "../../src/client/stream.js";
import { Transport } from "../../src/client/transport.js";
import { EventStream, eventFeeds } from "../../src/control/event-feed.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import type { Rule } from "../../src/service/domain/transaction.js";
import { type Running, startSimulator } from "../support/simulator.js";

interface StreamEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the data
  readonly data: any;
}

const SEND = "POST /api/send-message-to-customer-thread";
const MESSAGE = { customerThreadId: "9001", text: "Hello", internal: true };
const ALL = { all: true };

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

/** Opens a stream; `until` reads up to a matching event and returns all events since the last call. */
async function openStream() {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const batches = eventBatches(new Transport(`${sim.url}/__sim`), abort.signal);
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
  /** The data of the next event of this name. */
  const next = async (name: string) => (await until(({ event }) => event === name)).at(-1)?.data;
  return { until, next };
}

const dataOf = (name: string, events: readonly StreamEvent[]) =>
  events.filter(({ event }) => event === name).map(({ data }) => data);

/** Resolves when this many streams are open. */
async function streams(count: number): Promise<void> {
  while (sim.registry.default.streams.count !== count) await nextTurn();
}

/** Changes a thread by half a MiB. */
const grow: Rule<number, void> = (tx, round) => {
  const thread = tx.get("threads", "9001");
  if (thread) tx.put("threads", { ...thread, customerId: `${round}`.padEnd(500_000, "x") });
};

it("the stream sends a call on receipt and when it is answered, the records that it changed, and its deliveries", async () => {
  const { until } = await openStream();
  await sim.control("POST /faults", { on: "request", then: { delayMs: 30 } });
  await sim.api(SEND, MESSAGE);
  const events = await until(({ event, data }) => event === "delivery" && data.status === "delivered");
  const run = sim.registry.default.run.epoch;
  expect(events[0]).toMatchObject({
    event: "hello",
    data: { sandbox: "default", run },
  });
  const requests = dataOf("request", events);
  expect(requests[0]).toMatchObject({ id: "r1", status: null, durationMs: null });
  expect(requests.at(-1)).toMatchObject({ id: "r1", status: 200, response: {} });
  expect(dataOf("delivery", events)[0]).toMatchObject({ id: "d1", status: "pending", causedBy: "r1" });
  const after = expect.objectContaining({ text: "Hello" });
  expect(dataOf("state", events).flatMap(({ changes }) => changes)).toContainEqual(
    expect.objectContaining({ collection: "messages", before: null, after, causedBy: "r1" }),
  );
});

it("the stream sends cleared logs, steps and ends of posted scenarios, and changes of the list of sandboxes", async () => {
  const { until, next } = await openStream();
  await sim.api(SEND, MESSAGE);
  for (const log of ["requests", "warnings"]) {
    await sim.control(`DELETE /${log}`);
    expect(await next("cleared")).toEqual({ log });
  }
  const steps = [{ customer: "Hello" }, { delivered: "transfer", within: "1ms" }, { advance: "1h" }];
  await sim.control("POST /scenarios/run", { scenario: { name: "x", thread: "9001", steps } });
  const ran = await until(({ event }) => event === "ran");
  expect(ran.at(-1)?.data).toMatchObject({ name: "x", ok: false });
  expect(dataOf("step", ran)).toMatchObject([
    { ok: true, place: { path: "steps[0]" } },
    { ok: false, place: { path: "steps[1]" } },
    { ok: false, place: { path: "steps[2]" }, skipped: true },
  ]);
  for (const method of ["PUT", "DELETE"]) {
    await sim.control(`${method} /sandboxes/beside`);
    expect(await next("sandboxes")).toEqual({});
  }
});

it("the stream sends warnings, faults, clock changes and resets", async () => {
  const { next } = await openStream();
  await sim.api(SEND, { ...MESSAGE, customerThreadId: 9001 });
  expect(await next("warning")).toMatchObject({ id: "w1", code: "number-id", requestId: "r1" });
  const rule = { id: "f1", on: "request", then: { headers: { "X-Odd": "1" } } };
  await sim.control("POST /faults", { on: rule.on, then: rule.then });
  expect(await next("faults")).toEqual({ rules: [{ ...rule, seen: 0, fired: 0 }] });
  await sim.api(SEND, MESSAGE);
  expect(await next("faults")).toEqual({ rules: [{ ...rule, seen: 1, fired: 1 }] });
  await sim.control("PUT /clock", { now: 1_700_000_000_000, frozen: true });
  expect(await next("clock")).toEqual({ now: 1_700_000_000_000, frozen: true });
  await sim.control("POST /reset");
  await next("reset");
  expect(await next("state")).toEqual(ALL);
});

it("the stream names the control call that caused a change, and none if time did", async () => {
  const { next } = await openStream();
  await sim.control("PUT /clock", { now: 1_700_000_000_000, frozen: true });
  expect(await next("state")).toEqual(ALL);
  const moved = (causedBy: string | null, isMessagingWindowOpen: boolean) => ({
    changes: [{ id: "9001", causedBy, after: { isMessagingWindowOpen } }],
  });
  await sim.control("PATCH /data/threads/9001", { windowClosesAt: 1_700_000_060_000 });
  expect(await next("state")).toMatchObject(moved("c2", true));
  await sim.control("POST /clock/advance", { by: "60s" });
  expect(await next("state")).toMatchObject(moved(null, false));
  await sim.control("PATCH /behaviour", { "window.channels": [] });
  expect(await next("state")).toEqual(ALL);
});

it("the stream sends `all: true` if a turn has too many changes", async () => {
  const { next, until } = await openStream();
  await next("hello");
  const { run } = sim.registry.default;
  for (let round = 0; round < 40; round += 1) run.transact({ id: null }, grow, round);
  run.logs.warn({ code: "x", message: "after it", section: "x" });
  const events = await until(({ event }) => event === "state");
  expect(events).toMatchObject([{ event: "warning" }, { event: "state", data: ALL }]);
});

it("the stream omits what is too long for all streams together", async () => {
  const { next, until } = await openStream();
  await Promise.all(Array.from({ length: 9 }, () => openStream()));
  await streams(10);
  await next("hello");
  await sim.api(SEND, { ...MESSAGE, note: "x".repeat(900_000) });
  await until(({ event, data }) => event === "request" && data.status === 200);
  await Promise.all(Array.from({ length: 10 }, () => openStream()));
  await streams(20);
  await sim.api(SEND, { ...MESSAGE, note: "x".repeat(900_000) });
  const events = await until(({ event, data }) => event === "state" && data.all === true);
  expect(events.filter(({ data }) => data.body?.note !== undefined)).toEqual([]);
});

it("the stream begins with what happens after it was opened, even in the same turn", async () => {
  const sandbox = sim.registry.default;
  const feed = eventFeeds(sim.registry)(sandbox);
  const open = () => {
    const response = Object.assign(new PassThrough({ encoding: "utf8" }), { writeHead: () => {} });
    onTestFinished(() => void response.destroy());
    new EventStream(feed, response as never);
    return () => String(response.read()).match(/^event: /gm)?.length;
  };
  const warn = () => sandbox.run.logs.warn({ code: "x", message: "x", section: "x" });
  const first = open();
  warn();
  const second = open();
  warn();
  await nextTurn();
  expect([first(), second()]).toEqual([3, 2]);
});

it("the stream disconnects a client that does not read", async () => {
  const { hostname, port } = new URL(sim.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.pause();
  socket.write(`GET /__sim/stream HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  await streams(1);
  const sandbox = sim.registry.default;
  for (let round = 0; sandbox.streams.count > 0 && round < 400; round += 1) {
    sandbox.run.transact({ id: null }, grow, round);
    await nextTurn();
    await nextTurn();
  }
  expect(sandbox.streams.count).toBe(0);
  socket.resume();
  await once(socket, "close");
  expect((await sim.api(SEND, MESSAGE)).status).toBe(200);
});
