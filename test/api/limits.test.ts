import { expect, it } from "vitest";
import { DETAILS } from "../conformance/support.js";
import { openSandbox } from "../support/simulator.js";

it.each([
  ["1ms", "1"],
  ["1s", "1"],
  ["1001ms", "2"],
  ["1m", "60"],
])(
  "a call beyond limits.rate is told in whole seconds, rounded up, when to come again: %s",
  async (per, s) => {
    const behaviour = { "limits.rate": { requests: 1, per } };
    const { api } = await openSandbox({ clock: "2026-01-01T09:00:00Z", behaviour });
    expect((await api(DETAILS)).status).toBe(200);
    const { status, headers, body } = await api(DETAILS);
    expect([status, headers.get("retry-after")]).toEqual([429, s]);
    expect(body).toEqual({ error: `Rate limit exceeded: retry in ${s} s` });
  },
);
