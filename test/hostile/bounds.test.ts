/** Nothing grows without end, whatever is sent. */

import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { RateWindows } from "../../src/sandbox/rates.js";
import { connection, request } from "./raw.js";
import { LONG_POLL, startTarget, type Target } from "./target.js";

const LIMIT = 100;

const REFUSED = [
  request("GET /api/webhooks", { token: undefined }),
  request("GET /api/webhooks", { token: "nobody's" }),
  request("DELETE /api/webhooks"),
  request("GET /nowhere"),
  request("POST /api/webhooks", {}, "{"),
  request("POST /api/update-thread-status", {}, '{"customerThreadId":"1","status":"resolved"}'),
  request("POST /graphql", {}, '{"query":"no-such-query"}'),
  request("POST /__sim/wait", {}, '{"for":"ever"}'),
  request("POST /__sim/snapshots", {}, '{"name":""}'),
  request("GET /__sim/sinks/a/received?since=nothing"),
];
const BATCH = 500;

/** Makes `count` calls, one batch behind the other on one connection, and checks that each is refused. */
async function refuse(url: string, count: number): Promise<void> {
  const { socket, text } = await connection(url);
  for (let done = 0; done < count; done += BATCH) {
    const before = text().length;
    const statuses = () =>
      text()
        .slice(before)
        .match(/(?<=HTTP\/1\.1 )\d{3} /g) ?? [];
    socket.write(REFUSED.join("").repeat(BATCH / REFUSED.length));
    await expect.poll(() => statuses().length, LONG_POLL).toBe(BATCH);
    expect(statuses().filter((status) => !status.startsWith("4"))).toEqual([]);
  }
  socket.destroy();
}

/** Begins a call and goes away in its middle. */
async function abort(url: string, line: string, half: string): Promise<void> {
  const { socket } = await connection(url);
  const headers = { "content-type": "application/json", "content-length": "1000" };
  await new Promise<void>((resolve) => socket.write(request(line, headers) + half, () => resolve()));
  socket.destroy();
}

/** Everything in a sandbox that could pile up. */
const held = ({ registry }: Target) => {
  const { run, openWaits, streams, snapshots } = registry.default;
  const { logs, calls, rates, outbox, faults } = run;
  return {
    withinLimit: [logs.journal, logs.deliveryLog, logs.warnings].every(({ size }) => size <= LIMIT),
    calls: calls.count,
    windows: rates.windows.size,
    waits: openWaits,
    streams: streams.count,
    idle: outbox.idle,
    faults: faults.list(),
    snapshots: [...snapshots.values()],
    sandboxes: registry.size,
  };
};

it("very many calls that come to nothing leave nothing behind but a journal of its own length", async () => {
  const set = { "limits.rate": { requests: 1_000_000, per: "1m" } };
  const target = await startTarget({ journalLimit: LIMIT, set });
  await refuse(target.url, BATCH);
  const before = held(target);
  expect(before).toMatchObject({ withinLimit: true, calls: 0, windows: 1, sandboxes: 1 });
  await target.expectUnchanged(async () => {
    await refuse(target.url, 2_000);
    const paths = ["/api/webhooks", "/graphql", "/__sim/state", "/__sim/wait", "/__sim/sinks/a"];
    const lines = paths.map((path) => `${path === "/__sim/state" ? "PUT" : "POST"} ${path}`);
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 50 }, (_, at) => abort(target.url, lines[at % 5]!, '{"url":')));
  });
  await expect.poll(() => held(target), LONG_POLL).toEqual(before);
});

it("a client that goes away takes its wait and its stream with it", async () => {
  const target = await startTarget();
  const body = JSON.stringify({ for: { requests: { path: "/never" } }, timeoutMs: 600_000 });
  const lines = [request("POST /__sim/wait", {}, body), request("GET /__sim/stream")];
  const sockets = await Promise.all(Array.from({ length: 100 }, () => connection(target.url)));
  for (const [index, { socket }] of sockets.entries()) socket.write(lines[index % 2] as string);
  await expect.poll(() => held(target), LONG_POLL).toMatchObject({ waits: 50, streams: 50 });
  for (const { socket } of sockets) socket.destroy();
  await expect.poll(() => held(target), LONG_POLL).toMatchObject({ waits: 0, streams: 0 });
});

it("a body that comes slowly lets others through meanwhile, and is read when it is whole", async () => {
  const target = await startTarget();
  const { socket } = await connection(target.url);
  const body = '{"customerThreadId":"9001","status":"resolved"}';
  const whole = request("POST /api/update-thread-status", {}, body);
  socket.write(whole.slice(0, -20));
  const { calls } = target.registry.default.run;
  await expect.poll(() => calls.count, LONG_POLL).toBe(1);
  expect((await target.api("GET /api/webhooks")).status).toBe(200);
  for (const byte of whole.slice(-20))
    await new Promise<void>((resolve) => socket.write(byte, () => resolve()));
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
  expect(calls.count).toBe(0);
});

describe("rate windows", () => {
  it("are bounded: of too many tokens the one whose window began first is forgotten", () => {
    const rates = new RateWindows();
    const once = { requests: 1, per: 1_000 };
    for (let token = 0; token <= BOUNDS.rateWindows.limit; token += 1)
      rates.take(`t${token}`, token === 0 ? 0 : 10, once);
    expect(rates.windows.size).toBe(BOUNDS.rateWindows.limit);
    expect(rates.take("t1", 10, once)).toBe(1_000);
    expect(rates.take("t0", 10, once)).toBe(0);
  });

  it("are not opened by tokens that nobody has", async () => {
    const target = await startTarget({ set: { "limits.rate": { requests: 5, per: "1m" } } });
    for (let round = 0; round < 20; round += 1)
      await target.api("GET /api/webhooks", undefined, { token: `t${round}` });
    expect(held(target).windows).toBe(0);
  });
});
