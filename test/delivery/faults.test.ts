import { describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/realtime.js";
import type { Run } from "../../src/sandbox/run.js";
import { answering, startWithReceiver } from "./support.js";

const RETRY = { "delivery.attempts": 2, "delivery.backoff": ["1m"] };

describe("a fault of deliveries", () => {
  it("duplicate counts as delivered if one of its requests succeeds", async () => {
    const respond = answering(500, 200, 500);
    const { deliver } = await startWithReceiver({
      respond,
      fault: { then: { duplicate: 2 } },
      behaviour: RETRY,
    });
    const [delivery] = await deliver(1);
    expect([delivery?.status, delivery?.nextAttemptAt]).toEqual(["delivered", null]);
    expect(delivery?.attempts.map(({ status }) => status).sort()).toEqual([200, 500, 500]);
  });

  it("duplicates that fail are retried as often as a single request", async () => {
    const fault = { then: { duplicate: 1 } };
    const { deliver, sandbox, log, seen } = await startWithReceiver({
      respond: answering(500),
      fault,
      behaviour: RETRY,
    });
    await deliver(1);
    await sandbox.run.clock.advance(60_000);
    expect([log()[0]?.status, seen.length]).toEqual(["failed", 4]);
  });

  it("status and body can be combined with drop after", async () => {
    const fault = { then: { status: 200, drop: "after" } } as const;
    const { deliver, seen } = await startWithReceiver({ fault, behaviour: RETRY });
    expect((await deliver(1))[0]).toMatchObject({ status: "dropped", attempts: [{ status: null }] });
    expect(seen).toEqual([]);
  });

  it("a delay ends with a reset", async () => {
    const fault = { times: 1, then: { delayMs: 600_000 } };
    const { send, sandbox, settled, deliver, numbers } = await startWithReceiver({ fault });
    send(1);
    await nextTurn();
    expect(sandbox.run.faults.list()[0]?.fired).toBe(1);
    sandbox.reset();
    await settled();
    sandbox.run.faults.clear();
    expect((await deliver(2)).map(({ status }) => status)).toEqual(["delivered"]);
    expect(numbers()).toEqual([2]);
  });
});

describe("the fault reorder", () => {
  const then = { reorder: true };
  const unordered = { "delivery.order": "none" } as const;

  it("swaps neighbours without an order too", async () => {
    const { deliver, numbers } = await startWithReceiver({ fault: { then }, behaviour: unordered });
    await deliver(1, 2);
    expect(numbers()).toEqual([2, 1]);
  });

  it("does not block the clock while it holds back a retry", async () => {
    const { deliver, sandbox, numbers } = await startWithReceiver({
      respond: answering(500, 200),
      fault: { after: 1, times: 1, then },
      behaviour: RETRY,
    });
    await deliver(1);
    await sandbox.run.clock.advance(60_000);
    expect([sandbox.run.outbox.idle, numbers()]).toEqual([true, [1]]);
    await deliver(2);
    expect(numbers()).toEqual([1, 2, 1]);
  });

  it("applies its other effects too", async () => {
    const fault = { times: 1, then: { reorder: true, malformed: true } };
    const { deliver, numbers } = await startWithReceiver({ fault });
    await deliver(1, 2);
    expect(numbers()).toEqual([2, Number.NaN]);
  });

  it("holds back one delivery at a time", async () => {
    const { deliver, sandbox, numbers } = await startWithReceiver({
      respond: answering(500, 200),
      fault: { after: 1, times: 2, then },
      behaviour: { ...RETRY, ...unordered },
    });
    await deliver(1);
    await deliver(2);
    expect(numbers()).toEqual([1]);
    await sandbox.run.clock.advance(60_000);
    expect(numbers()).toEqual([1, 1]);
    expect((await deliver(3)).map(({ status }) => status)).toEqual(Array(3).fill("delivered"));
    expect(numbers()).toEqual([1, 1, 3, 2]);
  });

  it("applies its delay after the delivery that overtook it", async () => {
    const at: number[] = [];
    const { deliver, numbers } = await startWithReceiver({
      respond: (response) => {
        at.push(performance.now());
        response.end();
      },
      fault: { times: 1, then: { reorder: true, delayMs: 40 } },
    });
    await deliver(1);
    await deliver(2, 3);
    expect(numbers()).toEqual([2, 1, 3]);
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(39);
  });

  it.each([
    ["taken away", ({ faults }: Run) => faults.remove("f1")],
    ["taken away with all others", ({ faults }: Run) => faults.clear()],
  ])("sends what it holds back once its rule is %s, without the delay", async (_, takeAway) => {
    const fault = { times: 1, then: { reorder: true, delayMs: 600_000, headers: { "x-late": "1" } } };
    const { deliver, settled, seen, numbers, sandbox, log } = await startWithReceiver({ fault });
    expect((await deliver(1))[0]?.status).toBe("pending");
    takeAway(sandbox.run);
    expect(sandbox.run.outbox.idle).toBe(false);
    await settled();
    expect(log()[0]).toMatchObject({ status: "delivered", attempts: [{ status: 200, fault: "f1" }] });
    expect(seen.map(({ headers }) => headers["x-late"])).toEqual(["1"]);
    await deliver(2);
    expect(numbers()).toEqual([1, 2]);
  });

  it("keeps holding back while other rules are added and removed", async () => {
    const { deliver, settled, seen, sandbox } = await startWithReceiver({ fault: { times: 1, then } });
    await deliver(1);
    sandbox.run.faults.add({ on: "request", then: "slow" });
    sandbox.run.faults.remove("f2");
    expect([(await settled())[0]?.status, seen.length]).toEqual(["pending", 0]);
  });
});
