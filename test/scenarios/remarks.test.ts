/** What a run did not test although it is green. */
import { describe, expect, it } from "vitest";
import { run } from "../cli/terminal.js";
import { runSteps, scratch } from "./support.js";

const DETAILS = { request: "GET /api/get-customer-thread-details?customerThreadId=9001", expect: 200 };
const FAULT = { fault: { on: "request", match: { operation: "getWebhook" }, then: "slow" } };

async function remarksOf(steps: readonly object[]): Promise<[string, string][]> {
  const { ok, remarks } = await runSteps(steps, { within: 5000 });
  expect(ok).toBe(true);
  return remarks.map(({ place, message }) => [place.path, message]);
}

describe("a report names", () => {
  it("faults that never fired, those that are cleared or reset included", async () => {
    const never = "the fault never fired: nothing matched it";
    for (const steps of [[DETAILS], [{ clearFaults: true }, { log: "x" }], [{ reset: true }]])
      expect(await remarksOf([FAULT, ...steps])).toEqual([["steps[0]", never]]);
    const later = { fault: { on: "request", after: 1, then: "unavailable" } };
    expect(await remarksOf([later, DETAILS])).toEqual([
      ["steps[0]", "the fault never fired: it matched 1, but its conditions never held"],
    ]);
    const fires = { fault: { on: "request", then: "unavailable" } };
    expect(await remarksOf([fires, { ...DETAILS, expect: 503 }])).toEqual([]);
  });

  it("nothing of a run that failed: the steps that were left out might have", async () => {
    const { ok, remarks } = await runSteps([FAULT, { ...DETAILS, expect: 400 }]);
    expect([ok, remarks]).toEqual([false, []]);
  });
});

it("a run shows them, and passes", async () => {
  const file = scratch()("s.json", JSON.stringify({ token: "acme-token", steps: [FAULT, DETAILS] }));
  const { code, out } = await run(["run", file]);
  expect([code, out]).toEqual([0, expect.stringContaining("Not tested")]);
  expect(out).toContain(`${file}:1:`);
});
