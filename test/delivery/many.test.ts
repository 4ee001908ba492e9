import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { deadUrl, receiver, start, upTo } from "./support.js";

const MINUTE = 60_000;
const BATCH = 10;

/** Seven webhooks whose receivers behave each in its own way; what each does to message n is a matter of n alone. */
async function sevenReceivers() {
  const tried = new Set<number>();
  const fine = await receiver();
  const failing = await receiver((response) => response.writeHead(500).end("no"));
  const recovering = await receiver((response, { number }) => {
    response.writeHead(tried.has(number) ? 200 : 503).end();
    tried.add(number);
  });
  const dropping = await receiver((response, { number }) => {
    if (number % 3 === 0) response.destroy();
    else response.end();
  });
  const slow = await receiver((response) => setImmediate(() => setImmediate(() => response.end("late"))));
  const legacy = await receiver((response) => response.writeHead(500).end());
  const receivers = [fine, failing, recovering, dropping, slow, legacy];
  const urls = [...receivers.map(({ url }) => url), await deadUrl()];
  return { webhooks: urls.map((url, index) => ({ url, legacy: index === 5 })), receivers };
}

/** What must become of message n at each webhook: its end, and how many attempts it took. */
const ENDS: ((number: number) => [string, number])[] = [
  () => ["delivered", 1],
  () => ["failed", 2],
  () => ["delivered", 2],
  (number) => (number % 3 === 0 ? ["failed", 2] : ["delivered", 1]),
  () => ["delivered", 1],
  () => ["failed", 1],
  () => ["failed", 2],
];

describe("very many deliveries", () => {
  it.each([
    ["none", 120],
    ["perWebhook", 60],
  ] as const)("each come to their end, order %s, %i events to seven webhooks", async (order, events) => {
    const { webhooks, receivers } = await sevenReceivers();
    const behaviour: Partial<BehaviourValues> = {
      "delivery.order": order,
      "delivery.attempts": 2,
      "delivery.backoff": ["1m"],
      // Receivers and simulator share a process: on a machine that is busy with other things answers come late.
      "delivery.timeoutMs": 60_000,
    };
    const { send, settled, sandbox, log } = start({ webhooks, behaviour });
    for (let sent = 0; sent < events; sent += BATCH) {
      send(...upTo(BATCH).map((number) => sent + number));
      await settled();
    }
    // In order, each second attempt of a webhook comes a minute after the last one's.
    await sandbox.run.clock.advance(2 * events * MINUTE);
    await settled();
    expect(log()).toHaveLength(events * webhooks.length);
    const wrong = log().flatMap(({ id, hookId, status, attempts }, index) => {
      const [end, tries] = ENDS[Number(hookId) - 1]!(Math.floor(index / webhooks.length) + 1);
      return status === end && attempts.length === tries ? [] : [[id, hookId, status, attempts]];
    });
    expect(wrong).toEqual([]);
    expect(sandbox.run.clock.pending).toBe(0);
    for (const [index, { seen }] of receivers.entries()) {
      const expected = upTo(events).reduce((sum, number) => sum + ENDS[index]!(number)[1], 0);
      expect([index, seen.length]).toEqual([index, expected]);
    }
  });
});
