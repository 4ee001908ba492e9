/** Each row of the tables tells how to meet it: the scenario runs, and the row is met. */
import { describe, expect, it } from "vitest";
import { coverageReport } from "../../src/lab/coverage/report.js";
import { Coverage } from "../../src/sandbox/coverage.js";
import { CALLS } from "../support/calls.js";
import { type Running, startSimulator } from "../support/simulator.js";

const report = coverageReport(new Coverage());
const outcomes = report.operations.flatMap(({ operation, outcomes }) =>
  outcomes.map(({ outcome, snippet }) => [operation, outcome, snippet] as const),
);

/** Runs a scenario while a client makes a call again and again; tells whether the scenario passed. */
async function runBeside(sim: Running, scenario: string, { call, body }: { call: string; body?: unknown }) {
  const { body: state } = await sim.control("GET /state");
  let isOver = false;
  const run = sim.control("POST /scenarios/run", { scenario, timeoutMs: 20_000 }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await sim.api(call, body);
    // What the call has deleted is there again for the next.
    if (call.includes("delete")) await sim.control("PUT /state", state);
  }
  return (await run).body;
}

describe("a row that was never met", () => {
  it("has a scenario", () => {
    expect(outcomes.length).toBeGreaterThan(100);
    expect([
      ...outcomes.map(([, , snippet]) => snippet),
      ...report.events.map(({ snippet }) => snippet),
    ]).not.toContain(undefined);
  });

  it.each(outcomes)("%s: %s is met by its scenario", async (operation, outcome, snippet = "") => {
    const sim = await startSimulator();
    const { ok, steps } = await runBeside(sim, snippet, CALLS[operation]!);
    expect([ok, steps.filter((step: { ok: boolean }) => !step.ok)]).toEqual([true, []]);
    const { body: after } = await sim.control("GET /coverage");
    const row = after.operations
      .find((each: { operation: string }) => each.operation === operation)
      .outcomes.find((each: { outcome: string }) => each.outcome === outcome);
    expect(row.met).toBeGreaterThan(0);
    expect(row).not.toHaveProperty("snippet");
  });

  it.each(report.events.map((row) => [`${row.event} ${row.cause} legacy ${row.legacy}`, row] as const))(
    "%s is sent by its scenario",
    async (_, { event, cause, legacy, snippet = "" }) => {
      const sim = await startSimulator();
      const message = { customerThreadId: "9001", text: "Hi" };
      const call =
        cause === "api"
          ? { call: "POST /api/send-message-to-customer-thread", body: message }
          : { call: "GET /api/webhooks/" };
      const { ok, steps } = await runBeside(sim, snippet, call);
      expect([ok, steps.filter((step: { ok: boolean }) => !step.ok)]).toEqual([true, []]);
      const { body: after } = await sim.control("GET /coverage");
      expect(after.events.find((row: object) => isSame(row, { event, cause, legacy })).met).toBeGreaterThan(
        0,
      );
    },
  );
});

const isSame = (row: object, wanted: object): boolean =>
  Object.entries(wanted).every(([key, value]) => row[key as keyof object] === value);
