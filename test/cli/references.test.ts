/** `check` and `run` follow what scenarios and config files name. */
import { basename, dirname } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import { refused, run } from "./terminal.js";

const FIXTURES = `fixtures:
  organizations: [{ id: "1", name: Acme }]
  businesses:
    - { id: "10", organizationId: "1", name: Paris, whatsappSender: { active: true, phoneNumber: "+33155550100" } }
    - { id: "11", organizationId: "1", name: Lyon }
  users: [{ id: "501", organizationId: "1", email: a@acme.example, displayName: A, businessIds: ["10"] }]
  tokens: [{ id: acme-token, userId: "501" }]
  customers: [{ id: cust_1, organizationId: "1", displayName: C, phoneNumber: "+15551234567" }]
  threads: [{ id: "9001", businessId: "10", customerId: cust_1, channel: WHATSAPP, status: waiting, isMessagingWindowOpen: true }]
  templates: [{ id: HX00000000000000000000000000000001, organizationId: "1", title: issue_back, text: Back }]
  webhooks: [{ id: "1", hookId: crm, organizationId: "1", url: "sink:demo", subscribedEvents: [messages] }]
`;
const HEAD = `${FIXTURES}thread: "9001"\nsteps:\n  - `;
const STEPS_LINE = HEAD.split("\n").length;

/** Steps, each with the column and the problem of its reference in the line below. */
const WRONG_REFERENCES = `
customer: { thread: "77", says: Hi }
  25  customer.thread: unknown thread "77": it must be 9001
employee: { user: 502, says: Hi }
  23  employee.user: unknown user "502": did you mean "501"?
transfer: "12"
  15  transfer: unknown business "12": did you mean "10"?
transfer: { to: "11", by: "5" }
  31  transfer.by: unknown user "5": it must be 501
reply: { template: isue_back }
  24  reply.template: unknown template "isue_back": did you mean "issue_back"?
set: { collection: customers, id: cust_2, values: { company: X } }
  39  set.id: unknown customer "cust_2": did you mean "cust_1"?
{ request: GET /api/webhooks/, token: acme }
  43  token: unknown token "acme": it must be acme-token
expect: { none: { delivery: { webhookId: crmm } }, for: 1ms }
  46  expect.none.delivery.webhookId: unknown webhook "crmm": did you mean "crm"?
expect: { state: { collection: users, id: "510", absent: true } }
  47  expect.state.id: unknown user "510": did you mean "501"?
fault: { on: delivery, match: { hookId: crn }, then: unavailable }
  45  fault.match.hookId: unknown webhook "crn": did you mean "crm"?
repeat: { times: 2, steps: [{ window: { thread: "8", open: true } }] }
  53  repeat.steps[0].window.thread: unknown thread "8": it must be 9001
`;

let write: ReturnType<typeof scratch>;
beforeEach(() => {
  write = scratch();
});
/** Expects `check` to print these problems of a file, without its path, and no more. */
async function expectProblem(path: string, problem: string): Promise<void> {
  expect(await run(["check", path])).toEqual({ code: 2, out: `${path}:${problem}\n`, err: "" });
}

describe("check follows the references of a scenario", () => {
  it.each([
    ["token: acme-tokn", '1:8  token: unknown token "acme-tokn": did you mean "acme-token"?'],
    ["thread: 9O01", '1:9  thread: unknown thread "9O01": did you mean "9001"?'],
  ])("%j", (text, problem) => expectProblem(write("s.yaml", `${text}\n${FIXTURES}steps: []\n`), problem));

  it("in its steps, for check and run", async () => {
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

  it("leaves alone what is meant to be unknown, and what the scenario makes itself", async () => {
    const thread = 'id: "9005", businessId: "10", customerId: cust_1, channel: SMS, status: waiting';
    const path = write(
      "s.yaml",
      `${FIXTURES}token: acme-token
steps:
  - request: GET /api/webhooks/
    token: nobody
    expect: 401
  - request: GET /api/customers/cust_2/profile
    expect: 404
  - expect: { state: { collection: threads, id: "9002", absent: true } }
  - control: POST /data/threads
    body: { ${thread}, isMessagingWindowOpen: true }
  - customer: { thread: "9005", says: Hi }
  - delivered: { threadId: "9005" }
`,
    );
    for (const command of ["check", "run"])
      expect(await run([command, path])).toMatchObject({ code: 0, err: "" });
  });

  it("in steps after calls that create other records", async () => {
    const path = write(
      "s.yaml",
      `${HEAD}request: POST /api/update-thread-status
    body: { customerThreadId: "9001", status: resolved }
  - control: POST /data/customers
    body: { id: cust_2, organizationId: "1", displayName: D, phoneNumber: "+15551234568" }
  - set: { collection: customers, id: cust_3, values: { company: X } }
  - silent: { thread: "90001", for: 1ms }
`,
    );
    const problem = 'steps[3].silent.thread: unknown thread "90001": did you mean "9001"?';
    await expectProblem(path, `${STEPS_LINE + 5}:23  ${problem}`);
  });

  it("are those of the target, where a run has one", async () => {
    const path = write("s.yaml", 'thread: "77"\nsteps:\n  - customer: Hi\n');
    expect(await run(["run", path])).toEqual(refused(`${path}:1:9  thread: unknown thread "77"`));
    const state = (await (await startSimulator()).control("GET /state")).body;
    const fixtures = { ...state, messages: [], threads: [{ ...state.threads[0], id: "77" }] };
    const other = await startSimulator({ fixtures });
    expect(await run(["run", path, "--url", other.url])).toMatchObject({ code: 0, err: "" });
  });
});

describe("check follows the files of a config file", () => {
  it.each([
    ["port: 0\nfixtures: none.json\n", "2:11  fixtures: cannot read DIR/none.json: there is no such file"],
    ["port: 0\nfault: [gone.yaml]\n", "2:9  fault[0]: cannot read DIR/gone.yaml: there is no such file"],
  ])("%j", async (text, problem) => {
    const path = write("config.yaml", text);
    await expectProblem(path, problem.replace("DIR", dirname(path)));
  });

  it("tells what is wrong in them", async () => {
    const fixture = write("f.json", '{ "thread": [] }');
    const path = write("config.yaml", `port: 0\nfixtures: ${basename(fixture)}\n`);
    const problem = expect.stringContaining(`${fixture}:1:3  thread: unknown collection "thread"`);
    expect(await run(["check", path])).toEqual({ code: 2, out: problem, err: "" });
  });
});
