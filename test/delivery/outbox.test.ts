import { describe, expect, it } from "vitest";
import { BOUNDS } from "../../src/kernel/bounds.js";
import { nextTurn } from "../../src/kernel/realtime.js";
import { emitGiven } from "../../src/service/domain/threads.js";
import { until } from "../support/until.js";
import { answering, deadUrl, NOON, receiver, start, startWithReceiver, upTo } from "./support.js";

const MINUTE = 60_000;
const TWICE = { "delivery.attempts": 2 };
/** A fault that answers in place of receivers. */
const STUB = [{ on: "delivery", then: { status: 200 } }] as const;

describe("a delivery", () => {
  it("reaches the webhook with its payload and headers, and is logged", async () => {
    const { deliver, seen } = await startWithReceiver();
    const headers = { "content-type": "application/json", "user-agent": "messaging-sim/test" };
    const [delivery] = await deliver(1);
    expect(delivery).toMatchObject({
      id: "d1",
      causedBy: "c1",
      headers,
      attempts: [{ at: NOON, status: 200 }],
    });
    expect(seen).toMatchObject([{ path: "/hook", text: JSON.stringify(delivery?.body), headers }]);
  });

  it("is only queued while the call that caused it runs", async () => {
    const { send, sandbox, settled, log, seen } = await startWithReceiver();
    send(1);
    expect([seen.length, sandbox.run.outbox.idle, log()[0]?.status]).toEqual([0, false, "pending"]);
    await settled();
    expect([seen.length, sandbox.run.outbox.idle]).toEqual([1, true]);
  });

  it("is queued without measuring a shared payload again", () => {
    let looks = 0;
    const big = {
      get text() {
        looks += 1;
        return "x";
      },
    };
    const { sandbox, log } = start({ webhooks: upTo(3).map(() => ({ url: "sink:demo" })) });
    sandbox.run.transact({ id: "c1" }, emitGiven, { eventType: "message", data: { big } });
    expect([log().length, looks]).toEqual([3, 1]);
  });

  it("is sent once its own event is saved, even if another is in flight, and however often saving fails", async () => {
    const events: { keep: () => void; fail: () => void }[] = [];
    const kept = () =>
      new Promise<void>((keep, reject) => events.push({ keep, fail: () => reject(new Error("full")) }));
    const { send, settled, received, numbers } = await startWithReceiver({ kept });
    const event = async (count: number) => {
      await until(() => events.length === count);
      return events.at(-1)!;
    };
    send(1);
    const first = await event(1);
    send(2);
    first.keep();
    await received(1);
    const second = await event(2);
    await nextTurn();
    expect(numbers()).toEqual([1]);
    second.fail();
    const again = await event(3);
    expect(numbers()).toEqual([1]);
    again.keep();
    await settled();
    expect(numbers()).toEqual([1, 2]);
  });

  it.each([
    ["disabled", "drop", [1]],
    ["deleted", "drop", [1]],
    ["disabled", "send", [1, 2, 2]],
    ["deleted", "send", [1, 2, 2]],
  ] as const)("of a webhook that is %s obeys pendingAfterDisable %s", async (what, policy, received) => {
    const { deliver, send, sandbox, settled, log, seen, numbers, change } = await startWithReceiver({
      respond: answering(200, 500),
      webhook: { extraHeaders: [{ name: "x-event", value: "1" }] },
      behaviour: { ...TWICE, "webhooks.pendingAfterDisable": policy },
    });
    await deliver(1);
    send(2);
    if (what === "deleted") sandbox.run.world.remove("webhooks", "1");
    else change({ enabled: false });
    await settled();
    await sandbox.run.clock.advance(MINUTE);
    expect(numbers()).toEqual(received);
    expect(seen.every(({ headers }) => headers["x-event"] === "1")).toBe(true);
    const reason = `webhook 1 was ${what} before this attempt (behaviour webhooks.pendingAfterDisable)`;
    expect(log()[1]).toMatchObject(
      policy === "send"
        ? { status: "failed", reason: null }
        : { status: "dropped", reason, attempts: [], nextAttemptAt: null },
    );
  });

  it("keeps its attempts if its webhook is disabled before the retry, and continues once it is enabled again", async () => {
    const behaviour = { "delivery.attempts": 3 };
    const { deliver, sandbox, log, seen, change } = await startWithReceiver({
      respond: answering(500),
      behaviour,
    });
    await deliver(1);
    for (const enabled of [false, true]) change({ enabled });
    await sandbox.run.clock.advance(MINUTE);
    expect([seen.length, log()[0]?.status]).toEqual([2, "pending"]);
    change({ enabled: false });
    await sandbox.run.clock.advance(5 * MINUTE);
    expect([seen.length, log()[0]?.status, log()[0]?.attempts.length]).toEqual([2, "dropped", 2]);
  });

  it("is blocked if its URL cannot be called", async () => {
    const { deliver, change } = start({ webhooks: [{ url: "sink:a" }] });
    change({ url: "nothing" });
    const reason = "nothing is not a URL";
    expect((await deliver(1))[0]).toMatchObject({ status: "blocked", reason, attempts: [] });
  });

  it("is blocked by the guard without an attempt or fault, and blocks nothing else", async () => {
    const { url } = await receiver();
    const { deliver, sandbox } = start({
      webhooks: [{ url: "https://bot.example/x" }, { url }],
      behaviour: { "delivery.attempts": 3 },
      faults: [{ on: "delivery", then: { headers: { "x-fault": "1" } } }],
    });
    const [blocked, delivered] = await deliver(1, 2);
    expect(blocked).toMatchObject({ status: "blocked", attempts: [], headers: {}, nextAttemptAt: null });
    expect(sandbox.run.faults.list()[0]?.seen).toBe(2);
    expect(blocked?.reason).toContain("--allow-outbound bot.example");
    expect(delivered?.status).toBe("delivered");
  });

  it("is blocked however many others wait", async () => {
    const { deliver } = start({ webhooks: [{ url: "https://bot.example/x" }] });
    const all = await deliver(...upTo(BOUNDS.pending.limit));
    expect(all.filter(({ status }) => status === "blocked")).toHaveLength(BOUNDS.pending.limit);
  });

  it.each([
    ["2xx", 200, "delivered"],
    ["2xx", 299, "delivered"],
    ["2xx", 300, "failed"],
    [[200, 409], 409, "delivered"],
    [[200, 409], 201, "failed"],
  ] as const)("with delivery.success %s and the answer %i is %s", async (success, status, expected) => {
    const behaviour = { "delivery.success": success as "2xx" };
    const { deliver } = await startWithReceiver({ respond: answering(status), behaviour });
    expect((await deliver(1))[0]?.status).toBe(expected);
  });

  it("is dropped if too many are pending", async () => {
    const { deliver, send, settled, log } = start({ webhooks: [{ url: "sink:a" }], faults: STUB });
    send(...upTo(BOUNDS.pending.limit + 1));
    expect(log().at(-1)).toMatchObject({ status: "dropped", attempts: [] });
    expect(log().at(-1)?.reason).toContain(String(BOUNDS.pending.limit));
    const all = await settled();
    expect(all.filter(({ status }) => status === "delivered")).toHaveLength(BOUNDS.pending.limit);
    expect((await deliver(0)).at(-1)?.status).toBe("delivered");
  });

  it("is dropped if the pending payloads are too large together", async () => {
    const { sandbox, settled, deliver } = start({
      webhooks: upTo(40).map(() => ({ url: "sink:a" })),
      faults: STUB,
    });
    const data = { messageBody: "x".repeat(1_000_000) };
    sandbox.run.transact({ id: "c1" }, emitGiven, { eventType: "message", data });
    const all = await settled();
    const dropped = all.filter(({ status }) => status === "dropped");
    expect(dropped).toHaveLength(40 - 33);
    expect(dropped[0]?.reason).toBe(
      "the outbox is full: 10000 deliveries, or payloads of 32 MiB, of this sandbox are pending",
    );
    expect((await deliver(0)).slice(-40).every(({ status }) => status === "delivered")).toBe(true);
  });
});

describe("delivery.order perWebhook", () => {
  it("sends one after the other, in order", async () => {
    let open = 0;
    let most = 0;
    const { deliver, numbers } = await startWithReceiver({
      respond: (response) => {
        most = Math.max(most, ++open);
        setImmediate(() => {
          open -= 1;
          response.end();
        });
      },
    });
    await deliver(...upTo(50));
    expect(numbers()).toEqual(upTo(50));
    expect(most).toBe(1);
  });

  it("does not let one webhook wait for another", async () => {
    const answers: (() => void)[] = [];
    const slow = await receiver((response) => answers.push(() => response.end()));
    const quick = await receiver();
    const { send, settled, log } = start({ webhooks: [{ url: slow.url }, { url: quick.url }] });
    send(1, 2, 3);
    await Promise.all([slow.received(1), quick.received(3)]);
    expect(slow.seen).toHaveLength(1);
    for (const count of [2, 3]) {
      answers.shift()?.();
      await slow.received(count);
    }
    answers.shift()?.();
    await settled();
    expect(log().map(({ status }) => status)).toEqual(Array(6).fill("delivered"));
  });

  it("holds later deliveries back while one waits for its retry, and counts them as idle", async () => {
    const { deliver, settled, sandbox, numbers } = await startWithReceiver({
      respond: answering(500, 200),
      behaviour: TWICE,
    });
    const waiting = await deliver(1, 2, 3);
    expect(sandbox.run.outbox.idle).toBe(true);
    expect(waiting.map(({ status, nextAttemptAt }) => [status, nextAttemptAt])).toEqual([
      ["pending", NOON + MINUTE],
      ["pending", null],
      ["pending", null],
    ]);
    await sandbox.run.clock.advance(MINUTE);
    expect(numbers()).toEqual([1, 1, 2, 3]);
    expect((await settled()).map(({ status, attempts }) => [status, attempts.at(-1)?.at])).toEqual(
      Array(3).fill(["delivered", NOON + MINUTE]),
    );
  });
});

describe("delivery.order none", () => {
  it("sends the deliveries of a webhook at once", async () => {
    const answers: (() => void)[] = [];
    const { send, settled, received } = await startWithReceiver({
      respond: (response) => answers.push(() => response.end()),
      behaviour: { "delivery.order": "none" },
    });
    send(...upTo(70));
    await received(70);
    for (const answer of answers) answer();
    expect((await settled()).every(({ status }) => status === "delivered")).toBe(true);
  });

  it("does not wait for retries", async () => {
    const { deliver } = await startWithReceiver({
      respond: (response, { number }) => response.writeHead(number === 1 ? 500 : 200).end(),
      behaviour: { ...TWICE, "delivery.order": "none" },
    });
    expect((await deliver(1, 2)).map(({ status }) => status)).toEqual(["pending", "delivered"]);
    expect((await deliver(3)).map(({ status }) => status)).toEqual(["pending", "delivered", "delivered"]);
  });
});

describe("retries", () => {
  it("follow the backoff exactly, and repeat its last value", async () => {
    const url = await deadUrl();
    const behaviour = { "delivery.attempts": 5, "delivery.backoff": ["1m", 300_000, "30m"] };
    const { deliver, sandbox } = start({ webhooks: [{ url }], behaviour });
    const [delivery] = await deliver(1);
    await sandbox.run.clock.advance(100 * MINUTE);
    const offsets = delivery?.attempts.map(({ at }) => (at - NOON) / MINUTE);
    expect(offsets).toEqual([0, 1, 6, 36, 66]);
    expect([delivery?.status, delivery?.nextAttemptAt]).toEqual(["failed", null]);
    expect(sandbox.run.clock.pending).toBe(0);
  });

  it("hold the clock until the deliveries behind them were attempted", async () => {
    const answers: (() => void)[] = [];
    let isBroken = true;
    const { deliver, received, sandbox, log } = await startWithReceiver({
      respond: (response) => {
        if (isBroken) response.writeHead(500).end();
        else answers.push(() => response.end());
      },
      behaviour: TWICE,
    });
    await deliver(1, 2);
    isBroken = false;
    let isOver = false;
    const advance = sandbox.run.clock.advance(MINUTE).then(() => {
      isOver = true;
    });
    for (const count of [2, 3]) {
      await received(count);
      await nextTurn();
      expect([count, isOver, log()[0]?.nextAttemptAt]).toEqual([count, false, null]);
      answers.shift()?.();
    }
    await advance;
    expect(sandbox.run.outbox.idle).toBe(true);
  });

  it("hold back later deliveries of their webhook, however many other webhooks there are", async () => {
    const { url, numbers } = await receiver(answering(500, 200));
    const others = upTo(1_001).map(() => ({ url: "https://bot.example/", enabled: false }));
    const { deliver, sandbox } = start({ webhooks: [{ url }, ...others], behaviour: TWICE });
    await deliver(1);
    for (const webhook of sandbox.run.world.all("webhooks"))
      sandbox.run.world.put("webhooks", { ...webhook, enabled: true });
    await deliver(2);
    await deliver(3);
    expect(numbers()).toEqual([1]);
    await sandbox.run.clock.advance(MINUTE);
    expect(numbers()).toEqual([1, 1, 2, 3]);
  });
});

describe("a reset", () => {
  it("aborts deliveries in flight and waiting, and sends later ones", async () => {
    const { send, received, numbers, deliver, sandbox, log } = await startWithReceiver({
      respond: (response, { number }) => void (number === 9 && response.end()),
      behaviour: { "delivery.timeoutMs": 600_000 },
    });
    send(1, 2);
    await received(1);
    const before = log();
    const was = before.map((delivery) => ({ ...delivery }));
    const settling = sandbox.run.outbox.settled();
    sandbox.reset();
    await settling;
    expect([sandbox.run.outbox.idle, sandbox.run.clock.pending, log()]).toEqual([true, 0, []]);
    expect(await deliver(9)).toMatchObject([{ id: "d1", status: "delivered" }]);
    expect(numbers()).toEqual([1, 9]);
    expect(before).toEqual(was);
  });

  it("ignores an attempt that ends in the same turn", async () => {
    const { send, sandbox } = start({ webhooks: [{ url: "sink:a" }], faults: STUB });
    const heard: string[] = [];
    const reset = new Promise<void>((resolve) =>
      sandbox.observe({
        delivery: ({ status }) => heard.push(status),
        fault: () =>
          queueMicrotask(() => {
            sandbox.reset();
            resolve();
          }),
      }),
    );
    send(1);
    await reset;
    await nextTurn();
    expect(heard).toEqual(["pending"]);
  });
});
