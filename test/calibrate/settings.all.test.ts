/** Random settings of all entries that can be seen from outside. */
import { expect, test } from "vitest";
import { manySettings, outcomeOf, sessionOutcome } from "./random-sessions.js";

const SEEDS = 8;

test(`of ${SEEDS} random settings nine tenths are found, and no value is wrong`, {
  timeout: 60_000 * SEEDS,
}, async () => {
  let [touched, found] = [0, 0];
  const missing: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const outcome = await outcomeOf(manySettings(seed));
    expect(outcome.wrong, `seed ${seed}`).toEqual([]);
    missing.push(...outcome.missed);
    touched += outcome.touched;
    found += outcome.found;
  }
  expect(found / touched, missing.join("\n")).toBeGreaterThan(0.9);
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
  expect(outcome).toMatchObject({ wrong: [], missed: [] });
}, 200_000);

test("of 200 short random sessions nothing is learned, bounded or accused wrongly", async () => {
  for (let seed = 100; seed < 300; seed += 1)
    expect((await sessionOutcome(seed)).wrong, `session ${seed}`).toEqual([]);
}, 600_000);
