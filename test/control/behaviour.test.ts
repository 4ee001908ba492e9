import { describe, expect, it } from "vitest";
import { startSimulator } from "../support/simulator.js";

interface Row {
  readonly key: string;
  readonly default: unknown;
  readonly value: unknown;
}

const valueIn = (rows: readonly Row[], key: string) => rows.find((row) => row.key === key)?.value;

describe("the behaviour table", () => {
  it("is changed in parts, in one sandbox", async () => {
    const { url, control } = await startSimulator();
    await control("POST /sandboxes", { id: "other" });
    const { status, body } = await control("PATCH /behaviour", {
      "auth.missing": { status: 418, body: { error: "no" } },
      "window.duration": "12h",
    });
    expect(status).toBe(200);
    expect(valueIn(body, "window.duration")).toBe("12h");
    expect((await control("GET /behaviour")).body).toEqual(body);
    expect(valueIn((await control("GET /sandboxes/other/behaviour")).body, "window.duration")).toBe(null);
    expect((await fetch(`${url}/api/webhooks/`)).status).toBe(418);
  });

  it.each<[object, string[]]>([
    [{ "timestamps.unit": "m", "ids.acceptNumbers": "reject" }, ['["timestamps.unit"]']],
    [{ "timestamps.unit": "m", "delivery.attempts": 0 }, ['["timestamps.unit"]', '["delivery.attempts"]']],
    [{ "timestamp.unit": "ms", "delivery.backoff": [] }, ['["timestamp.unit"]', '["delivery.backoff"]']],
    [
      { "window.duration": `${"9".repeat(400)}d`, "graphql.errors": 1 },
      ['["window.duration"]', '["graphql.errors"]'],
    ],
    [{ "delivery.backoff": ["1m", `${"9".repeat(400)}d`] }, ['["delivery.backoff"][1]']],
    [{ "limits.rate": { requests: 1, per: 1e300 } }, ['["limits.rate"].per']],
    [{ "tokens.lifetime": "forever" }, ['["tokens.lifetime"]']],
  ])("is not changed by %o", async (values, paths) => {
    const { control } = await startSimulator();
    const { body: before } = await control("GET /behaviour");
    const refused = await control("PATCH /behaviour", values);
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect((await control("GET /behaviour")).body).toEqual(before);
  });
});
