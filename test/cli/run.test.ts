import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { receiver, scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { startSimulator } from "../support/simulator.js";
import { start } from "./program.js";
import { run } from "./terminal.js";

const PASSES = 'name: Passes\nthread: "9001"\nsteps:\n  - customer: Hello\n  - delivered: message\n';
const FAILS = 'name: Fails\nthread: "9001"\nwithin: 20\nsteps:\n  - reply: Hello\n';

/** A server that always answers with the same status. */
async function statusServer(status: number) {
  let calls = 0;
  const server = createHttpServer((_request, response) => {
    calls += 1;
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls: () => calls };
}

/** A bot in a process of its own: it greets customers, and writes down when it is asked to go. */
const BOT = `
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
const { MESSAGING_SIM_URL: url, MESSAGING_SIM_TOKEN: token } = process.env;
console.log("bot with " + token);
process.on("SIGTERM", () => { appendFileSync(process.argv[3], "stopped "); process.exit(0); });
createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  response.end();
  const { data } = JSON.parse(text);
  if (!data.fromCustomer) return;
  await fetch(url + "/api/send-message-to-customer-thread", {
    method: "POST",
    headers: { token, "content-type": "application/json" },
    body: JSON.stringify({ customerThreadId: String(data.customerThreadId), text: "Good morning!" }),
  });
}).listen(Number(process.argv[2]), "127.0.0.1");
`;

describe("run", () => {
  it("ends at 10,000 steps, or at as many as it is told", async () => {
    const long = scratch()("long.yaml", "steps:\n  - repeat: { times: 12000, steps: [{ log: x }] }\n");
    const cut = await run(["run", long]);
    expect(cut.code).toBe(1);
    expect(cut.out).toContain("the run has executed 10000 steps");
    const whole = await run(["run", long, "--max-steps", "20000"]);
    expect(whole.code).toBe(0);
    expect(whole.out).toContain("[1001 and 10999 more]");
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
    expect(bad.out).toContain(`${fails}:5:5  nothing is connected that could call: `);
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
    [["x.yaml", "--param", "a"], '--param: must be name=value, but is "a"'],
    [["x.yaml", "--url", "here"], '--url: must be an http or https URL, but is "here"'],
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
    const slow = write("slow.yaml", "name: slow\nsteps:\n  - wait: 200\n");
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
    for (const [out, why] of [
      [join(folder, "none", "x.xml"), "there is no such folder"],
      [folder, "it is a folder"],
    ] as const)
      expect(await run(["run", file, "--reporter", "junit", "--out", out])).toMatchObject({
        code: 2,
        err: `--out: cannot write the report to ${out}: ${why}\n`,
      });
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
    expect(out).toContain("Client: You said b");
    expect(code).toBe(0);
    expect((await sim.control("GET /requests")).body).toHaveLength(1);
    expect((await sim.control("GET /data/webhooks")).body).toMatchObject([{ url: hook }]);
    // The system under test may remember ids: none comes twice.
    expect(ids.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("run in a process of its own", () => {
  it("starts the system under test for the run and stops it", async () => {
    const write = scratch();
    const bot = write("bot.mjs", BOT);
    const log = write("bot.log", "");
    const good = write(
      "good.yaml",
      'token: acme-token\nthread: "9001"\nsteps:\n  - customer: Hi\n  - reply: Good morning!\n',
    );
    const bad = write(
      "bad.yaml",
      'token: acme-token\nthread: "9001"\nsteps:\n  - customer: Hi\n  - reply: Bye!\n',
    );
    const port = await freePort();
    const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(bot)} ${port} ${JSON.stringify(log)}`;
    const words = ["--hook", `http://127.0.0.1:${port}/hook`, "--exec", command];
    const passing = start(["run", good, ...words]);
    expect(await passing.exited).toBe(0);
    expect(passing.stderr()).toBe("");
    expect(readFileSync(log, "utf8")).toBe("stopped ");
    const failing = start(["run", bad, good, ...words]);
    expect(await failing.exited).toBe(1);
    expect(failing.stderr()).toContain("bot with acme-token");
    expect(readFileSync(log, "utf8")).toBe("stopped stopped stopped ");
  });

  it("says so when the system under test does not come up", async () => {
    const file = scratch()("s.yaml", PASSES);
    const tried = async (...words: string[]) => {
      const { exited, stderr } = start(["run", file, ...words]);
      expect(await exited).toBe(1);
      return stderr();
    };
    const hook = ["--hook", "http://127.0.0.1:9/hook"];
    expect(await tried(...hook, "--exec", "echo no luck; exit 3")).toMatch(
      /^echo no luck; exit 3 ended before it was ready: exit code 3, after \d+m?s in which the run waited for port 9 of 127\.0\.0\.1 to take connections\nIt printed last:\n {2}no luck\n$/,
    );
    expect(await tried("--exec", "exec /nowhere/bot")).toMatch(
      /^exec \/nowhere\/bot ended before it was ready: exit code 127, [\s\S]*\nIt printed last:\n.*not found\n$/,
    );
    const slow = "echo still thinking; exec sleep 60";
    expect(await tried(...hook, "--exec", slow, "--ready-within", "300ms")).toBe(
      `${slow} was not ready within 300ms (--ready-within): the run waited for port 9 of 127.0.0.1 to take connections; last seen: connection refused, nothing listens there\nIt printed last:\n  still thinking\n`,
    );
    expect(await tried("--exec", "exec sleep 60", "--ready-within", "200ms")).toBe(
      "exec sleep 60 was not ready within 200ms (--ready-within): the run waited for it to print something; last seen: it printed nothing\nIt printed nothing.\n",
    );
    const answers = await statusServer(503);
    expect(
      await tried("--exec", "exec sleep 60", "--ready", answers.url, "--ready-within", "500ms"),
    ).toContain(`the run waited for ${answers.url} to answer with a success; last seen: it answered 503\n`);
    expect(answers.calls()).toBeGreaterThan(0);
  });

  it("waits for the address of --ready", async () => {
    const write = scratch();
    const port = await freePort();
    const bot = write(
      "slow.mjs",
      `import { createServer } from "node:http";
let calls = 0;
createServer((_request, response) => {
  calls += 1;
  console.log("asked " + calls);
  response.writeHead(calls < 3 ? 503 : 200).end();
}).listen(${port}, "127.0.0.1");`,
    );
    const file = write("fails.yaml", FAILS);
    const words = ["--exec", `${process.execPath} ${bot}`, "--ready", `http://127.0.0.1:${port}/health`];
    const { exited, stderr } = start(["run", file, ...words]);
    expect(await exited).toBe(1);
    expect(stderr().match(/asked \d/g)).toEqual(["asked 1", "asked 2", "asked 3"]);
  });

  it("keeps the system under test over all files, with ids apart", async () => {
    const write = scratch();
    const [bot, log] = [write("bot.mjs", BOT), write("bot.log", "")];
    const steps = 'token: acme-token\nthread: "9001"\nsteps:\n  - customer: Hi\n  - reply: Good morning!\n';
    const ids = "  - id: told\n    delivered: message\n  - log: message ${told.body.data.messageId}\n";
    const files = ["a.yaml", "b.yaml"].map((name) =>
      write(name, steps.replace("  - reply", `${ids}  - reply`)),
    );
    const port = await freePort();
    const command = `${process.execPath} ${bot} ${port} ${log}`;
    const words = ["--hook", `http://127.0.0.1:${port}/hook`, "--exec", command, "--keep"];
    const kept = start(["run", ...files, ...words]);
    expect([await kept.exited, kept.stderr()]).toEqual([0, ""]);
    expect(readFileSync(log, "utf8")).toBe("stopped ");
    const told = kept.stdout().match(/message \d+/g) ?? [];
    expect(new Set(told).size).toBe(2);
  });

  it("says when a kept system under test has ended", async () => {
    const write = scratch();
    const port = await freePort();
    const text = `import { createServer } from "node:http";
createServer(() => process.exit(4)).listen(${port}, "127.0.0.1");
console.log("up");`;
    const bot = write("bot.mjs", text);
    const steps = 'thread: "9001"\nsteps:\n  - customer: Hi\n  - expect: { delivery: { status: failed } }\n';
    const files = ["a.yaml", "b.yaml"].map((name) => write(name, `name: ${name}\n${steps}`));
    const command = `exec ${process.execPath} ${bot}`;
    const hook = `http://127.0.0.1:${port}/`;
    const { exited, stdout } = start(["run", ...files, "--keep", "--hook", hook, "--exec", command]);
    expect(await exited).toBe(1);
    expect(stdout()).toContain(`${command} ended before the run did: exit code 4\n        seen      ["up"]`);
    expect(stdout()).toContain("2 scenarios: 2 failed");
  });

  it("refuses what it cannot use of these options", async () => {
    const file = scratch()("s.yaml", PASSES);
    expect(await run(["run", file, "--keep", "--ready", "nowhere"])).toEqual({
      code: 2,
      out: "",
      err: `--ready: is for a program: name it with --exec
--keep: is for a program: name it with --exec
--ready: must be an http or https URL, but is "nowhere"
`,
    });
    expect(await run(["run", file, "--exec", "true", "--ready-within", "soon"])).toMatchObject({
      code: 2,
      err: '--ready-within: must be a duration such as 30s, but is "soon"\n',
    });
  });

  it("runs again when a scenario changes", async () => {
    const file = scratch()("s.yaml", "name: first\nsteps:\n  - log: one\n");
    const program = start(["run", file, "--watch"]);
    expect(await program.line()).toContain("✓ first");
    const until = async (text: string): Promise<string> => {
      const line = await program.line();
      return line.includes(text) ? line : until(text);
    };
    await until("1 passed");
    await expect.poll(() => program.stderr()).toContain("Watching");
    writeFileSync(file, "name: second\nsteps:\n  - log: two\n");
    expect(await until("second")).toContain("✓ second");
    await expect.poll(() => program.stderr().split("Watching")).toHaveLength(3);
    program.child.kill("SIGINT");
    expect(await program.exited).toBe(0);
  });
});

describe("check and schema", () => {
  it("know scenarios", async () => {
    const write = scratch();
    const good = write("good.yaml", PASSES);
    const bad = write("bad.yaml", "steps:\n  - advnce: 1h\n");
    expect(await run(["check", good])).toMatchObject({ code: 0, out: `${good}  ok (scenario: 2 steps)\n` });
    expect(await run(["check", bad])).toMatchObject({
      code: 2,
      out: `${bad}:2:5  steps[0].advnce: unknown step "advnce": did you mean "advance"?\n`,
    });
    const { code, out } = await run(["schema", "scenario"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ title: "messaging-sim scenario", required: ["steps"] });
  });
});
