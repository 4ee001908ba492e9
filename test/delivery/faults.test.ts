import { describe, expect, it } from "vitest";
import type { FaultInput } from "../../src/sandbox/faults.js";
import type { Run } from "../../src/sandbox/run.js";
import { NOON, receiver, start } from "./support.js";

/** A receiver, and a sandbox with one webhook on it in which this happens to deliveries. */
async function withFault(then: FaultInput["then"], rule: Partial<FaultInput> = {}, behaviour = {}) {
  const target = await receiver((response) => response.writeHead(200).end("ok"));
  const fault = { on: "delivery", then, ...rule } as const;
  return { ...target, ...start({ webhooks: [{ url: target.url }], faults: [fault], behaviour }) };
}

const RETRY = { "delivery.attempts": 2, "delivery.backoff": ["1m"] };

describe("a fault of deliveries", () => {
  it("duplicate counts as delivered if one of its requests succeeds", async () => {
    let calls = 0;
    const { url } = await receiver((response) => response.writeHead(++calls === 2 ? 200 : 500).end());
    const faults = [{ on: "delivery", then: { duplicate: 2 } }] as const;
    const { send, settled } = start({ webhooks: [{ url }], faults, behaviour: RETRY });
    send(1);
    const [delivery] = await settled();
    expect([delivery?.status, delivery?.nextAttemptAt]).toEqual(["delivered", null]);
    expect(delivery?.attempts.map(({ status }) => status).sort()).toEqual([200, 500, 500]);
  });

  it("duplicates that fail are retried as often as a single request", async () => {
    const { url, seen } = await receiver((response) => response.writeHead(500).end());
    const faults = [{ on: "delivery", then: { duplicate: 1 } }] as const;
    const { send, settled, sandbox, log } = start({ webhooks: [{ url }], faults, behaviour: RETRY });
    send(1);
    await settled();
    await sandbox.run.clock.advance(60_000);
    expect([log()[0]?.status, seen.length]).toEqual(["failed", 4]);
  });

  it("status and body can be combined with drop after", async () => {
    const { send, settled, seen } = await withFault({ status: 200, drop: "after" }, {}, RETRY);
    send(1);
    expect((await settled())[0]).toMatchObject({ status: "dropped", attempts: [{ status: null }] });
    expect(seen).toEqual([]);
  });

  it("a delay ends with a reset", async () => {
    const { send, sandbox, settled, seen } = await withFault({ delayMs: 600_000 }, { times: 1 });
    send(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sandbox.run.faults.list()[0]?.fired).toBe(1);
    sandbox.reset();
    await settled();
    sandbox.run.faults.clear();
    send(2);
    expect((await settled()).map(({ status }) => status)).toEqual(["delivered"]);
    expect(seen.map(({ number }) => number)).toEqual([2]);
  });
});

describe("a lost answer", () => {
  it("is a failed attempt that is tried again: the receiver gets the delivery twice", async () => {
    const { send, settled, seen, sandbox, log } = await withFault({ answerLost: true }, { times: 1 }, RETRY);
    send(1);
    const error = "the answer was lost: fault f1";
    const lost = { at: NOON, status: null, error, responseBody: null, fault: "f1" };
    expect((await settled())[0]).toMatchObject({
      status: "pending",
      attempts: [lost],
      nextAttemptAt: NOON + 60_000,
    });
    await sandbox.run.clock.advance(60_000);
    expect(log()[0]).toMatchObject({ status: "delivered", attempts: [lost, { status: 200, error: null }] });
    expect(seen.map(({ text }) => text)).toEqual([seen[0]!.text, seen[0]!.text]);
  });
});

describe("the fault reorder", () => {
  const perWebhook = { "delivery.order": "perWebhook" } as const;
  const none = { "delivery.order": "none" } as const;

  it.each([perWebhook, none])("swaps neighbours with %o", async (behaviour) => {
    const { send, settled, seen } = await withFault({ reorder: true }, {}, behaviour);
    send(1, 2);
    await settled();
    expect(seen.map(({ number }) => number)).toEqual([2, 1]);
  });

  it("does not block the clock while it holds back a retry", async () => {
    let calls = 0;
    const { url, seen } = await receiver((response) => response.writeHead(++calls === 1 ? 500 : 200).end());
    const faults = [{ on: "delivery", after: 1, times: 1, then: { reorder: true } }] as const;
    const { send, settled, sandbox } = start({ webhooks: [{ url }], faults, behaviour: RETRY });
    send(1);
    await settled();
    await sandbox.run.clock.advance(60_000);
    expect([sandbox.run.outbox.idle, seen.length]).toEqual([true, 1]);
    send(2);
    await settled();
    expect(seen.map(({ number }) => number)).toEqual([1, 2, 1]);
  });

  it("applies its other effects too", async () => {
    const { send, settled, seen } = await withFault({ reorder: true, malformed: true }, { times: 1 });
    send(1, 2);
    await settled();
    expect(seen.map(({ number }) => number)).toEqual([2, Number.NaN]);
  });

  it("holds back one delivery at a time", async () => {
    let calls = 0;
    const { url, seen } = await receiver((response) => response.writeHead(++calls === 1 ? 500 : 200).end());
    const faults = [{ on: "delivery", after: 1, times: 2, then: { reorder: true } }] as const;
    const behaviour = { ...RETRY, ...none } as const;
    const { send, settled, sandbox } = start({ webhooks: [{ url }], faults, behaviour });
    send(1);
    await settled();
    send(2);
    await settled();
    expect(seen.map(({ number }) => number)).toEqual([1]);
    await sandbox.run.clock.advance(60_000);
    expect(seen.map(({ number }) => number)).toEqual([1, 1]);
    send(3);
    expect((await settled()).map(({ status }) => status)).toEqual(Array(3).fill("delivered"));
    expect(seen.map(({ number }) => number)).toEqual([1, 1, 3, 2]);
  });

  it("applies its delay after the delivery that overtook it", async () => {
    const at: number[] = [];
    const { url, seen } = await receiver((response) => {
      at.push(performance.now());
      response.end();
    });
    const faults = [{ on: "delivery", times: 1, then: { reorder: true, delayMs: 40 } }] as const;
    const { send, settled } = start({ webhooks: [{ url }], faults, behaviour: perWebhook });
    send(1);
    await settled();
    send(2, 3);
    await settled();
    expect(seen.map(({ number }) => number)).toEqual([2, 1, 3]);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(39);
  });

  it.each([
    ["taken away", ({ faults }: Run) => faults.remove("f1")],
    ["taken away with all others", ({ faults }: Run) => faults.clear()],
  ])("sends what it holds back once its rule is %s, without the delay", async (_, takeAway) => {
    const then = { reorder: true, delayMs: 600_000, headers: { "x-late": "1" } };
    const { send, settled, seen, sandbox, log } = await withFault(then, { times: 1 });
    send(1);
    expect((await settled())[0]?.status).toBe("pending");
    takeAway(sandbox.run);
    expect(sandbox.run.outbox.idle).toBe(false);
    await settled();
    expect(log()[0]).toMatchObject({ status: "delivered", attempts: [{ status: 200, fault: "f1" }] });
    expect(seen.map(({ headers }) => headers["x-late"])).toEqual(["1"]);
    send(2);
    await settled();
    expect(seen.map(({ number }) => number)).toEqual([1, 2]);
  });

  it("keeps holding back while other rules are added and removed", async () => {
    const { send, settled, seen, sandbox } = await withFault({ reorder: true }, { times: 1 });
    send(1);
    await settled();
    sandbox.run.faults.add({ on: "request", then: "slow" });
    sandbox.run.faults.remove("f2");
    expect([(await settled())[0]?.status, seen.length]).toEqual(["pending", 0]);
  });
});
