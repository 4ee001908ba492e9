/** Nothing grows without end, whatever is sent. */

import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { MAX_WINDOWS, RateWindows } from "../../src/sandbox/run.js";
import { connection, request } from "./raw.js";
import type { Target } from "./target.js";
import { LONG_POLL, startTarget } from "./target.js";

const LIMIT = 100;

interface Refused {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const JSON_BODY = { token: "acme-token", "content-type": "application/json" };
const REFUSED: readonly Refused[] = [
  { method: "GET", path: "/api/webhooks" },
  { method: "GET", path: "/api/webhooks", headers: { token: "nobody's" } },
  { method: "DELETE", path: "/api/webhooks", headers: { token: "acme-token" } },
  { method: "GET", path: "/nowhere", headers: { token: "acme-token" } },
  { method: "POST", path: "/api/webhooks", headers: JSON_BODY, body: "{" },
  {
    method: "POST",
    path: "/api/update-thread-status",
    headers: JSON_BODY,
    body: '{"customerThreadId":"1","status":"resolved"}',
  },
  { method: "POST", path: "/graphql", headers: JSON_BODY, body: '{"query":"no-such-query"}' },
  { method: "POST", path: "/__sim/wait", headers: JSON_BODY, body: '{"for":"ever"}' },
  { method: "POST", path: "/__sim/snapshots", headers: JSON_BODY, body: '{"name":""}' },
  { method: "GET", path: "/__sim/sinks/a/received?since=nothing" },
];

const BATCH = 500;
const PIPELINED = Array.from({ length: BATCH }, (_, index) => {
  const { method, path, headers = {}, body } = REFUSED[index % REFUSED.length] as Refused;
  return request(`${method} ${path}`, { token: undefined, ...headers }, body);
}).join("");

/** Makes `count` calls, one batch behind the other on one connection, and checks that each is refused. */
async function refuse(url: string, count: number): Promise<void> {
  const { socket, text } = await connection(url);
  for (let done = 0; done < count; done += BATCH) {
    const before = text().length;
    const statuses = () =>
      text()
        .slice(before)
        .match(/HTTP\/1\.1 \d{3} /g) ?? [];
    const all = new Promise<void>((resolve, reject) => {
      socket.once("close", () => reject(new Error("the connection was closed")));
      socket.on("data", () => {
        if (statuses().length >= BATCH) resolve();
      });
    });
    socket.write(PIPELINED);
    await all;
    socket.removeAllListeners("close");
    expect(statuses().filter((status) => !status.startsWith("HTTP/1.1 4"))).toEqual([]);
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
  const { logs, calls, rates, outbox, sinks, faults } = run;
  return {
    withinLimit: [logs.journal, logs.deliveries, logs.warnings].every(({ size }) => size <= LIMIT),
    calls: calls.count,
    windows: rates.size,
    waits: openWaits,
    streams: streams.count,
    idle: outbox.idle,
    sinks: sinks.names(),
    faults: faults.list(),
    snapshots: [...snapshots.values()],
    sandboxes: registry.size,
  };
};

describe("very many calls that come to nothing", () => {
  it("leave nothing behind but a journal of its own length", async () => {
    const target = await startTarget({
      journalLimit: LIMIT,
      set: { "limits.rate": { requests: 1_000_000, per: "1m" } },
    });
    await refuse(target.url, BATCH);
    const before = held(target);
    expect(before).toMatchObject({ withinLimit: true, calls: 0, windows: 1, sandboxes: 1 });
    await target.expectUnchanged(async () => {
      await refuse(target.url, 2_000);
      const lines = [
        "POST /api/webhooks",
        "POST /graphql",
        "PUT /__sim/state",
        "POST /__sim/wait",
        "POST /__sim/sinks/a",
      ];
      for (let round = 0; round < 5; round += 1)
        await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            abort(target.url, lines[index % lines.length] as string, '{"url":'),
          ),
        );
    });
    await expect.poll(() => held(target), LONG_POLL).toEqual(before);
  });
});

describe("a client that goes away", () => {
  it("takes its wait and its stream with it", async () => {
    const target = await startTarget();
    const body = JSON.stringify({ for: { requests: { path: "/never" } }, timeoutMs: 600_000 });
    const lines = [request("POST /__sim/wait", {}, body), request("GET /__sim/stream")];
    const sockets = await Promise.all(Array.from({ length: 100 }, () => connection(target.url)));
    for (const [index, { socket }] of sockets.entries()) socket.write(lines[index % 2] as string);
    await expect.poll(() => held(target), LONG_POLL).toMatchObject({ waits: 50, streams: 50 });
    for (const { socket } of sockets) socket.destroy();
    await expect.poll(() => held(target), LONG_POLL).toMatchObject({ waits: 0, streams: 0 });
  });

  it("does not hold up idleness", async () => {
    const target = await startTarget();
    await abort(target.url, "POST /api/webhooks", "{");
    expect((await target.control("POST /wait", { for: "idle", timeoutMs: 5_000 })).status).toBe(200);
  });
});

describe("a body that comes slowly", () => {
  it("lets others through meanwhile, and is read when it is whole", async () => {
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
});

describe("rate windows", () => {
  it("are bounded: of too many tokens the one whose window began first is forgotten", () => {
    const rates = new RateWindows();
    const once = { requests: 1, per: 1_000 };
    for (let token = 0; token <= MAX_WINDOWS; token += 1) rates.take(`t${token}`, token === 0 ? 0 : 10, once);
    expect(rates.size).toBe(MAX_WINDOWS);
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
