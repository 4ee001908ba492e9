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

describe("descriptions", () => {
  it.each([
    ["/openapi.json", { openapi: "3.1.0" }],
    ["/control.json", { openapi: "3.1.0" }],
    ["/asyncapi.json", { asyncapi: expect.stringMatching(/^3\./) }],
  ])("%s", async (path, expected) => {
    const { control } = await startSimulator();
    const { status, body } = await control(`GET ${path}`);
    expect(status).toBe(200);
    expect(body).toMatchObject(expected);
  });

  it("the description of the control API holds both paths of each route of a sandbox", async () => {
    const { control } = await startSimulator();
    const { body } = await control("GET /control.json");
    const paths = Object.keys(body.paths);
    expect(paths).toContain("/__sim/state");
    expect(paths).toContain("/__sim/sandboxes/{sandbox}/state");
    expect(paths).toContain("/__sim/data/{collection}/{id}");
    expect(paths).not.toContain("/__sim/sandboxes/{sandbox}/health");
  });
});
