/** Each row of the tables has a scenario that meets it. */
import { expect, it } from "vitest";
import { coverageReport } from "../../src/lab/coverage/report.js";
import { Coverage, type CoverageReport, nameOfKind } from "../../src/sandbox/coverage.js";
import { CALLS } from "../support/calls.js";
import { startSimulator } from "../support/simulator.js";

const report = coverageReport(new Coverage());
const outcomes = report.operations.flatMap(({ operation, outcomes }) =>
  outcomes.map(({ outcome, snippet }) => [operation, outcome, snippet] as const),
);

/** The report of a simulator after a scenario that passed while a client made a call again and again. */
async function reportAfter(
  scenario: string,
  { call, body }: { call: string; body?: unknown },
): Promise<CoverageReport> {
  const sim = await startSimulator();
  const { body: state } = await sim.control("GET /state");
  let isOver = false;
  const run = sim.control("POST /scenarios/run", { scenario, timeoutMs: 20_000 }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await sim.api(call, body);
    // Restores what the call has deleted.
    if (call.includes("delete")) await sim.control("PUT /state", state);
  }
  const { ok, steps } = (await run).body;
  expect([ok, steps.filter((step: { ok: boolean }) => !step.ok)]).toEqual([true, []]);
  return (await sim.control("GET /coverage")).body;
}

it.each(outcomes)(
  "a row that was never met, %s: %s is met by its scenario",
  async (operation, outcome, snippet = "") => {
    const after = await reportAfter(snippet, CALLS[operation]!);
    const { outcomes = [] } = after.operations.find((each) => each.operation === operation) ?? {};
    const row = outcomes.find((each) => each.outcome === outcome);
    expect(row?.met).toBeGreaterThan(0);
    expect(row).not.toHaveProperty("snippet");
  },
);

it.each(report.events.map((row) => [nameOfKind(row), row] as const))(
  "%s is sent by its scenario",
  async (name, { cause, snippet = "" }) => {
    const body = { customerThreadId: "9001", text: "Hi" };
    const send = { call: "POST /api/send-message-to-customer-thread", body };
    const after = await reportAfter(snippet, cause === "api" ? send : { call: "GET /api/webhooks/" });
    expect(after.events.find((row) => nameOfKind(row) === name)?.met).toBeGreaterThan(0);
  },
);
