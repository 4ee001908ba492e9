import { describe, expect, it } from "vitest";
import { VERSION } from "../../src/kernel/version.js";
import { startSimulator } from "../support/simulator.js";

describe("health", () => {
  it("tells version, age and number of sandboxes", async () => {
    const { control } = await startSimulator();
    await control("POST /sandboxes", { id: "a" });
    const { status, body } = await control("GET /health");
    expect(status).toBe(200);
    expect(body).toEqual({ status: "ok", version: VERSION, uptimeMs: expect.any(Number), sandboxes: 2 });
    expect(body.uptimeMs).toBeGreaterThanOrEqual(0);
  });
});
