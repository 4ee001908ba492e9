import { describe, expect, it } from "vitest";
import type { Logger } from "../../src/kernel/errors.js";
import { SILENT } from "../../src/kernel/errors.js";
import type { Setup } from "./support.js";
import { deadUrl, receiver, start } from "./support.js";

/** What is logged about one delivery until 24 hours have passed. */
async function logged(setup: Setup): Promise<[object, string][]> {
  const lines: [object, string][] = [];
  const logger: Logger = { ...SILENT, info: (fields, message) => lines.push([fields, message]) };
  const { send, settled, sandbox } = start({ ...setup, options: { logger } });
  send(1);
  await settled();
  await sandbox.run.clock.advance(24 * 3_600_000);
  return lines;
}

describe("the log", () => {
  it("has each failed attempt, its reason and the time of the next one", async () => {
    const { url } = await receiver((response) => response.writeHead(503).end());
    const behaviour = { "delivery.attempts": 3, "delivery.backoff": ["90s", "2h"] };
    const fields = { sandbox: "default", delivery: "d1", hookId: "1", url };
    expect(await logged({ webhooks: [{ url }], behaviour })).toEqual([
      [fields, `delivery d1 to ${url} failed: answered 503 (attempt 1, the next comes in 90s)`],
      [fields, `delivery d1 to ${url} failed: answered 503 (attempt 2, the next comes in 2h)`],
      [fields, `delivery d1 to ${url} failed: answered 503 (attempt 3, the last)`],
    ]);
  });

  it("has the error if there was no answer", async () => {
    const url = await deadUrl();
    const [line] = await logged({ webhooks: [{ url }] });
    expect(line?.[1]).toMatch(
      / failed: connection refused: nothing is listening at the address \(attempt 1, the last\)$/,
    );
  });

  it("has dropped and blocked deliveries", async () => {
    const { url } = await receiver();
    const faults = [{ on: "delivery", then: { drop: "before" } }] as const;
    const [dropped] = await logged({ webhooks: [{ url }], faults });
    expect(dropped?.[1]).toBe(`delivery d1 to ${url} is dropped: never sent: fault f1`);
    const [blocked] = await logged({ webhooks: [{ url: "https://bot.example/" }] });
    expect(blocked?.[1]).toMatch(/^delivery d1 to https:\/\/bot.example\/ is blocked: bot.example is not/);
  });

  it("has nothing about a successful delivery", async () => {
    const { url } = await receiver();
    expect(await logged({ webhooks: [{ url }] })).toEqual([]);
  });
});
