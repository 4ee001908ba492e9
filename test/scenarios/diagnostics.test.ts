import { describe, expect, it } from "vitest";
import { readScenarioFile } from "../../src/scenarios/read.js";
import { scenarioFormat } from "../../src/server/scenario-format.js";
import { problemsOf, read, scratch } from "./support.js";

const inSteps = (step: string) => `thread: "9001"\nparams: { a: 1 }\nsteps:\n  - ${step}\n`;

/** Steps, each with what is wrong with it in the line below; test/cli/typos.test.ts has typos in names and values. */
const WRONG_STEPS = `
{ reply: Hi, thread: "9001" }
  4:18  steps[0].thread: unknown key "thread": it must be name, id or within
customer: 5
  4:15  steps[0].customer: must be a string, or an object, but is a number
customer:
  4:14  steps[0].customer: must be a string, or an object, but is empty (a text that begins with # must be in quotes)
employee: Hello
  4:15  steps[0].employee: must be an object such as { user: …, says: … }, but is "Hello"
reply: { contians: x }
  4:14  steps[0].reply.contians: unknown field "contians": did you mean "contains"?
reply: { matches: '(' }
  4:23  steps[0].reply.matches: must be a regular expression:
silent: soon
  4:13  steps[0].silent: must be a duration with its unit (such as "90s" or "24h", at most 365000d) or a number of milliseconds, or an object, but is "soon"
delivered: { body: { $regx: x } }
  4:33  steps[0].delivered.body.$regx: unknown operator "$regx"
request: POST api/x
  4:14  steps[0].request: must be METHOD /path, or an object, but is "POST api/x"
expect: { count: 2 }
  4:13  steps[0].expect: must have request, delivery, state, idle or none
expect: { idle: true, request: {} }
  4:13  steps[0].expect: must have only one of request
expect: { none: { request: {} } }
  4:13  steps[0].expect.for: is missing: none needs it
expect: { idle: true, count: 2 }
  4:27  steps[0].expect.count: applies only to request or delivery
expect: { state: { collection: threads, id: '1' } }
  4:22  steps[0].expect.state.values: is missing
expect: { request: { operation: sendMesage } }
  4:37  steps[0].expect.request.operation: unknown operation "sendMesage": did you mean "sendMessageToCustomerThread"?
expect: { request: { status: 1000 } }
  must be an HTTP status (100 to 599) or null, but is 1000
delivered: { eventType: { $oneOf: [transfers] } }
  unknown event type "transfers": did you mean "transfer"?
expect: { state: { collection: thread, id: 1, values: {} } }
  unknown collection "thread": did you mean "threads"?
expect: { state: { collection: threads, id: 1, values: { status: { $not: waitin } } } }
  unknown status "waitin": did you mean "waiting"?
expect: { state: { collection: threads, id: 1, values: { statsu: { $absent: true } } } }
  unknown field "statsu": did you mean "status"?
expect: { state: { collection: customers, id: 1, values: { lastSurveys: { npss: { $absent: true } } } } }
  lastSurveys.npss: unknown field "npss": did you mean "nps"?
expect: { state: { collection: messages, id: 1, values: { attachment: { size: { $not: 1 } } } } }
  attachment.size: unknown field "size"
delivered: { body: { data: { frobnicate: { $absent: true } } } }
  steps[0].delivered.body.data.frobnicate: unknown field "frobnicate"
{ request: GET /api/x, expect: { body: { isMesagingWindowOpen: { $absent: true } } } }
  steps[0].expect.body.isMesagingWindowOpen: unknown field "isMesagingWindowOpen": did you mean "isMessagingWindowOpen"?
fault: { on: request, match: { operation: getWebhok }, then: slow }
  steps[0].fault.match.operation: unknown operation "getWebhok": did you mean "getWebhook"?
fault: { on: request, then: { duplicate: 1 } }
  then.duplicate: applies to a delivery, not to a request
clearFaults: false
  4:18  steps[0].clearFaults: must be true, or an object, but is a boolean
repeat: { times: 2, steps: [{ advnce: 1h }] }
  4:35  steps[0].repeat.steps[0].advnce: unknown step "advnce": did you mean "advance"?
{ customer: hi, log: ho }
  4:21  steps[0].log: a step has one action, but this one has customer and log: start each with its own dash
{ id: 'a b', log: x }
  4:11  steps[0].id: must be a plain name, but is "a b"
{}
  4:5  steps[0]: has no action: a step has one of customer, employee, reply
hello
  4:5  steps[0]: must be a step such as { customer: Hello }, but is a string
customer: '\${param:b}'
  4:15  steps[0].customer: \${param:b}: unknown parameter "b": did you mean "a"?
customer: '\${later.body}'
  4:15  steps[0].customer: \${later.body}: unknown name "later"
customer: '\${round}'
  \${round}: there is no "round" outside a repeat
repeat: { times: 2, steps: [{ customer: '\${rounds}' }] }
  \${rounds}: unknown name "rounds": did you mean "round"?
`;

describe("a step", () => {
  it.each(
    WRONG_STEPS.trim()
      .split(/\n(?! )/)
      .map((row) => row.split("\n  ")),
  )("%s", async (step = "", problem = "") => {
    const [first, ...others] = await problemsOf(inSteps(step));
    expect(first).toContain(problem);
    expect(others).toEqual([]);
  });

  it.each([
    [
      "needs a thread that it or the scenario names",
      ["customer: Hello"],
      ["2:5  steps[0]: customer needs a thread: name one here or for the whole scenario"],
    ],
    [
      "cannot speak of what comes later, or of itself",
      ["log: ${b.body}", "{ log: '${b.body}', id: b }"],
      ['2:10  steps[0].log: ${b.body}: "b" comes later', '3:12  steps[1].log: ${b.body}: "b" comes later'],
    ],
    [
      "has an id of its own",
      ["{ log: a, id: x }", "{ log: b, id: x }", "{ log: c, id: thread }"],
      ['3:19  steps[1].id: there is already a "x"', '4:19  steps[2].id: there is already a "thread"'],
    ],
  ])("%s", async (_, steps, problems) => {
    const text = `steps:\n${steps.map((step) => `  - ${step}\n`).join("")}`;
    expect(await problemsOf(text)).toEqual(problems.map((problem) => `s.yaml:${problem}`));
  });

  it("keeps the placeholders of behaviour values as they are", async () => {
    const scenario = await read(
      'params: { s: 201 }\nsteps:\n  - behaviour: { sendMessage.response: { status: "${param:s}", body: "${message.id}" } }\n',
    );
    expect(scenario.steps[0]?.input).toEqual({
      "sendMessage.response": { status: 201, body: "${message.id}" },
    });
  });
});

describe("a scenario", () => {
  it.each([
    ["stepps: []", '1:1  stepps: unknown field "stepps": did you mean "steps"?'],
    ["- a", "1:1  must be a scenario with steps, but is an array"],
    ["steps: {}", "1:8  steps: must be a list with a dash before each step, but is an object"],
    [
      'thread: "9001"\nsteps:\n  - reply:\n    contains: Hi',
      '4:5  steps[0].contains: must be indented further than "reply", to which it belongs',
    ],
    ["steps: [{ log: x }]\nwithin: soon", "2:9  within: must be a duration"],
    [
      "steps: [{ log: x }]\nbehaviour: { window.duraton: 1h }",
      '2:14  behaviour["window.duraton"]: unknown field',
    ],
    ["steps: [{ log: x }]\nparams: { a: [1] }", "2:14  params.a: must be"],
    ["steps: [{ log: x }]\nname: a\nname: b", '3:1  duplicate key "name"'],
    ["steps: [", "1:9  "],
    [
      "steps: [{ log: x }]\nfixtures: nowhere.json",
      "2:11  fixtures: the file nowhere.json cannot be read: there is no such file",
    ],
    [
      "steps: [{ log: x }]\nbehaviour: nowhere.yaml",
      "2:12  behaviour: the file nowhere.yaml cannot be read: there is no such file",
    ],
  ])("%j", async (text, problem) => {
    const problems = await problemsOf(text);
    expect(problems.join("\n")).toContain(`s.yaml:${problem}`);
  });

  it("reports every problem at once, in the order of the text", async () => {
    const problems = await problemsOf("steps:\n  - advance: x\n  - nothing: here\nwithin: x\n");
    expect(problems.map((line) => line.split("  ")[0])).toEqual(["s.yaml:2:14", "s.yaml:3:5", "s.yaml:4:9"]);
  });

  it("takes the values of the behaviour table from a file", async () => {
    const write = scratch();
    write("observed.yaml", "timestamps.unit: s");
    const file = write("s.yaml", "behaviour: observed.yaml\nsteps: [{ log: x }]");
    const { scenario } = await readScenarioFile(scenarioFormat(), file);
    expect(scenario?.behaviour).toEqual({ "timestamps.unit": "s" });
  });

  it("refuses a fixture file in which a collection comes twice", async () => {
    const write = scratch();
    write("twice.json", '{"users": [], "users": []}');
    const file = write("s.yaml", "fixtures: twice.json\nsteps: [{ log: x }]");
    const { problems } = await readScenarioFile(scenarioFormat(), file);
    expect(problems).toMatchObject([{ line: 1, column: 15, message: 'duplicate key "users"' }]);
  });
});

describe("parameters", () => {
  it("take the type of their default", async () => {
    const text =
      "params: { times: 2, on: true, text: a }\nsteps:\n  - repeat: { times: '${param:times}', steps: [] }\n  - log: ${param:on} ${param:text}\n";
    const { steps } = await read(text, { times: "3", on: "false", text: "5" });
    expect(steps.map(({ input }) => input)).toEqual([{ times: 3 }, { text: "false 5" }]);
    await expect(read(text, { times: "many" })).rejects.toThrow(
      's.yaml:1:11  params.times: must be a number, but --param times says "many"',
    );
  });
});
