import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { receiver, scratch } from "../scenarios/support.js";
import { startSimulator } from "../support/simulator.js";
import { run } from "./terminal.js";

const PASSES = 'name: Passes\nthread: "9001"\nsteps:\n  - customer: Hello\n  - delivered: message\n';
const FAILS = 'name: Fails\nthread: "9001"\nwithin: 20\nsteps:\n  - reply: Hello\n';

describe("run", () => {
  it("ends at as many steps as it is told", async () => {
    const long = scratch()("long.yaml", "steps:\n  - repeat: { times: 2000, steps: [{ log: x }] }\n");
    const cut = await run(["run", long, "--max-steps", "1500"]);
    expect(cut).toMatchObject({ code: 1, out: expect.stringContaining("the run has executed 1500 steps") });
    const whole = await run(["run", long]);
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining("[1001 and 999 more]") });
    expect(await run(["run", long, "--max-steps", "0"])).toMatchObject({
      code: 2,
      err: '--max-steps: must be a positive number, but is "0"\n',
    });
  });

  it("ends with 0, 1 or 2", async () => {
    const write = scratch();
    const passes = write("passes.yaml", PASSES);
    const fails = write("fails.yaml", FAILS);
    const good = await run(["run", passes]);
    expect(good).toMatchObject({ code: 0, err: "" });
    expect(good.out).toContain("✓ Customer: Hello");
    const bad = await run(["run", fails, passes]);
    expect(bad.code).toBe(1);
    expect(bad.out).toContain(`${fails}:5:5  no system under test is connected: `);
    expect(bad.out).toContain("2 scenarios: 1 failed, 1 passed");
    const unusable = write("unusable.yaml", "steps:\n  - custmer: Hello\n");
    expect(await run(["run", passes, unusable])).toEqual({
      code: 2,
      out: "",
      err: `${unusable}:2:5  steps[0].custmer: unknown step "custmer": did you mean "customer"?\n`,
    });
  });

  it.each([
    [["nowhere.yaml"], "nowhere.yaml  there is no such file"],
    [["x.yaml", "--reporter", "xml"], '--reporter: unknown reporter "xml"'],
    [["x.yaml", "--jobs", "0"], '--jobs: must be a positive number, but is "0"'],
    [["x.yaml", "--exec", ""], "--exec: needs a value"],
    [["x.yaml", "--param", "a"], '--param: must be name=value, but is "a"'],
    [
      ["x.yaml", "--url", "here"],
      '--url: must be an http or https URL such as http://127.0.0.1:3000, but is "here"',
    ],
    [[], "run needs <scenario..>"],
  ])("refuses %j", async (words, message) => {
    const { code, err } = await run(["run", ...words]);
    expect({ code, err: err.split("\n")[0] }).toEqual({ code: 2, err: expect.stringContaining(message) });
  });

  it("says where the simulator finds a scenario's start unusable", async () => {
    const write = scratch();
    const fixture = write("f.json", '{\n  "threads": [{ "id": "1" }]\n}');
    const file = write("s.yaml", "fixtures: f.json\nsteps: []\n");
    const { code, err } = await run(["run", file]);
    expect(code).toBe(2);
    expect(err).toContain(`${fixture}:2:`);
    expect(err).toContain("threads[0].businessId: is missing");
  });

  it("sets parameters, of which at least one scenario must know each", async () => {
    const file = scratch()("s.yaml", "params: { who: nobody }\nsteps:\n  - log: Hello ${param:who}\n");
    expect((await run(["run", file, "--param", "who=Ann"])).out).toContain("Hello Ann");
    const { code, err } = await run(["run", file, "--param", "woh=Ann"]);
    expect({ code, err }).toEqual({
      code: 2,
      err: '--param: unknown parameter "woh": did you mean "who"?\n',
    });
  });

  it("reports in the order of the files, whichever ends first, into a file or to the terminal", async () => {
    const write = scratch();
    const slow = write("slow.yaml", "name: slow\nsteps:\n  - wait: 50\n");
    const fast = write("fast.yaml", "name: fast\nsteps:\n  - log: fast\n");
    const { out } = await run(["run", slow, fast, "--jobs", "2", "--reporter", "json"]);
    expect(JSON.parse(out).scenarios.map(({ name }: { name: string }) => name)).toEqual(["slow", "fast"]);
    const file = join(slow, "..", "out.xml");
    const { out: summary } = await run(["run", fast, "--reporter", "junit", "--out", file]);
    expect(summary).toBe("1 scenario: 1 passed\n");
    expect(readFileSync(file, "utf8")).toContain('<testsuite name="fast"');
  });

  it("says why a report cannot be written", async () => {
    const file = scratch()("s.yaml", "steps: []\n");
    const folder = join(file, "..");
    expect(await run(["run", file, "--reporter", "junit", "--out", folder])).toMatchObject({
      code: 2,
      err: `--out: cannot write the report to ${folder}: it is a folder\n`,
    });
    const made = join(folder, "none", "x.xml");
    expect(await run(["run", file, "--reporter", "junit", "--out", made])).toMatchObject({
      code: 0,
      err: "",
    });
    expect(readFileSync(made, "utf8")).toContain("<testsuite");
  });

  it("fails on contract warnings when asked to", async () => {
    const file = scratch()(
      "s.yaml",
      "token: acme-token\nsteps:\n  - request: POST /api/update-thread-status\n    body: { customerThreadId: 9001, status: replied }\n    expect: 200\n",
    );
    expect((await run(["run", file])).code).toBe(0);
    const strictly = (...words: string[]) => run(["run", file, "--fail-on-warnings", ...words]);
    const what = /contract warning: POST updateThreadStatus by the scenario: number-id/;
    const pretty = await strictly();
    expect(pretty).toMatchObject({ code: 1, out: expect.stringMatching(what) });
    expect(pretty.out).toContain("✗ no contract warnings");
    expect(pretty.out).toContain("1 scenario: 1 failed");
    const tap = await strictly("--reporter", "tap");
    expect(tap.out).toMatch(/ {4}not ok 2 - no contract warnings\n/);
    expect(tap.out).toMatch(/^not ok 1 - s$/m);
    const junit = await strictly("--reporter", "junit");
    expect(junit.out).toContain('failures="1"');
    expect(junit.out).toMatch(
      /<testcase name="[^"]*no contract warnings"[^>]*>\n\s*<failure message="a contract warning:/,
    );
    const json = await strictly("--reporter", "json");
    expect(json.out).toMatch(what);
    expect(json).toMatchObject({ code: 1, out: expect.stringContaining('"ok": false') });
    appendFileSync(file, "  - reset: true\n");
    expect(await strictly()).toMatchObject({ code: 1, out: expect.stringMatching(what) });
  });

  it("takes what the simulator's own surface causes for no contract warning", async () => {
    const steps = [
      {
        request: "POST /api/webhooks/",
        body: { url: "sink:own", subscribedEvents: ["messages"] },
        expect: 200,
      },
      { request: "GET /api/webhooks/", expect: 200 },
    ];
    const file = scratch()("s.json", JSON.stringify({ token: "acme-token", steps }));
    const { code, out } = await run(["run", file, "--fail-on-warnings"]);
    expect([code, out]).toEqual([0, expect.not.stringContaining("Contract warnings")]);
  });

  it("refuses what it cannot use of the options for a program", async () => {
    const file = scratch()("s.yaml", PASSES);
    expect(await run(["run", file, "--keep", "--ready", "nowhere"])).toEqual({
      code: 2,
      out: "",
      err: `--ready: requires --exec
--keep: requires --exec
--ready: must be an http or https URL such as http://127.0.0.1:3000, but is "nowhere"
`,
    });
    expect(await run(["run", file, "--exec", "true", "--ready-within", "soon"])).toMatchObject({
      code: 2,
      err: '--ready-within: must be a duration such as 30s, 5m or 25h, but is "soon"\n',
    });
  });

  it("uses a simulator that runs already, in sandboxes that are gone afterwards", async () => {
    const sim = await startSimulator({ controlToken: "secret" });
    const file = scratch()("s.yaml", PASSES);
    expect((await run(["run", file, "--url", sim.url, "--control-token", "secret"])).code).toBe(0);
    const { body } = await sim.control("GET /sandboxes", undefined, { authorization: "Bearer secret" });
    expect(body.map(({ id }: { id: string }) => id)).toEqual(["default"]);
    const refused = await run(["run", file, "--url", sim.url]);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("401");
  });

  it("points all webhooks at a system under test, resetting before each file", async () => {
    const sim = await startSimulator();
    await sim.control("POST /threads/9001/inbound", { text: "before" });
    const ids: number[] = [];
    const hook = await receiver(async ({ data }) => {
      ids.push(data.messageId);
      if (data.fromCustomer)
        await sim.api("POST /api/send-message-to-customer-thread", {
          customerThreadId: String(data.customerThreadId),
          text: `You said ${data.messageBody}`,
        });
    });
    const write = scratch();
    const text = (says: string) =>
      `thread: "9001"\nsteps:\n  - customer: ${says}\n  - reply: You said ${says}\n`;
    const files = [write("a.yaml", text("a")), write("b.yaml", text("b"))];
    const { code, out } = await run(["run", ...files, "--url", sim.url, "--hook", hook]);
    expect(out).toContain("Bot: You said b");
    expect(code).toBe(0);
    expect((await sim.control("GET /requests")).body).toHaveLength(1);
    expect((await sim.control("GET /data/webhooks")).body).toMatchObject([{ url: hook }]);
    // The system under test may remember ids: none comes twice.
    expect(ids.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
