import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/behaviour/table.js";
import { deadUrl, receiver, start, upTo } from "./support.js";

const MINUTE = 60_000;
const BATCH = 10;
/** The message that one receiver never answers. */
const HANGING = 200;

/** Eight webhooks whose receivers behave each in its own way; what each does to message n is a matter of n alone. */
async function eightReceivers() {
  const tried = new Map<string, number>();
  const once = (name: string, number: number) => {
    const count = (tried.get(`${name} ${number}`) ?? 0) + 1;
    tried.set(`${name} ${number}`, count);
    return count;
  };
  const fine = await receiver();
  const failing = await receiver((response) => response.writeHead(500).end("no"));
  const recovering = await receiver((response, { number }) =>
    response.writeHead(once("recovering", number) === 1 ? 503 : 200).end(),
  );
  const hanging = await receiver((response, { number }) => {
    if (number !== HANGING) response.end();
  });
  const dropping = await receiver((response, { number }) => {
    if (number % 3 === 0) response.destroy();
    else response.end();
  });
  const slow = await receiver((response) => setImmediate(() => setImmediate(() => response.end("late"))));
  const legacy = await receiver((response) => response.writeHead(500).end());
  const dead = await deadUrl();
  const urls = [fine, failing, recovering, hanging, dropping, slow, legacy].map(({ url }) => url);
  const webhooks = [...urls, dead].map((url, index) => ({ url, legacy: index === 6 }));
  return { webhooks, receivers: [fine, failing, recovering, hanging, dropping, slow, legacy] };
}

/** What must become of message n at each webhook: its end, and how many attempts it took. */
const ENDS: ((number: number) => [string, number])[] = [
  () => ["delivered", 1],
  () => ["failed", 2],
  () => ["delivered", 2],
  (number) => (number === HANGING ? ["failed", 2] : ["delivered", 1]),
  (number) => (number % 3 === 0 ? ["failed", 2] : ["delivered", 1]),
  () => ["delivered", 1],
  () => ["failed", 1],
  () => ["failed", 2],
];

describe("thousands of deliveries", () => {
  it.each([
    ["none", 1_250],
    ["perWebhook", 300],
  ] as const)(
    "each come to their end, order %s, %i events to eight webhooks",
    { timeout: 120_000 },
    async (order, events) => {
      const { webhooks, receivers } = await eightReceivers();
      const behaviour: Partial<BehaviourValues> = {
        "delivery.order": order,
        "delivery.attempts": 2,
        "delivery.backoff": ["1m"],
        "delivery.timeoutMs": 3_000,
      };
      const { send, settled, sandbox, log } = start({ webhooks, behaviour });
      // In batches: these receivers live in the same process and must get a chance to accept their connections.
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
    },
  );
});
