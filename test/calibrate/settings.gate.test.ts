/** What a session shows of settings that nobody told. */
import { expect, test } from "vitest";
import { outcomeOf } from "./random-settings.js";

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
  expect(outcome.missed.filter((key) => key !== "window.duration")).toEqual([]);
}, 200_000);
