/** Random settings of all entries that can be seen from outside. */
import { expect, test } from "vitest";
import { sessionOutcome } from "./random-sessions.js";
import { outcomeOf, outcomesOf } from "./random-settings.js";

const SEEDS = 8;

test(`of ${SEEDS} random settings nine tenths are found, and no value is wrong`, {
  timeout: 60_000 * SEEDS,
}, async () => {
  const { wrong, share, missed } = await outcomesOf(Array.from({ length: SEEDS }, (_, index) => index + 1));
  expect(wrong).toEqual([]);
  expect(share, missed.join("\n")).toBeGreaterThan(0.9);
});

test("changed entries are found, whole answers with placeholders among them, and no value is wrong", async () => {
  const outcome = await outcomeOf({
    "window.duration": "24h",
    "threadStatus.autoMoves": "realistic",
    "webhooks.response": "wrapped",
    "timestamps.unit": "s",
    "sendMessage.response": {
      status: 202,
      body: { sent: "${message.id}", to: "${request.customerThreadId}", kind: 1 },
    },
    "window.closedError": { status: 409, body: { code: "closed" } },
    "legacy.customerEmployeeUserId": null,
    "limits.textLength": 19,
  });
  expect(outcome.wrong).toEqual([]);
  expect(outcome.missed).toEqual([]);
}, 200_000);

test("of 200 short random sessions nothing is learned, bounded or accused wrongly", async () => {
  const wrong: string[] = [];
  for (let seed = 100; seed < 300; seed += 1)
    wrong.push(...(await sessionOutcome(seed)).wrong.map((one) => `session ${seed}: ${one}`));
  expect(wrong).toEqual([]);
}, 600_000);
