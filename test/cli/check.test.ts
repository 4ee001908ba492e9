/** `check` knows each kind of file; it and `run` follow what scenarios and config files name. */
import { basename, dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { judgeDocument } from "../../src/cli/document-kinds.js";
import { parseDocument } from "../../src/kernel/document.js";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import { refused, run } from "./terminal.js";

const DEFAULT_FIXTURE = join(import.meta.dirname, "..", "..", "fixtures", "default.json");
const FIXTURES = `fixtures: ${DEFAULT_FIXTURE}\n`;
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
  [
    "s.yaml",
    `token: acme-tokn\n${FIXTURES}steps: [{ log: x }]\n`,
    ':1:8  token: unknown token "acme-tokn": did you mean "acme-token"?',
  ],
  [
    "s.yaml",
    `thread: 9O01\n${FIXTURES}steps: [{ log: x }]\n`,
    ':1:9  thread: unknown thread "9O01": did you mean "9001"?',
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

it("finds a thread that is in no fixture a scenario may start from", async () => {
  const scenario = 'thread: "90017"\nsteps:\n  - customer: Hello\n';
  const file = write("s.yaml", scenario);
  const hint = "(checked with the built-in fixture; --url checks with the state of a simulator)";
  expect(await run(["check", file])).toEqual({
    code: 2,
    out: `${file}:1:9  thread: unknown thread "90017": did you mean "9001"? ${hint}\n`,
    err: "",
  });
  const inline = write("inline.yaml", `fixtures: { threads: [] }\n${scenario}`);
  expect((await run(["check", inline])).out).toContain('unknown thread "90017": there is none\n');
  // What another simulator has, only it can say.
  const sim = await startSimulator();
  const thread = { ...(await sim.control("GET /data/threads/9001")).body, id: "90017" };
  await sim.control("POST /data/threads", thread);
  expect(await run(["check", file, "--url", sim.url])).toMatchObject({ code: 0 });
});

it("warns of steps that can hardly work, and calls the file valid", async () => {
  const steps = [
    ...["snapshot: taken", "restore: taken", "restore: never", "window: open"],
    "window: { thread: 9003, open: true }",
  ];
  const file = write("s.yaml", `thread: "9001"\nsteps:\n${steps.map((step) => `  - ${step}\n`).join("")}`);
  const { code, out } = await run(["check", file]);
  expect(code).toBe(0);
  expect(out).toBe(
    `${file}  ok (scenario: 5 steps)
${file}:5:14  steps[2].restore: warning: no step before takes a snapshot "never"
${file}:7:23  steps[4].window.thread: warning: thread 9003 is on SMS, which has no messaging window
`,
  );
});

const HEAD = `${FIXTURES}thread: "9001"\nsteps:\n  - `;
const STEPS_LINE = HEAD.split("\n").length;

/** Steps, each with the column and the problem of its reference in the line below. */
const WRONG_REFERENCES = `
customer: { thread: "9O01", says: Hi }
  25  customer.thread: unknown thread "9O01": did you mean "9001"?
employee: { user: 5011, says: Hi }
  23  employee.user: unknown user "5011": did you mean "501"?
transfer: "10O1"
  15  transfer: unknown business "10O1": did you mean "1001"?
transfer: { to: "1002", by: "5" }
  33  transfer.by: unknown user "5": it must be 501, 502, 503, 504, 601 or 602
reply: { template: isue_back }
  24  reply.template: unknown template "isue_back": did you mean "issue_back"?
set: { collection: customers, id: cust_01, values: { company: X } }
  39  set.id: unknown customer "cust_01": did you mean "cust_001"?
{ request: GET /api/webhooks/, token: acme }
  43  token: unknown token "acme": it must be acme-token, acme-no-delete or globex-token
expect: { none: { delivery: { webhookId: crmm } }, for: 1ms }
  46  expect.none.delivery.webhookId: unknown webhook "crmm": did you mean "crm"?
expect: { state: { collection: users, id: "5O1", values: { contactable: true } } }
  47  expect.state.id: unknown user "5O1": did you mean "501"?
fault: { on: delivery, match: { hookId: crn }, then: unavailable }
  45  fault.match.hookId: unknown webhook "crn": did you mean "crm"?
repeat: { times: 2, steps: [{ window: { thread: "90011", open: true } }] }
  53  repeat.steps[0].window.thread: unknown thread "90011": did you mean "9001"?
`;

/** Expects `check` to print these problems of a file, without its path, and no more. */
async function expectProblem(path: string, problem: string): Promise<void> {
  expect(await run(["check", path])).toEqual({ code: 2, out: `${path}:${problem}\n`, err: "" });
}

it("check follows the references of a scenario in its steps, for check and run", async () => {
  const rows = WRONG_REFERENCES.trim().split(/\n(?! )/);
  const files = rows.map((text, row) => {
    const [step, expected = ""] = text.split("\n  ");
    const path = write(`${row}.yaml`, `${HEAD}${step}\n`);
    return { path, problem: `${path}:${STEPS_LINE}:${expected.replace("  ", "  steps[0].")}\n` };
  });
  const [paths, problems] = [files.map(({ path }) => path), files.map(({ problem }) => problem).join("")];
  expect(await run(["check", ...paths])).toEqual({ code: 2, out: problems, err: "" });
  expect(await run(["run", ...paths])).toEqual({ code: 2, out: "", err: problems });
});

it("check follows the references of a scenario leaves alone what is meant to be unknown, and what the scenario makes itself", async () => {
  const thread = 'id: "9009", businessId: "1001", customerId: cust_001, channel: SMS, status: waiting';
  const path = write(
    "s.yaml",
    `${FIXTURES}token: acme-token
steps:
  - request: GET /api/webhooks/
    token: nobody
    expect: 401
  - request: GET /api/customers/cust_2/profile
    expect: 404
  - control: POST /data/threads
    body: { ${thread}, isMessagingWindowOpen: true }
  - customer: { thread: "9009", says: Hi }
  - delivered: { threadId: "9009" }
`,
  );
  for (const command of ["check", "run"])
    expect(await run([command, path])).toMatchObject({ code: 0, err: "" });
});

it("check follows the references of a scenario in steps after calls that create other records", async () => {
  const path = write(
    "s.yaml",
    `${HEAD}request: POST /api/update-thread-status
    body: { customerThreadId: "9001", status: resolved }
  - control: POST /data/customers
    body: { id: cust_2, organizationId: "200" }
  - set: { collection: customers, id: cust_3, values: { company: X } }
  - silent: { thread: "90001", for: 1ms }
`,
  );
  const problem = 'steps[3].silent.thread: unknown thread "90001": did you mean "9001"?';
  await expectProblem(path, `${STEPS_LINE + 5}:23  ${problem}`);
});

it("check follows the references of a scenario are those of the target, where a run has one", async () => {
  const path = write("s.yaml", 'thread: "77"\nsteps:\n  - customer: Hi\n');
  expect(await run(["run", path])).toEqual(refused(`${path}:1:9  thread: unknown thread "77"`));
  const state = (await (await startSimulator()).control("GET /state")).body;
  const fixtures = { ...state, messages: [], threads: [{ ...state.threads[0], id: "77" }] };
  const other = await startSimulator({ fixtures });
  expect(await run(["run", path, "--url", other.url])).toMatchObject({ code: 0, err: "" });
});

it("tells what is wrong in the files of a config file", async () => {
  const fixture = write("f.json", '{ "thread": [] }');
  const path = write("config.yaml", `port: 0\nfixtures: ${basename(fixture)}\n`);
  const problem = expect.stringContaining(`${fixture}:1:3  thread: unknown collection "thread"`);
  expect(await run(["check", path])).toEqual({ code: 2, out: problem, err: "" });
});

it("takes a config file whose fixture is the empty one", async () => {
  const path = write("config.yaml", "port: 0\nfixtures: empty\n");
  expect(await run(["check", path])).toEqual({ code: 0, out: `${path}  ok (config: 2 options)\n`, err: "" });
});
