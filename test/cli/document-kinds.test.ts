import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeDocument } from "../../src/cli/document-kinds.js";
import { parseDocument } from "../../src/kernel/document.js";
import { scratch } from "../scenarios/support.js";
import { run } from "./terminal.js";

const STEPS = "steps:\n  - log: Hello\n";
const START = "fixtures: f.json\nbehaviour: documented\nclock: 2026-01-01T09:00:00Z\nseed: 7\n";

describe("what a file is", () => {
  it.each([
    [`${START}token: acme-token\n${STEPS}`, "scenario"],
    [`${START}${STEPS}`, "scenario"],
    [`${START}step:\n  - log: Hello\n`, "scenario"],
    [`${START}name: A start\n`, "scenario"],
    [`fixtures: { threads: [] }\nclock: 1\n`, "scenario"],
    [STEPS, "scenario"],
    [`naem: Misspelt\n${START}steps: []\n`, "scenario"],
    [`${START}port: 0\n`, "config"],
    [`${START}prot: 0\n`, "config"],
    ["port: 0\n", "config"],
    [START, "config"],
    ["seed: 5\n", "config"],
    ["threads: []\nmessages: []\n", "fixture"],
    ["tokens: []\nthread: []\nmessages: []\n", "fixture"],
    ["threads: []\nmessages: []\nsimulator: {}\njournal: {}\n", "bundle"],
    ["threads: []\nmessages: []\nsimulator: {}\n", "fixture"],
    ["window.duration: 24h\n", "behaviour"],
    ["- on: request\n  then: unavailable\n", "faults"],
  ])("%j is a %s file", async (text, kind) => {
    const document = await parseDocument(text, { file: "x.yaml" });
    if (document.problems) throw new Error("no document");
    expect(judgeDocument(document)).toBe(kind);
  });

  it("is judged alike by check and run", async () => {
    const file = scratch()("s.yaml", 'clock: "2026-01-01T09:00:00Z"\nseed: 7\nstep:\n  - log: Hello\n');
    const problem = `${file}:3:1  step: unknown field "step": did you mean "steps"?`;
    const [checked, ran] = [await run(["check", file]), await run(["run", file])];
    expect([checked.code, ran.code]).toEqual([2, 2]);
    expect(checked.out).toContain(problem);
    expect(ran.err).toBe(checked.out);
  });

  it("decides what of a folder run takes", async () => {
    const folder = join(dirname(scratch()("x", "")), "all");
    mkdirSync(folder);
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write("fixture.json", JSON.stringify({ organizations: [], threads: [] }));
    write("behaviour.yaml", "window.duration: 24h\n");
    write("config.yaml", "port: 0\n");
    write("scenario.yaml", `name: The one\n${STEPS}`);
    write("package-lock.json", JSON.stringify({ name: "bot", lockfileVersion: 3, packages: {} }));
    const ran = await run(["run", folder]);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain("1 scenario: 1 passed");
    expect(await run(["check", folder])).toMatchObject({
      code: 0,
      out: expect.stringContaining("package-lock.json  skipped: another program's file\n"),
    });
    const fixture = join(folder, "fixture.json");
    expect(await run(["run", fixture])).toMatchObject({
      code: 2,
      err: `${fixture}  is a fixture file, not a scenario\n`,
    });
    write("odd.yaml", "colour: red\n");
    const refused = await run(["run", folder]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`${join(folder, "odd.yaml")}:1:1  colour: is a key of no fixture`);
  });
});
