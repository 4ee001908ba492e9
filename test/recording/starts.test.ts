import { describe, expect, it } from "vitest";
import fixture from "../../fixtures/default.json" with { type: "json" };
import { controlApi } from "../../src/client/transport.js";
import { recordingOf } from "../../src/scenarios/recording/record.js";
import { sessionLogOf } from "../../src/scenarios/recording/session.js";
import type { SimulatorOptions } from "../../src/server/simulator.js";
import { run } from "../cli/terminal.js";
import { scratch } from "../scenarios/support.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { acceptingReceiver, stepsOf } from "./recorder.js";

/** Records the default sandbox of a server as the commands do, and runs that against a simulator of its own. */
async function recordedAndRun(options: SimulatorOptions, play: (sim: Running) => Promise<unknown>) {
  const sim = await startSimulator(options);
  await play(sim);
  const recorded = await run(["record", "--url", sim.url]);
  expect(recorded).toMatchObject({ code: 0, err: "" });
  const file = scratch()("recorded.yaml", recorded.out);
  const checked = await run(["check", file]);
  const ran = await run(["run", file]);
  const evidence = `${recorded.out}\n${checked.out}\n${ran.out}`;
  expect([checked.code, ran.code, ran.err], evidence).toEqual([0, 0, ""]);
  const again = await run(["run", file, "--url", sim.url]);
  expect([again.code, again.err], again.out).toEqual([0, ""]);
  return recorded.out;
}

describe("a recording of a server", () => {
  it("holds the fixture or the state that was put in place, unless it is the one that ships", async () => {
    const { threads, tokens } = fixture;
    const own = { threads: [{ ...threads[0], id: "77" }], tokens: [{ ...tokens[0], id: "own" }] };
    const fixtures = { ...fixture, ...own, messages: [] } as SimulatorOptions["fixtures"];
    const play = async ({ control }: Running) => {
      await control("POST /connect", { url: await acceptingReceiver() });
      await control("POST /threads/77/inbound", { text: "Hello" });
    };
    const given = await recordedAndRun({ fixtures }, play);
    const put = await recordedAndRun({}, async (sim) => {
      await sim.control("PUT /state", fixtures);
      await play(sim);
    });
    expect(given).toContain('\nfixtures:\n  organizations:\n    - { id: "200"');
    expect(given).toContain('\nthread: "77"\n');
    expect(put).toContain("\n  - control: PUT /state\n");
    for (const text of [given, put]) {
      expect(text).not.toContain("clock:");
      expect(stepsOf(text)).toMatch(/ {2}- customer: .*Hello.*\n {2}- delivered: /);
    }
    const standard = await recordedAndRun({}, ({ control }) =>
      control("POST /threads/9001/inbound", { text: "Hello" }),
    );
    expect(standard).not.toContain("fixtures:");
  });

  it("is JSON where it would be too large to be read as YAML", async () => {
    const messages = Array.from({ length: 3000 }, (_, index) => ({
      ...{ id: String(index + 1), threadId: "9001", text: "Hello", fromCustomer: true },
      timestamp: 1_700_000_000_000 + index,
    }));
    const text = await recordedAndRun(
      { fixtures: { ...fixture, messages } as SimulatorOptions["fixtures"] },
      ({ control }) => control("POST /threads/9001/inbound", { text: "One more" }),
    );
    expect(JSON.parse(text)).toMatchObject({ thread: "9001", steps: [{ customer: "One more" }] });
  });

  it("arms the faults of the start first", async () => {
    const faults: SimulatorOptions["faults"] = [
      { on: "request", times: 1, then: "unavailable" },
      { on: "delivery", after: 1, times: 1, then: { status: 500 } },
      { on: "request", match: { operation: "listWebhooks" }, then: { status: 418 } },
    ];
    const text = await recordedAndRun({ set: {}, faults }, async ({ control }) => {
      for (const said of ["one", "two"]) await control("POST /threads/9001/inbound", { text: said });
      for (const id of ["f2", "f3"]) await control(`DELETE /faults/${id}`);
    });
    expect(stepsOf(text)).toMatch(
      /^ {2}- clearFaults: true\n {2}- fault: .*\n {2}- id: fault\n {4}fault: .*delivery.*\n {2}- id: fault2\n {4}fault: /,
    );
    expect(stepsOf(text).match(/control: .*/g)).toEqual([
      "control: DELETE /faults/${fault.body.id}",
      "control: DELETE /faults/${fault2.body.id}",
    ]);
  });

  it("expects a call that no step can make, and leaves it out if a scenario made it", async () => {
    const sim = await startSimulator({ set: {} });
    await sim.api("GET /api/webhooks/");
    const log = await sessionLogOf(controlApi(sim.url), "default");
    const recorded = (by: "client" | "scenario") => {
      const changed = { method: "OPTIONS", path: "*", operation: null, by };
      return recordingOf({ ...log, requests: log.requests.map((call) => ({ ...call, ...changed })) });
    };
    expect(recorded("client")).toMatchObject({
      scenario: { steps: [{ expect: { request: { method: "OPTIONS", path: "*", status: 200 } } }] },
      notes: [],
    });
    expect(recorded("scenario")).toMatchObject({
      scenario: { steps: [] },
      notes: ["1 call by scenarios: left out"],
    });
  });
});
