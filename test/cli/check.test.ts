import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeDocument } from "../../src/cli/document-kinds.js";
import { parseDocument } from "../../src/kernel/document.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
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

const NOWHERE = 'thread: "90017"\nsteps:\n  - customer: Hello\n';

it("finds a thread that is in no fixture a scenario may start from", async () => {
  const write = scratch();
  const file = write("s.yaml", NOWHERE);
  const known = await run(["check", file]);
  expect(known.code).toBe(2);
  expect(known.out).toBe(
    `${file}:1:9  thread: unknown thread "90017": did you mean "9001"? (checked with the built-in fixture; --url checks with the state of a simulator)\n`,
  );
  const inline = write("inline.yaml", `fixtures: { threads: [] }\n${NOWHERE}`);
  expect((await run(["check", inline])).out).toContain('unknown thread "90017": there is none\n');
  // What another simulator has, only it can say.
  const sim = await startSimulator();
  const thread = { ...(await sim.control("GET /data/threads/9001")).body, id: "90017" };
  await sim.control("POST /data/threads", thread);
  expect(await run(["check", file, "--url", sim.url])).toMatchObject({ code: 0 });
});

it("takes the path of a fixture as it is where that is absolute", async () => {
  const write = scratch();
  const fixture = write("acme.json", "{}");
  const file = write("s.yaml", `fixtures: ${fixture}\nsteps:\n  - log: Hello\n`);
  expect(await run(["check", file])).toMatchObject({ code: 0, out: `${file}  ok (scenario: 1 step)\n` });
  expect((await run(["run", file])).code).toBe(0);
  const relative = write("t.yaml", `fixtures: ./${basename(fixture)}\nsteps:\n  - log: Hello\n`);
  expect((await run(["check", relative])).code).toBe(0);
});

it("knows the challenges that a scenario names", async () => {
  const file = scratch()(
    "s.yaml",
    "steps: [{ log: Hi }]\nsurvives: [duplicated/*]\ntolerates: [duplicatd]\n",
  );
  expect((await run(["check", file])).out).toBe(
    `${file}:3:13  tolerates[0]: unknown challenge "duplicatd": did you mean "duplicated"?\n`,
  );
});

it("checks the files of a folder", async () => {
  const write = scratch();
  const good = write("a.yaml", "steps:\n  - log: Hello\n");
  const bad = write("b.yml", "steps:\n  - lg: Hello\n");
  write("notes.txt", "no document");
  const folder = dirname(good);
  const { code, out } = await run(["check", folder]);
  expect(code).toBe(2);
  expect(out).toBe(
    `${good}  ok (scenario: 1 step)\n${bad}:2:5  steps[0].lg: unknown step "lg": did you mean "log"?\n`,
  );
});
