import { expect, it } from "vitest";
import { SILENT } from "../../src/kernel/errors.js";
import { answering, deadUrl, receiver, type Setup, start } from "./support.js";

/** What is logged about one delivery until 24 hours have passed. */
async function logged(url: string, setup: Omit<Setup, "webhooks"> = {}): Promise<[object, string][]> {
  const lines: [object, string][] = [];
  const logger = { ...SILENT, info: (fields: object, message: string) => void lines.push([fields, message]) };
  const { deliver, sandbox } = start({ ...setup, webhooks: [{ url }], options: { logger } });
  await deliver(1);
  await sandbox.run.clock.advance(24 * 3_600_000);
  return lines;
}

it("the log has each failed attempt, its reason and the time of the next one", async () => {
  const { url } = await receiver(answering(503));
  const behaviour = { "delivery.attempts": 3, "delivery.backoff": ["90s", "2h"] };
  const fields = { sandbox: "default", delivery: "d1", hookId: "1", url };
  const ends = ["attempt 1, the next comes in 90s", "attempt 2, the next comes in 2h", "attempt 3, the last"];
  expect(await logged(url, { behaviour })).toEqual(
    ends.map((end) => [fields, `delivery d1 to ${url} failed: answered 503 (${end})`]),
  );
});

it("the log has the error if there was no answer", async () => {
  const [line] = await logged(await deadUrl());
  expect(line?.[1]).toMatch(
    / failed: connection refused: nothing is listening at the address \(attempt 1, the last\)$/,
  );
});

it("the log has dropped and blocked deliveries, and nothing about a successful one", async () => {
  const { url } = await receiver();
  const [dropped] = await logged(url, { faults: [{ on: "delivery", then: { drop: "before" } }] });
  expect(dropped?.[1]).toBe(`delivery d1 to ${url} is dropped: never sent: fault f1`);
  const [blocked] = await logged("https://bot.example/");
  expect(blocked?.[1]).toMatch(/^delivery d1 to https:\/\/bot.example\/ is blocked: bot.example is not/);
  expect(await logged(url)).toEqual([]);
});
