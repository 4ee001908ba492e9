import { appendFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { receiver } from "../scenarios/support.js";
import { filesFor } from "../support/folder.js";
import { startSimulator } from "../support/simulator.js";
import { refused, run } from "./terminal.js";

const PASSES = 'name: Passes\nthread: "9001"\nsteps:\n  - customer: Hello\n  - delivered: message\n';
const FAILS = 'name: Fails\nthread: "9001"\nwithin: 20\nsteps:\n  - reply: Hello\n';

const write = filesFor("run");

it("ends with 0, 1 or 2", async () => {
  const [passes, fails] = [write("passes.yaml", PASSES), write("fails.yaml", FAILS)];
  const shown = expect.stringContaining("✓ Customer: Hello");
  expect(await run(["run", passes])).toEqual({ code: 0, out: shown, err: "" });
  const bad = await run(["run", fails, passes]);
  expect(bad.code).toBe(1);
  expect(bad.out).toContain(`${fails}:5:5  no program is connected: `);
  expect(bad.out).toContain("2 scenarios: 1 failed, 1 passed");
  const unusable = write("unusable.yaml", "steps:\n  - custmer: Hello\n");
  const problem = `${unusable}:2:5  steps[0].custmer: unknown step "custmer": did you mean "customer"?\n`;
  expect(await run(["run", passes, unusable])).toEqual({ code: 2, out: "", err: problem });
});

it("says where the simulator finds a scenario's start unusable", async () => {
  const fixture = write("f.json", '{\n  "threads": [{ "id": "1" }]\n}');
  const refusal = await run(["run", write("s.yaml", "fixtures: f.json\nsteps: [{ log: x }]\n")]);
  expect(refusal).toEqual(refused("threads[0].businessId: is missing"));
  expect(refusal.err).toContain(`${fixture}:2:`);
});

it("sets parameters, of which at least one scenario must know each", async () => {
  const file = write("s.yaml", "params: { who: nobody }\nsteps:\n  - log: Hello ${param:who}\n");
  expect((await run(["run", file, "--param", "who=Ann"])).out).toContain("Hello Ann");
  const problem = '--param: unknown parameter "woh": did you mean "who"?\n';
  expect(await run(["run", file, "--param", "woh=Ann"])).toEqual(refused(problem));
});

it("reports in the order of the files, whichever ends first, into a file or to the terminal", async () => {
  const slow = write("slow.yaml", "name: slow\nsteps:\n  - wait: 50\n");
  const fast = write("fast.yaml", "name: fast\nsteps:\n  - log: fast\n");
  const { out } = await run(["run", slow, fast, "--jobs", "2", "--reporter", "json"]);
  expect(JSON.parse(out).scenarios).toMatchObject([{ name: "slow" }, { name: "fast" }]);
  const report = join(dirname(slow), "none", "out.xml");
  const { out: summary } = await run(["run", fast, "--out", report]);
  expect(summary).toBe("1 scenario: 1 played\nNothing was tested: no step expects anything.\n");
  expect(readFileSync(report, "utf8")).toContain('<testsuite name="fast"');
  expect(await run(["run", fast, "--reporter", "junit", "--out", dirname(slow)])).toMatchObject({
    code: 2,
    err: `--out: cannot write the report to ${dirname(slow)}: it is a folder\n`,
  });
});

it("fails on contract warnings when asked to", async () => {
  const body = "{ customerThreadId: 9001, status: replied }";
  const call = `request: POST /api/update-thread-status\n    body: ${body}\n    expect: 200\n`;
  const file = write("s.yaml", `token: acme-token\nsteps:\n  - ${call}`);
  expect((await run(["run", file])).code).toBe(0);
  const strictly = () => run(["run", file, "--fail-on-warnings"]);
  const what = /contract warning: POST updateThreadStatus by the scenario: number-id/;
  const { code, out } = await strictly();
  expect(code).toBe(1);
  for (const shown of [what, /✗ no contract warnings/, /1 scenario: 1 failed/]) expect(out).toMatch(shown);
  appendFileSync(file, "  - reset: true\n");
  expect((await strictly()).out).toMatch(what);
});

it("takes what the simulator's own surface causes for no contract warning", async () => {
  const body = "{ url: sink:own, subscribedEvents: [messages] }";
  const calls = `  - request: POST /api/webhooks/\n    body: ${body}\n  - request: GET /api/webhooks/\n`;
  const file = write("s.yaml", `token: acme-token\nsteps:\n${calls}`);
  const { code, out } = await run(["run", file, "--fail-on-warnings"]);
  expect([code, out]).toEqual([0, expect.not.stringContaining("Contract warnings")]);
});

it("refuses a time limit for a program that it does not start", async () => {
  expect(await run(["run", write("s.yaml", PASSES), "--within", "5s"])).toEqual(
    refused("--within: requires --exec\n"),
  );
});

it("uses a simulator that runs already, in sandboxes that are gone afterwards", async () => {
  const { url, control } = await startSimulator({ controlToken: "secret" });
  const file = write("s.yaml", PASSES);
  expect((await run(["run", file, "--url", url, "--control-token", "secret"])).code).toBe(0);
  const { body } = await control("GET /sandboxes", undefined, { authorization: "Bearer secret" });
  expect(body).toMatchObject([{ id: "default" }]);
  expect(await run(["run", file, "--url", url])).toEqual(refused("401"));
});

it("points all webhooks at a system under test, resetting before each file", async () => {
  const sim = await startSimulator();
  await sim.control("POST /threads/9001/inbound", { text: "before" });
  const ids: number[] = [];
  const hook = await receiver(async ({ data }) => {
    ids.push(data.messageId);
    const [customerThreadId, text] = [String(data.customerThreadId), `You said ${data.messageBody}`];
    if (data.fromCustomer)
      await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId, text });
  });
  const files = ["a", "b"].map((says) =>
    write(`${says}.yaml`, `thread: "9001"\nsteps:\n  - customer: ${says}\n  - reply: You said ${says}\n`),
  );
  const { code, out } = await run(["run", ...files, "--url", sim.url, "--hook", hook]);
  expect([code, out]).toEqual([0, expect.stringContaining("Bot: You said b")]);
  expect((await sim.control("GET /requests")).body).toHaveLength(1);
  expect((await sim.control("GET /data/webhooks")).body).toMatchObject([{ url: hook }]);
  // The system under test may remember ids: none comes twice.
  expect(ids.length).toBeGreaterThanOrEqual(3);
  expect(new Set(ids).size).toBe(ids.length);
});

const SIGNED = "behaviour: { delivery.signature: { scheme: standard-webhooks, secrets: [a-secret] } }";
const FORGED = "  - fault: { on: delivery, then: bad-signature }\n";
const TALK = "  - customer: Hello\n  - expect: { delivery: { eventType: message } }\n";

it.each([
  ["in the run", FORGED + TALK, 1],
  ["until it is cleared", `${FORGED}${TALK}  - clearFaults: true\n`, 1],
  ["until a reset", `${FORGED}  - reset: true\n${TALK}`, 1],
  ["before the scenario signs its deliveries", `${FORGED}  - ${SIGNED}\n${TALK}`, 0],
])("fails a scenario whose fault could have no effect %s", async (_, steps, code) => {
  const file = write("idle-fault.yaml", `name: Forged\nthread: "9001"\nsteps:\n${steps}`);
  const { code: seen, out } = await run(["run", file, "--reporter", "json"]);
  const [report] = JSON.parse(out).scenarios;
  const note = "the fault has no effect: deliveries are not signed (behaviour delivery.signature is null)";
  const failed = { step: "fault", ok: false, message: note, place: { file, line: 4 } };
  const failures = report.steps.filter((step: { ok: boolean }) => !step.ok);
  expect(failures).toMatchObject(code === 0 ? [] : [failed]);
  expect(seen).toBe(code);
  const sim = await startSimulator();
  const posted = await sim.control("POST /scenarios/run", { scenario: readFileSync(file, "utf8") });
  expect(posted.body.ok).toBe(code === 0);
});
