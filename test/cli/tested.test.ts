import { describe, expect, it } from "vitest";
import { receiver, scratch } from "../scenarios/support.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { run } from "./terminal.js";

const HELLO = 'name: Hello\nthread: "9001"\nsteps:\n  - customer: Hello\n';

const SEND = "POST /api/send-message-to-customer-thread";

const scenario = (steps = "", more = "") => scratch()("s.yaml", more + HELLO + steps);

it("refuses --exec where another program already answers at the port of --hook, or at --ready", async () => {
  const hook = await receiver(() => {});
  for (const command of ["run", "challenge", "load"]) {
    const words = [command, scenario("  - reply: Hi\n"), "--hook", hook, "--exec", "exit 3"];
    const more = command === "load" ? ["--customers", "1"] : [];
    expect(await run([...words, ...more], { PATH: process.env.PATH ?? "" }), command).toEqual({
      code: 2,
      out: "",
      err: `--hook: another program already answers at ${new URL(hook).host}, where exit 3 should respond: stop it, or use another port\n`,
    });
  }
  const ready = await serverOf((_request, response) => response.end());
  expect(await run(["run", scenario(), "--exec", "exit 3", "--ready", ready])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--ready: another program already answers/),
  });
});

it("fails a run in which nobody answers a delivery and nobody calls", async () => {
  const hook = `http://127.0.0.1:${await freePort()}/hook`;
  const { code, out } = await run(["run", scenario(), "--hook", hook]);
  expect(code).toBe(1);
  expect(out).toContain(
    "nothing was tested: the system under test responded to no delivery and made no call",
  );
  expect(out).toContain("connection refused");
  expect(out).toContain("1 scenario: 1 failed");
  // A reset forgets nothing of it.
  const reset = await run(["run", scenario("  - reset: true\n"), "--hook", hook]);
  expect([reset.code, reset.out]).toEqual([1, expect.stringContaining("nothing was tested")]);
  const heard = scenario("  - delivered: message\n  - reset: true\n  - customer: Hello\n");
  expect((await run(["run", heard, "--hook", await receiver(() => {})])).code).toBe(0);
  // Without deliveries there is nothing to answer.
  const quiet = scratch()("quiet.yaml", "steps:\n  - log: nothing happens\n");
  expect((await run(["run", quiet, "--hook", hook])).code).toBe(0);
});

describe("a system under test that stays silent because it refuses every delivery", () => {
  const REFUSED = "nothing was tested: the system under test accepted no delivery and made no call";
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
  ])("exits with %i %s", async (code, _, status, steps) => {
    const hook = await serverOf((_request, response) => response.writeHead(status).end());
    const ran = await run(["run", scenario(steps), "--hook", hook]);
    expect(ran.code).toBe(code);
    if (code === 1) expect(ran.out).toMatch(new RegExp(`${REFUSED}[^]*: failed \\(${status}\\)`));
  });
});

it("takes no answer of a fault for one of the system under test", async () => {
  const hook = `http://127.0.0.1:${await freePort()}/hook`;
  const source = "steps:\n  - fault: { on: delivery, then: { status: 200 } }\n";
  const file = scratch()("stubbed.yaml", HELLO.replace("steps:\n", source));
  const { code, out } = await run(["run", file, "--hook", hook]);
  expect(out).toContain("nothing was tested");
  expect(code).toBe(1);
});

it("waits for deliveries under way before it judges, for as long as `within` says", async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let heard = 0;
  const url = await serverOf((_request, response) => {
    heard += 1;
    void asked.then(() => response.end());
  });
  const words = ["--hook", `${url}/`];
  const failed = await run(["run", scenario("", "within: 50ms\n"), ...words]);
  expect(failed.out).toContain("nothing was tested");
  answer();
  const passed = await run(["run", scenario(), ...words]);
  expect(passed).toMatchObject({ code: 0, err: "" });
  expect(heard).toBeGreaterThan(1);
});

it.each([
  ["a reply", "  - reply: Hi\n"],
  ["a call", "  - expect: { request: { path: /api/hook-url } }\n"],
])("says at once that nothing is connected that could make %s", async (_what, step) => {
  const started = performance.now();
  const { code, out } = await run(["run", scenario(step, "within: 1m\n")]);
  expect(code).toBe(1);
  expect(out).toContain(
    "no system under test is connected: every enabled webhook leads to a sink or is blocked",
  );
  expect(performance.now() - started).toBeLessThan(30_000);
  // Any program may call another simulator.
  const sim = await startSimulator();
  for (const words of [[], ["--sandbox", "default"]]) {
    const tried = await run(["run", scenario(step, "within: 50ms\n"), "--url", sim.url, ...words]);
    expect(tried.out).toContain("within 50 ms");
  }
});

it("waits where a webhook leads somewhere, for what must not come, and for the scenario's own calls", async () => {
  const none = "  - expect: { none: { request: { by: client, succeeded: true } }, for: 10ms }\n";
  expect((await run(["run", scenario(none)])).code).toBe(0);
  const own =
    "  - request: GET /api/webhooks/\n    token: acme-token\n  - expect: { request: { by: scenario } }\n";
  expect((await run(["run", scenario(own)])).code).toBe(0);
  const set = `  - set: { collection: webhooks, id: "1", values: { url: "${await receiver(() => {})}" } }\n`;
  const { out } = await run(["run", scenario(`${set}  - reply: Hi\n`, "within: 50ms\n")]);
  expect(out).toContain("a visible message in thread 9001 did not arrive within 50 ms");
});

it.each([
  ["a transfer", '{ transfer: "1002" }'],
  ["an internal message", '{ employee: { user: "501", says: "Bot, follow up", internal: true } }'],
])("says why no reply followed %s, though the customer wrote only in the fixture", async (_what, step) => {
  const text = `name: S\nthread: "9001"\nwithin: 200ms\nsteps: [${step}, { reply: Hi }]\n`;
  const { out } = await run(["run", scratch()("s.yaml", text), "--hook", await receiver(() => {})]);
  expect(out).toContain("\n  Why: The event was delivered (200), and no call has come since.\n");
});

it("blames no webhook for an awaited reply in a thread without events", async () => {
  const quiet = `name: S\nwithin: 50ms\nsteps: [{ customer: { thread: "9003", says: Hi } }, { reply: { thread: "9001" } }]\n`;
  const sim = await startSimulator();
  const bot = await receiver(async ({ data }) => {
    if (data.fromCustomer) await sim.api(SEND, { customerThreadId: "9003", text: "Hi" });
  });
  const answered = await run(["run", scratch()("s.yaml", quiet), "--url", sim.url, "--hook", bot]);
  expect(answered.out).toContain("\n  Why: a visible message in thread 9001 did not arrive within 50 ms\n");
});

it("says in one sentence why there was no reply, before the evidence", async () => {
  const reply = '  - reply: { contains: "help" }\n';
  const why = async (hook: string, steps = reply) => {
    const { code, out } = await run(["run", scenario(steps, "within: 200ms\n"), "--hook", hook]);
    expect(code).toBe(1);
    const [, second = ""] = out.split("\n");
    expect(out.slice(out.indexOf("Failed"))).toContain(second.replace("  Why: ", ""));
    return second;
  };
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  expect(await why(nowhere)).toBe(
    `  Why: Your bot could not be reached at ${nowhere}: connection refused: nothing is listening at the address.`,
  );
  expect(await why(await receiver(() => {}))).toBe(
    "  Why: The event was delivered (200), and no call has come since.",
  );
  const sim = await startSimulator();
  const vague = await receiver(() => void sim.api(SEND, { text: "Hello" }));
  const unclear = await run(["run", scenario(reply, "within: 500ms\n"), "--url", sim.url, "--hook", vague]);
  expect(unclear.out).toContain(
    "\n  Why: Your bot's call was refused: 400 @.customerThreadId is missing and not optional.\n",
  );
  const rude = await receiver((event) => {
    if (event.data.fromCustomer) void sim.api(SEND, { customerThreadId: "9001", text: "Go away" });
  });
  const { out } = await run(["run", scenario(reply), "--url", sim.url, "--hook", rude]);
  expect(out).toContain('\n  Why: Your bot replied "Go away": the reply should contain "help"\n');
});
