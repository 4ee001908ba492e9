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
});
