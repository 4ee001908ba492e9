import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandbox, startSimulator } from "../support/simulator.js";

const FOLDER = join(import.meta.dirname, "..", "..", "scenarios");
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
const nameOf = (file: string) => file.replace(/\.yaml$/, "");

describe("the scenarios that ship", () => {
  it("are at least fifteen, short, and start from the default fixture", () => {
    expect(FILES.length).toBeGreaterThanOrEqual(15);
    for (const file of FILES) {
      const text = readFileSync(join(FOLDER, file), "utf8");
      expect(text, file).toContain("fixtures: ../fixtures/default.json");
      expect(text.split("\n").length, file).toBeLessThan(90);
    }
  });

  it("are listed and run by name", async () => {
    const sim = await openSandbox();
    const { body } = await sim.control("GET /scenarios");
    expect(body.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(FILES.map(nameOf)));
    for (const file of FILES) {
      const { status, body: report } = await sim.control("POST /scenarios/run", { name: nameOf(file) });
      expect(status).toBe(200);
      const failed = report.steps.filter(({ ok }: { ok: boolean }) => !ok);
      expect(failed, file).toEqual([]);
      expect(report.ok, file).toBe(true);
    }
  });
});

it("POST /scenarios/run runs in the sandbox it is posted to, as that stands", async () => {
  const sim = await startSimulator();
  await sim.control("POST /sandboxes", { id: "one" });
  await sim.control("POST /sandboxes/one/threads/9001/inbound", { text: "before" });
  const steps = [
    { customer: "now" },
    { delivered: "message", id: "event" },
    { log: "${event.body.data.messageBody}" },
  ];
  const scenario = { thread: "9001", within: "10s", steps };
  const { body } = await sim.control("POST /sandboxes/one/scenarios/run", { scenario });
  expect(body).toMatchObject({ ok: true, sandbox: "one" });
  expect(body.steps.at(-1).note).toBe("now");
  expect((await sim.control("GET /sandboxes/one/deliveries")).body).toHaveLength(2);
});
