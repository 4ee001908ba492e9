/** `check` knows each kind of file; it and `run` follow what scenarios and config files name. */
import { basename, dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { judgeDocument } from "../../src/cli/document-kinds.js";
import { parseDocument } from "../../src/kernel/document.js";
import { scratch } from "../scenarios/support.js";
import { refused, run } from "./terminal.js";

const DEFAULT_FIXTURE = join(import.meta.dirname, "..", "..", "fixtures", "default.json");
const STEPS = "steps:\n  - log: Hello\n";
const START = "fixtures: f.json\nbehaviour: documented\nclock: 2026-01-01T09:00:00Z\nseed: 7\n";

let write: ReturnType<typeof scratch>;
beforeEach(() => {
  write = scratch();
});

it.each([
  [`${START}token: acme-token\n${STEPS}`, "scenario"],
  [`${START}step:\n  - log: Hello\n`, "scenario"],
  [`${START}name: A start\n`, "scenario"],
  [`fixtures: { threads: [] }\nclock: 1\n`, "scenario"],
  [STEPS, "scenario"],
  [`naem: Misspelt\n${START}steps: [{ log: x }]\n`, "scenario"],
  [`${START}port: 0\n`, "config"],
  [`${START}prot: 0\n`, "config"],
  [START, "config"],
  ["tokens: []\nthread: []\nmessages: []\n", "fixture"],
  ["threads: []\nmessages: []\nsimulator: {}\n", "fixture"],
])("what a file is: %j is a %s file", async (text, kind) => {
  const document = await parseDocument(text, { file: "x.yaml" });
  if (document.problems) throw new Error("no document");
  expect(judgeDocument(document)).toBe(kind);
});

it("what a file is: is judged alike by check and run", async () => {
  const file = write("s.yaml", 'clock: "2026-01-01T09:00:00Z"\nseed: 7\nstep:\n  - log: Hello\n');
  const problem = `${file}:3:1  step: unknown field "step": did you mean "steps"?`;
  const { code, out } = await run(["check", file]);
  expect([code, out]).toEqual([2, expect.stringContaining(problem)]);
  expect(await run(["run", file])).toEqual({ code: 2, out: "", err: out });
});

it("what a file is: decides what of a folder check and run take", async () => {
  const fixture = write("fixture.json", JSON.stringify({ organizations: [], threads: [] }));
  const folder = dirname(fixture);
  write("behaviour.yaml", "window.duration: 24h\n");
  write("config.yml", "port: 0\n");
  write("notes.txt", "no document");
  write("package-lock.json", JSON.stringify({ name: "bot", lockfileVersion: 3, packages: {} }));
  write("scenario.yaml", `name: The one\n${STEPS}`);
  const ran = await run(["run", folder]);
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("1 scenario: 1 played"), err: "" });
  const { code, out } = await run(["check", folder]);
  expect([code, ...out.trimEnd().split(`${folder}/`).slice(1)]).toEqual([
    0,
    "behaviour.yaml  ok (behaviour: 1 key)\n",
    "config.yml  ok (config: 1 option)\n",
    "fixture.json  ok (fixture)\n",
    "package-lock.json  skipped: another program's file\n",
    "scenario.yaml  ok (scenario: 1 step)",
  ]);
  expect(await run(["run", fixture])).toEqual(refused(`${fixture}  is a fixture file, not a scenario\n`));
  const odd = write("odd.yaml", "colour: red\n");
  expect(await run(["run", folder])).toEqual(refused(`${odd}:1:1  colour: is a key of no fixture`));
});

it("sums up good files, and goes on after one that it cannot read", async () => {
  const faults = write("c.json", '[{ "on": "request", "then": "slow" }]');
  const { code, out, err } = await run(["check", "none.json", DEFAULT_FIXTURE, faults]);
  expect([code, err, ...out.split("\n")]).toEqual([
    ...[2, "", "none.json  cannot be read: there is no such file"],
    expect.stringMatching(/ {2}ok \(fixture: 2 organizations, 5 businesses, .* 7 threads, .*\)$/),
    ...[`${faults}  ok (faults: 1 fault)`, ""],
  ]);
});

it.each<[name: string, text: string, ...problems: string[]]>([
  [
    "bad.json",
    '{\n  "organizations": [{ "id": "x", "name": "A" }],\n  "thread": []\n}',
    ":2:29  organizations[0].id: must be digits",
    ':3:3  thread: unknown collection "thread": did you mean "threads"?',
  ],
  ["config.yaml", "port: 1\nfixture: x\n", ':2:1  fixture: unknown option "fixture"'],
  ["behaviour.yaml", "delivery.attempts: 0\n", ':1:20  ["delivery.attempts"]: must be at least 1'],
  ["faults.yaml", "on: request\nthen: { duplicate: 2 }\n", ":2:9  then.duplicate: applies to a delivery"],
  ["broken.json", '{ "port": }', ":1:11  "],
  [
    "stranger.yaml",
    "# first\nprot: 1\n",
    ':2:1  prot: is a key of no fixture, config, scenario, behaviour or faults file: did you mean "port"?',
  ],
  ["empty.json", "{}", ":1:1  is empty"],
  ["none.json", "[]", ":1:1  is empty"],
  ["comment.yaml", "# nothing yet\n", ":1:1  is empty"],
  ["text.yaml", "hello\n", ":1:1  must be an object or a list of objects, but is a string"],
  [
    "s.yaml",
    "steps: [{ log: Hi }]\nsurvives: [duplicated/*]\ntolerates: [duplicatd]\n",
    ':3:13  tolerates[0]: unknown challenge "duplicatd": did you mean "duplicated"?',
  ],
  ["config.yaml", "port: 0\nfixtures: none.json\n", ":2:11  fixtures: cannot read "],
  ["config.yaml", "port: 0\nfault: [gone.yaml]\n", ":2:9  fault[0]: cannot read "],
])("says where %s is wrong: %j", async (name, text, ...problems) => {
  const path = write(name, text);
  const { code, out, err } = await run(["check", path]);
  expect([code, err]).toEqual([2, ""]);
  for (const [line, expected] of problems.entries()) expect(out.split("\n")[line]).toContain(path + expected);
  expect(out.trimEnd().split("\n")).toHaveLength(problems.length);
});

it("tells what is wrong in the files of a config file", async () => {
  const fixture = write("f.json", '{ "thread": [] }');
  const path = write("config.yaml", `port: 0\nfixtures: ${basename(fixture)}\n`);
  const problem = expect.stringContaining(`${fixture}:1:3  thread: unknown collection "thread"`);
  expect(await run(["check", path])).toEqual({ code: 2, out: problem, err: "" });
});
