import { describe, expect, it } from "vitest";
import { MAX_PENDING } from "../../src/delivery/outbox.js";
import { deadUrl, NOON, receiver, start, upTo } from "./support.js";

const MINUTE = 60_000;

describe("a delivery", () => {
  it("reaches the webhook with its payload and headers and is written down", async () => {
    const { url, seen } = await receiver((response) => response.writeHead(201).end("thanks"));
    const extraHeaders = [{ name: "Authorization", value: "Bearer s" }];
    const { send, settled } = start({ webhooks: [{ url, extraHeaders }] });
    send(1);
    const [delivery] = await settled();
    expect(delivery).toMatchObject({
      id: "d1",
      causedBy: "c1",
      status: "delivered",
      reason: null,
      nextAttemptAt: null,
      attempts: [{ at: NOON, status: 201, error: null, responseBody: "thanks" }],
      headers: {
        "content-type": "application/json",
        "user-agent": "messaging-sim/test",
        Authorization: "Bearer s",
      },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "POST", path: "/hook", text: JSON.stringify(delivery?.body) });
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer s", "content-type": "application/json" });
  });

  it("is only entered while the call that caused it runs", async () => {
    const { url, seen } = await receiver();
    const { send, sandbox, settled, log } = start({ webhooks: [{ url }] });
    send(1);
    expect([seen.length, sandbox.run.outbox.idle, log()[0]?.status]).toEqual([0, false, "pending"]);
    await settled();
    expect([seen.length, sandbox.run.outbox.idle]).toEqual([1, true]);
  });

  it("carries the headers that the webhook has when it is first tried", async () => {
    const { url, seen } = await receiver();
    const { send, sandbox, settled } = start({ webhooks: [{ url }] });
    send(1);
    const webhook = sandbox.run.world.get("webhooks", "1")!;
    sandbox.run.world.put("webhooks", { ...webhook, extraHeaders: [{ name: "x-new", value: "1" }] });
    await settled();
    expect(seen[0]?.headers["x-new"]).toBe("1");
  });

  it("still goes to a webhook that was deleted meanwhile", async () => {
    const { url, seen } = await receiver();
    const { send, sandbox, settled } = start({
      webhooks: [{ url, extraHeaders: [{ name: "x", value: "1" }] }],
    });
    send(1);
    sandbox.run.world.remove("webhooks", "1");
    await settled();
    expect(seen[0]?.headers.x).toBe("1");
  });

  it("is blocked by the guard without an attempt, and holds nothing back", async () => {
    const { url } = await receiver();
    const { send, settled } = start({ webhooks: [{ url: "https://bot.example/x" }, { url }] });
    send(1, 2);
    const [blocked, delivered] = await settled();
    expect(blocked).toMatchObject({ status: "blocked", attempts: [], headers: {} });
    expect(blocked?.reason).toContain("--allow-outbound bot.example");
    expect(delivered?.status).toBe("delivered");
  });

  it.each([
    ["2xx", 204, "delivered"],
    ["2xx", 302, "failed"],
    ["2xx", 199, "failed"],
    [[200, 409], 409, "delivered"],
    [[200, 409], 201, "failed"],
  ] as const)("with delivery.success %s and the answer %i is %s", async (success, status, expected) => {
    const answer = status === 199 ? 500 : status;
    const { url, seen } = await receiver((response) =>
      response.writeHead(answer, { location: "/other" }).end(),
    );
    const { send, settled } = start({
      webhooks: [{ url }],
      behaviour: { "delivery.success": success as "2xx" },
    });
    send(1);
    expect((await settled())[0]?.status).toBe(expected);
    expect(seen).toHaveLength(1);
  });

  it("is dropped when too many are pending", async () => {
    const { url } = await receiver();
    const { send, settled, log } = start({ webhooks: [{ url }] });
    send(...upTo(MAX_PENDING + 1));
    expect(log().at(-1)).toMatchObject({ status: "dropped", attempts: [] });
    expect(log().at(-1)?.reason).toContain(String(MAX_PENDING));
    const all = await settled();
    expect(all.filter(({ status }) => status === "delivered")).toHaveLength(MAX_PENDING);
    send(0);
    expect((await settled()).at(-1)?.status).toBe("delivered");
  });
});

describe("delivery.order perWebhook", () => {
  it("sends one after the other, in order", async () => {
    let open = 0;
    let most = 0;
    const { url, seen } = await receiver((response) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open -= 1;
        response.end();
      });
    });
    const { send, settled } = start({ webhooks: [{ url }] });
    send(...upTo(50));
    await settled();
    expect(seen.map(({ number }) => number)).toEqual(upTo(50));
    expect(most).toBe(1);
  });

  it("does not let one webhook wait for another", async () => {
    const held: (() => void)[] = [];
    const slow = await receiver((response) => held.push(() => response.end()));
    const quick = await receiver();
    const { send, settled, log } = start({ webhooks: [{ url: slow.url }, { url: quick.url }] });
    send(1, 2, 3);
    await Promise.all([slow.received(1), quick.received(3)]);
    expect(slow.seen).toHaveLength(1);
    for (const count of [2, 3]) {
      held.shift()?.();
      await slow.received(count);
    }
    held.shift()?.();
    await settled();
    expect(log().map(({ status }) => status)).toEqual(Array(6).fill("delivered"));
  });

  it("holds later deliveries back while one waits for its retry, and counts them as idle", async () => {
    let broken = true;
    const { url, seen } = await receiver((response) => response.writeHead(broken ? 500 : 200).end());
    const { send, settled, sandbox } = start({
      webhooks: [{ url }],
      behaviour: { "delivery.attempts": 2, "delivery.backoff": ["1m"] },
    });
    send(1, 2, 3);
    const waiting = await settled();
    expect(sandbox.run.outbox.idle).toBe(true);
    expect(waiting.map(({ status, nextAttemptAt }) => [status, nextAttemptAt])).toEqual([
      ["pending", NOON + MINUTE],
      ["pending", null],
      ["pending", null],
    ]);
    broken = false;
    await sandbox.run.clock.advance(MINUTE);
    expect(seen.map(({ number }) => number)).toEqual([1, 1, 2, 3]);
    expect((await settled()).map(({ status, attempts }) => [status, attempts.at(-1)?.at])).toEqual(
      Array(3).fill(["delivered", NOON + MINUTE]),
    );
  });
});

describe("delivery.order none", () => {
  it("sends as they come, 64 of a webhook at once", async () => {
    const held: (() => void)[] = [];
    const { url, received, seen } = await receiver((response) => held.push(() => response.end()));
    const { send, settled } = start({ webhooks: [{ url }], behaviour: { "delivery.order": "none" } });
    send(...upTo(70));
    await received(64);
    expect(seen).toHaveLength(64);
    for (const release of held.splice(0, 6)) release();
    await received(70);
    for (const release of held) release();
    expect((await settled()).every(({ status }) => status === "delivered")).toBe(true);
  });

  it("lets nobody wait for a retry", async () => {
    const { url } = await receiver((response, { number }) =>
      response.writeHead(number === 1 ? 500 : 200).end(),
    );
    const behaviour = { "delivery.order": "none", "delivery.attempts": 2 } as const;
    const { send, settled } = start({ webhooks: [{ url }], behaviour });
    send(1, 2);
    expect((await settled()).map(({ status }) => status)).toEqual(["pending", "delivered"]);
  });
});

describe("retries", () => {
  it("come exactly when the backoff says, the last value repeating", async () => {
    const url = await deadUrl();
    const behaviour = { "delivery.attempts": 5, "delivery.backoff": ["1m", 300_000, "30m"] };
    const { send, settled, sandbox } = start({ webhooks: [{ url }], behaviour });
    send(1);
    const [delivery] = await settled();
    const offsets = [0, 1, 6, 36, 66].map((minutes) => minutes * MINUTE);
    for (const [made, offset] of offsets.entries()) {
      expect(delivery?.attempts.map(({ at }) => at - NOON)).toEqual(offsets.slice(0, made + 1));
      const next = offsets[made + 1];
      expect(delivery?.nextAttemptAt).toBe(next === undefined ? null : NOON + next);
      if (next === undefined) break;
      await sandbox.run.clock.advance(next - offset - 1);
      expect(delivery?.attempts).toHaveLength(made + 1);
      await sandbox.run.clock.advance(1);
    }
    expect(delivery?.status).toBe("failed");
    expect(sandbox.run.clock.pending).toBe(0);
  });

  it("are all over when one long advance is", async () => {
    const { url } = await receiver((response) => response.writeHead(503).end());
    const behaviour = { "delivery.attempts": 4 };
    const { send, settled, sandbox, log } = start({ webhooks: [{ url }], behaviour });
    send(1, 2);
    await settled();
    await sandbox.run.clock.advance(24 * 60 * MINUTE);
    expect(log().map(({ status, attempts }) => [status, attempts.length])).toEqual([
      ["failed", 4],
      ["failed", 4],
    ]);
    expect(log()[1]?.attempts[0]?.at).toBe(NOON + 36 * MINUTE);
  });

  it("without a backoff come at once", async () => {
    const { url, seen } = await receiver((response) => response.writeHead(503).end());
    const { send, settled } = start({
      webhooks: [{ url }],
      behaviour: { "delivery.attempts": 3, "delivery.backoff": [0] },
    });
    send(1, 2);
    expect((await settled()).map(({ status }) => status)).toEqual(["failed", "failed"]);
    expect(seen).toHaveLength(6);
  });

  it("are never made for a legacy webhook", async () => {
    const { url, seen } = await receiver((response) => response.writeHead(500).end());
    const { send, settled } = start({
      webhooks: [{ url, legacy: true }],
      behaviour: { "delivery.attempts": 4 },
    });
    send(1);
    expect((await settled())[0]).toMatchObject({ status: "failed", nextAttemptAt: null });
    expect(seen).toHaveLength(1);
  });

  it("do not keep the clock while new deliveries stream in", async () => {
    let broken = true;
    const harness = start({
      webhooks: [
        {
          url: (
            await receiver((response, { number }) => {
              response.writeHead(broken ? 500 : 200).end();
              if (!broken && number < 1_000_000) harness.send(number + 1);
            })
          ).url,
        },
      ],
      behaviour: { "delivery.attempts": 2, "delivery.backoff": ["1m"] },
    });
    harness.send(1);
    await harness.settled();
    broken = false;
    await harness.sandbox.run.clock.advance(MINUTE);
    expect(harness.log()[0]?.status).toBe("delivered");
    expect(harness.sandbox.run.clock.now()).toBe(NOON + MINUTE);
  });
});

describe("a reset", () => {
  it("abandons what is under way, waiting and not sent yet, and later deliveries go out", async () => {
    const held: (() => void)[] = [];
    const slow = await receiver((response, { number }) => {
      if (number === 9) response.end();
      else held.push(() => response.end());
    });
    const url = await deadUrl();
    const { send, settled, sandbox, log } = start({
      webhooks: [{ url: slow.url }, { url }],
      behaviour: { "delivery.attempts": 3, "delivery.timeoutMs": 600_000 },
    });
    send(1, 2);
    await slow.received(1);
    const before = log();
    const was = before.map((delivery) => ({ ...delivery }));
    const settling = sandbox.run.outbox.settled();
    sandbox.reset();
    await settling;
    expect([sandbox.run.outbox.idle, sandbox.run.clock.pending, log()]).toEqual([true, 0, []]);
    for (const release of held) release();
    send(9);
    await settled();
    expect(log().map(({ id, status }) => [id, status])).toEqual([
      ["d1", "delivered"],
      ["d2", "pending"],
    ]);
    expect(slow.seen.map(({ number }) => number)).toEqual([1, 9]);
    expect(before).toEqual(was);
  });

  it("ends an advance that waits for a retry", async () => {
    let calls = 0;
    const { url, received } = await receiver((response) => {
      calls += 1;
      if (calls === 1) response.writeHead(500).end();
    });
    const { send, settled, sandbox } = start({ webhooks: [{ url }], behaviour: { "delivery.attempts": 2 } });
    send(1);
    await settled();
    const advance = sandbox.run.clock.advance(MINUTE);
    await received(2);
    sandbox.reset();
    await advance;
    expect(sandbox.run.outbox.idle).toBe(true);
  });
});
