/** What is written down: bounded, traced from cause to effect, and never silent about what is gone. */
import { expect, it } from "vitest";
import { receiver } from "../delivery/support.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { DETAILS, SEND, settled } from "./client.js";

const LIMIT = 3;
const KINDS = [
  ["requests", { operation: "sendMessageToCustomerThread" }],
  ["deliveries", { eventType: "message" }],
] as const;

const say = (sim: Running, text = "Hi") =>
  sim.api(`POST ${SEND}`, { customerThreadId: "9001", text, odd: true });

/** A simulator that remembers three of the five calls and deliveries that there were. */
async function forgetful(): Promise<Running> {
  const sim = await startSimulator({ journalLimit: LIMIT });
  for (let calls = 0; calls < 5; calls += 1) await say(sim);
  await settled(sim);
  return sim;
}

it("logs keep the newest calls, deliveries, warnings and received calls of sinks", async () => {
  const sim = await forgetful();
  for (const [list, ...expected] of [
    ["requests", "r3", "r4", "r5"],
    ["deliveries", "d3", "d4", "d5"],
    ["warnings", "w3", "w4", "w5"],
    ["sinks/demo/received", "k3", "k4", "k5"],
  ]) {
    const { body } = await sim.control(`GET /${list}`);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(expected);
  }
  expect((await sim.control("GET /requests?since=r1")).body).toHaveLength(3);
  expect((await sim.control("POST /deliveries/d1/replay")).status).toBe(404);
});

it.each(KINDS)("logs of %s pass no verification that evicted entries could change", async (kind, match) => {
  const sim = await forgetful();
  for (const count of [undefined, { min: 3 }]) {
    const { status, body } = await sim.control("POST /verify", { [kind]: match, count });
    expect([status, body]).toEqual([200, { ok: true, count: 3 }]);
  }
  for (const count of [0, 3, 5, { max: 3 }, { min: 2, max: 9 }, { min: 4 }]) {
    const { status, body } = await sim.control("POST /verify", { [kind]: match, count });
    expect([count, status, body.ok, body.count, body.evicted]).toEqual([count, 422, false, 3, 2]);
  }
  const none = await sim.control("POST /verify", { [kind]: { body: "never" }, count: 0 });
  expect([none.status, none.body.ok, none.body.evicted]).toEqual([422, false, 2]);
});

it.each(KINDS)("logs of %s never count evicted entries for a wait", async (kind, match) => {
  const sim = await forgetful();
  const wait = (given: object) => sim.control("POST /wait", { for: given, timeoutMs: 1 });
  expect(await wait({ [kind]: match, count: 3 })).toMatchObject({ status: 200, body: { count: 3 } });
  const late = await wait({ [kind]: match, count: 4 });
  expect(late).toMatchObject({ status: 408, body: { count: 3, evicted: 2 } });
  const sinceGone = await wait({ [kind]: match, count: 5, since: `${kind[0]}1` });
  expect(sinceGone).toMatchObject({ status: 408, body: { evicted: 1 } });
  const sinceKept = await wait({ [kind]: match, count: 3, since: `${kind[0]}3` });
  expect([sinceKept.body.count, sinceKept.body.evicted]).toEqual([2, undefined]);
});

it("logs count entries for an open wait even if they are evicted meanwhile", async () => {
  const sim = await startSimulator({ journalLimit: 2 });
  const waiting = sim.control("POST /wait", { for: { requests: KINDS[0][1], count: 6 } });
  await expect.poll(() => sim.registry.default.openWaits, { timeout: 10_000 }).toBe(1);
  for (let calls = 0; calls < 6; calls += 1) await say(sim);
  expect(await waiting).toMatchObject({ status: 200, body: { count: 6 } });
});

it("logs do not count deleted or reset entries as evicted", async () => {
  const sim = await forgetful();
  for (const [call, logs] of [
    ["DELETE /requests", { requests: {} }],
    ["POST /reset", { deliveries: {} }],
  ] as const) {
    await sim.control(call);
    const { status, body } = await sim.control("POST /verify", { ...logs, count: 0 });
    expect([status, body]).toEqual([200, { ok: true, count: 0 }]);
  }
});

it("causes lead from a call to its change, its event, each attempt and the receiver's answer", async () => {
  let calls = 0;
  const target = await receiver((response, { number }) =>
    response.writeHead(++calls === 1 ? 500 : 202).end(`got ${number}`),
  );
  const set = { "delivery.attempts": 2, "delivery.backoff": ["1m"] };
  const sim = await startSimulator({ clock: "2026-01-01T09:00:00Z", set });
  await sim.control("PATCH /data/webhooks/1", { url: target.url });
  await sim.api(`GET ${DETAILS}`);
  const answer = await say(sim, "traced");
  await settled(sim);
  await sim.control("POST /clock/advance", { by: "1m" });
  const entry = answer.headers.get("x-sim-request");
  const [request] = (await sim.control(`GET /requests?since=r1`)).body;
  expect(request).toMatchObject({ id: entry, operation: "sendMessageToCustomerThread", status: 200 });
  const [message] = (await sim.control("GET /data/messages?text=traced")).body;
  const [delivery] = (await sim.control("GET /deliveries")).body;
  expect(delivery).toMatchObject({
    causedBy: entry,
    webhookId: "1",
    body: { data: { messageId: Number(message.id) } },
    status: "delivered",
    attempts: [
      { at: message.timestamp, status: 500, error: null, responseBody: `got ${message.id}` },
      { at: message.timestamp + 60_000, status: 202, error: null, responseBody: `got ${message.id}` },
    ],
  });
  expect(JSON.parse(target.seen[1]!.text)).toEqual(delivery.body);
  const [warning] = (await sim.control("GET /warnings")).body;
  expect([warning.requestId, request.warnings]).toEqual([entry, [warning]]);
});
