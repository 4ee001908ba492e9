import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

describe("POST /scenarios/run", () => {
  const scenario = (steps: unknown[]) => ({ name: "A greeting", thread: "9001", steps });

  it("refuses a second scenario in the same sandbox, but not in another one", async () => {
    const waiting = scenario([{ delivered: "message", within: "60s" }]);
    const running = sim.control("POST /scenarios/run", { scenario: waiting });
    await expect.poll(() => sim.registry.default.scenarios.count).toBe(1);
    const second = scenario([{ customer: "Too early" }]);
    const { status, body } = await sim.control("POST /scenarios/run", { scenario: second });
    expect(status).toBe(409);
    expect(body.error.message).toContain("another scenario is running in the sandbox default");
    expect(JSON.stringify((await sim.control("GET /data/messages")).body)).not.toContain("Too early");
    await sim.control("POST /sandboxes", { id: "s1" });
    const beside = await sim.control("POST /sandboxes/s1/scenarios/run", { scenario: second });
    expect(beside.body).toMatchObject({ ok: true });
    await sim.control("POST /threads/9001/inbound", { text: "Hello" });
    expect((await running).body).toMatchObject({ ok: true });
    expect((await sim.control("POST /scenarios/run", { scenario: second })).body).toMatchObject({ ok: true });
  });

  it("answers 200 if an expectation fails", async () => {
    const given = scenario([{ delivered: "message", within: "5ms" }]);
    const { status, body } = await sim.control("POST /scenarios/run", { scenario: given });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: false, steps: [{ ok: false }] });
  });
});

describe("GET /scenarios/last", () => {
  const last = (base = "") => sim.control(`GET ${base}/scenarios/last`);

  it("shows the last scenario and its report, until a reset", async () => {
    expect(await last()).toMatchObject({ status: 200, body: null });
    const scenario = { name: "Hello", thread: "9001", steps: [{ customer: "Hello" }] };
    const { body: report } = await sim.control("POST /scenarios/run", { scenario });
    expect(await last()).toMatchObject({ status: 200, body: { scenario, report } });
    await sim.control("POST /scenarios/run", { scenario: { ...scenario, steps: [{ silent: "yes" }] } });
    expect((await last()).body.report).toEqual(report);
    await sim.control("POST /scenarios/run", { name: "message-event" });
    expect((await last()).body).toMatchObject({
      scenario: expect.stringContaining("steps:"),
      report: { ok: true },
    });
    await sim.control("POST /reset");
    expect((await last()).body).toBeNull();
  });
});

describe("GET /scenarios/files/:name", () => {
  it("shows the file of a scenario, and no other file", async () => {
    const [{ name, file }] = (await sim.control("GET /scenarios")).body;
    const { status, body } = await sim.control(`GET /scenarios/files/${encodeURIComponent(name)}`);
    expect({ status, body }).toEqual({ status: 200, body: { name, text: await readFile(file, "utf8") } });
    for (const other of ["nothing", encodeURIComponent("../package"), encodeURIComponent(file)])
      expect((await sim.control(`GET /scenarios/files/${other}`)).status).toBe(404);
  });
});
