import { beforeEach, expect, it } from "vitest";
import { receiver, scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { heldReceiver, serverOf } from "../support/server.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { refused, run } from "./terminal.js";

let sim: Running;
let nowhere: string;
beforeEach(async () => {
  sim = await startSimulator();
  nowhere = `http://127.0.0.1:${await freePort()}`;
});

const send = (text: string, customerThreadId: string) =>
  sim.api("POST /api/send-message-to-customer-thread", { customerThreadId, text });
const scenario = (steps = "", head = "") =>
  scratch()("s.yaml", `${head}name: Hello\nthread: "9001"\nsteps:\n  - customer: Hello\n${steps}`);
/** Runs a conversation that the customer begins. */
const played = async (steps: string, head: string, ...words: string[]) =>
  run(["run", scenario(steps, head), ...words]);
const onSim = (hook: string) => ["--url", sim.url, "--hook", hook];
const deaf = () => receiver(() => {});
const REPLY = "  - reply: Hi\n";
const failsWith = (message: string) => ({ code: 1, out: expect.stringContaining(message) });
const UNTESTED = failsWith("nothing was tested: your program responded to no delivery and made no call");

it("refuses --exec where another program already answers at the port of --hook", async () => {
  const hook = await deaf();
  const problem = `--hook: another program already answers at ${new URL(hook).host}, where exit 3 should respond: stop it, or use another port\n`;
  for (const words of [["run"], ["challenge"]]) {
    const all = [...words, scenario(REPLY), "--hook", hook, "--exec", "exit 3"];
    expect(await run(all, { PATH: process.env.PATH ?? "" }), words[0]).toEqual(refused(problem));
  }
});

it("fails a run in which nobody answers a delivery and nobody calls", async () => {
  const failed = await played("", "", "--hook", nowhere);
  expect(failed).toMatchObject(UNTESTED);
  for (const text of ["connection refused", "1 scenario: 1 failed"]) expect(failed.out).toContain(text);
  // A reset forgets nothing of it.
  expect(await played("  - reset: true\n", "", "--hook", nowhere)).toMatchObject(UNTESTED);
  const heard = "  - delivered: message\n  - reset: true\n  - customer: Hello\n";
  expect((await played(heard, "", "--hook", await deaf())).code).toBe(0);
  // Without deliveries there is nothing to answer.
  const quiet = scratch()("quiet.yaml", "steps:\n  - log: nothing happens\n");
  expect((await run(["run", quiet, "--hook", nowhere])).code).toBe(0);
  // An answer of a fault is none of the system under test.
  const stubbed = 'thread: "9001"\nsteps:\n  - fault: { on: delivery, then: { status: 200 } }\n';
  const file = scratch()("stubbed.yaml", `${stubbed}  - customer: Hello\n`);
  expect(await run(["run", file, "--hook", nowhere])).toMatchObject(UNTESTED);
});

it("waits for deliveries under way before it judges, for as long as `within` says", async () => {
  const { url, arrived, release } = await heldReceiver();
  expect(await played("", "within: 50ms\n", "--hook", url)).toMatchObject(UNTESTED);
  await arrived;
  release();
  expect(await played("", "", "--hook", url)).toMatchObject({ code: 0, err: "" });
});

it.each([
  ["a reply", REPLY],
  ["a call", "  - expect: { request: { path: /api/hook-url } }\n"],
])("says at once that nothing is connected that could make %s", async (_what, step) => {
  const started = performance.now();
  expect(await played(step, "within: 1m\n")).toMatchObject(
    failsWith("no program is connected: every enabled webhook leads to a sink or is blocked"),
  );
  expect(performance.now() - started).toBeLessThan(30_000);
  // Any program may call another simulator.
  for (const words of [[], ["--sandbox", "default"]])
    expect(await played(step, "within: 50ms\n", "--url", sim.url, ...words)).toMatchObject(
      failsWith("within 50 ms"),
    );
});

it("waits where a webhook leads somewhere, for what must not come, and for the scenario's own calls", async () => {
  const none = "  - expect: { none: { request: { by: client, succeeded: true } }, for: 10ms }\n";
  const call = "  - request: GET /api/webhooks/\n    token: acme-token\n";
  expect((await played(`${none}${call}  - expect: { request: { by: scenario } }\n`, "")).code).toBe(0);
  const set = `  - set: { collection: webhooks, id: "1", values: { url: "${await deaf()}" } }\n`;
  expect(await played(set + REPLY, "within: 50ms\n")).toMatchObject(
    failsWith("No reply in thread 9001 within 50 ms"),
  );
});

it.each([
  ["a transfer", '{ transfer: "1002" }, { delivered: transfer, within: 20s }'],
  [
    "an internal message",
    '{ employee: { user: "501", says: "Follow up", internal: true } }, { delivered: message, within: 20s }',
  ],
])("says why no reply followed %s, though the customer wrote only in the fixture", async (_what, begun) => {
  const text = `name: S\nthread: "9001"\nwithin: 50ms\nsteps: [${begun}, { reply: Hi }]\n`;
  const { out } = await run(["run", scratch()("s.yaml", text), "--hook", await deaf()]);
  expect(out).toContain("\n  Why: The event was delivered (200), and no call has come since.\n");
});

it("blames no webhook for an awaited reply in a thread without events", async () => {
  const bot = await receiver(async ({ data }) => void (data.fromCustomer && (await send("Hi", "9003"))));
  const quiet = 'customer: { thread: "9003", says: Hi } }, { reply: { thread: "9001" }';
  const file = scratch()("s.yaml", `within: 50ms\nsteps: [{ ${quiet} }]\n`);
  const { out } = await run(["run", file, ...onSim(bot)]);
  expect(out).toContain("\n  Why: No reply in thread 9001 within 50 ms\n");
});

it("says in one sentence why there was no reply, before the evidence", async () => {
  const rude = await receiver(({ data }) => void (data.fromCustomer && send("Go away", "9001")));
  const said = "{ eventType: message, body: { data: { messageBody: Go away } }, within: 20s }";
  const awaited = `  - delivered: ${said}\n  - reply: { contains: "help" }\n`;
  const { code, out } = await played(awaited, "within: 50ms\n", ...onSim(rude));
  const why = 'Your bot replied "Go away": the reply should contain "help"';
  expect([code, out.split("\n")[1]]).toEqual([1, `  Why: ${why}`]);
  expect(out.slice(out.indexOf("Failed"))).toContain(why);
});

const REFUSED = "nothing was tested: your program accepted no delivery and made no call";
const silent = "  - silent: 20ms\n";
const none = "  - expect: { none: { request: { method: POST } }, for: 20ms }\n";
const forged =
  "  - fault: { on: delivery, then: { headers: { x-signature: forged } } }\n  - customer: Hello\n";
const failed = "  - expect: { delivery: { status: failed } }\n";

it.each([
  [1, "without calls", 404, silent],
  [1, "for as long as none may come", 500, none],
  [1, "before a reset", 404, `${silent}  - reset: true\n`],
  [0, "if it accepts them", 204, silent + none],
  [0, "if the scenario only sends", 404, ""],
  [0, "if a step expects its refusal", 404, failed + silent],
  [0, "if a fault gave it reason to", 401, forged + silent],
])(
  "a system under test that stays silent because it refuses every delivery exits with %i %s",
  async (code, _, status, steps) => {
    const hook = await serverOf((_request, response) => response.writeHead(status).end());
    const ran = await run(["run", scenario(steps), "--hook", hook]);
    expect(ran.code).toBe(code);
    if (code === 1) expect(ran.out).toMatch(new RegExp(`${REFUSED}[^]*, failed \\(${status}\\)`));
  },
);

const SEND =
  "  - request: POST /api/send-message-to-customer-thread\n    body: { customerThreadId: '9001', text: Hi }\n";
const scenarioOf = (steps: string, head = "") => scratch()("s.yaml", `${head}name: S\nsteps:\n${steps}`);

it("calls the API with the fixture's first token if the scenario names none", async () => {
  const { code, out } = await run(["run", scenarioOf(SEND)]);
  expect([code, out]).toEqual([0, expect.stringContaining("→ 200")]);
  const own = `fixtures: { organizations: [{ id: "1", name: A }], users: [{ id: "2", organizationId: "1", email: a@b.example, displayName: A, businessIds: [] }], tokens: [{ id: mine, userId: "2" }, { id: other, userId: "2" }] }\n`;
  const listed = "  - request: GET /api/webhooks/\n  - expect: { request: { by: scenario, token: mine } }\n";
  expect(await run(["run", scenarioOf(listed, own)])).toMatchObject({ code: 0 });
  const nameless = own.replace(/tokens: .*\]/, "tokens: []");
  expect(await run(["run", scenarioOf(SEND, nameless)])).toMatchObject(failsWith("answered 401, which no"));
});

it.each([
  [401, "    token: null\n"],
  [403, ""],
  [503, ""],
])("fails a call that was answered with %i and that no step looks at", async (status, token) => {
  const fault = `  - fault: { on: request, then: { status: ${status} } }\n`;
  const plain = `${status === 401 ? "" : fault}${SEND}${token}`;
  expect(await run(["run", scenarioOf(plain)])).toMatchObject(
    failsWith(`answered ${status}, which no \`expect\` allows`),
  );
  expect(await run(["run", scenarioOf(`${plain}    expect: ${status}\n`)])).toMatchObject({ code: 0 });
  expect(await run(["run", scenarioOf(`${plain}    id: refused\n`)])).toMatchObject({ code: 0 });
});

it("counts a scenario as failed, and not as played, if its fault has no effect", async () => {
  const fault = "  - fault: { on: delivery, times: 1, then: bad-signature }\n";
  const { code, out } = await run(["run", scenarioOf(fault)]);
  expect([code, out]).toEqual([1, expect.stringContaining("1 scenario: 1 failed\n")]);
  expect(out).toContain("Why: the fault has no effect: deliveries are not signed");
});

it("refuses a scenario without steps", async () => {
  const file = scratch()("s.yaml", "name: Nothing\nsteps: []\n");
  expect(await run(["run", file])).toEqual(refused(`${file}:2:8  steps: must not be empty`));
  expect(await run(["check", file])).toMatchObject({
    code: 2,
    out: `${file}:2:8  steps: must not be empty\n`,
  });
});

it.each([
  ["played", "", 0],
  ["played", "  - request: GET /api/webhooks/nobody\n    id: kept\n", 0],
  ["passed", "  - request: GET /api/webhooks/\n", 1],
  ["passed", "  - delivered: message\n", 1],
  ["passed", "  - repeat: { times: 1, steps: [{ silent: 1ms }] }\n", 1],
])("counts a scenario as %s with %j", async (counted, steps, tests) => {
  const file = scenario(steps);
  const { code, out } = await run(["run", file]);
  expect(code, out).toBe(0);
  expect(out).toContain(`1 scenario: 1 ${counted}\n`);
  expect(out.includes("Nothing was tested: no step expects anything.")).toBe(tests === 0);
  const json = JSON.parse((await run(["run", file, "--reporter", "json"])).out);
  expect(json.scenarios[0].played).toBe(tests === 0 ? true : undefined);
  const both = await run(["run", file, scenarioOf("  - request: GET /api/webhooks/\n")]);
  expect(both.out).toContain(tests === 0 ? "2 scenarios: 1 passed, 1 played\n" : "2 scenarios: 2 passed\n");
});
