import { describe, expect, it } from "vitest";
import { openSandbox } from "../support/simulator.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";

describe("a call beyond limits.rate", () => {
  it.each([
    ["1ms", "1"],
    ["1s", "1"],
    ["1001ms", "2"],
    ["1200ms", "2"],
    ["1m", "60"],
  ])("that may come again in %s is told so in whole seconds, rounded up: %s", async (per, seconds) => {
    const { api } = await openSandbox({
      clock: "2026-01-01T09:00:00Z",
      behaviour: { "limits.rate": { requests: 1, per } },
    });
    expect((await api(DETAILS)).status).toBe(200);
    const { status, headers, body } = await api(DETAILS);
    expect([status, headers.get("retry-after")]).toEqual([429, seconds]);
    expect(headers.get("x-sim-behaviour")).toBe("limits.rateError");
    expect(body).toEqual({ error: `Rate limit exceeded: retry in ${seconds} s` });
  });
});
