// Slow: loads play for seconds of real time.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { createAjv } from "../../src/kernel/schema-problems.js";
import type { LoadReport } from "../../src/lab/load/report.js";
import { loadReportSchema } from "../../src/lab/load/report.js";
import { receiver } from "../scenarios/support.js";
import { filesFor } from "../support/folder.js";
import { heldReceiver } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";
import { start } from "./program.js";
import { begin, refused, run } from "./terminal.js";

const BOT = join(import.meta.dirname, "..", "load", "bot.mjs");
const bot = (mode = "echo") => ["--exec", `exec ${process.execPath} ${BOT} ${mode}`];
const customers = (count: number) => ["--customers", String(count)];

const ECHO = `thread: "9001"
steps:
  - customer: "order \${thread}"
  - reply: { contains: "order \${thread}", within: 5s }
  - wait: 20ms
`;
const PLAIN = 'thread: "9001"\nwithin: 100ms\nsteps:\n  - customer: Hello\n';
const SHORT = `${PLAIN}  - reply: "Echo: Hello"\n`;

const ENV = { PATH: process.env.PATH ?? "" };
vi.setConfig({ testTimeout: 120_000 });

const write = filesFor("load");

/** Waits until the metrics of a load match. @returns their address */
async function untilServed(stderr: () => string, figures: readonly RegExp[]): Promise<string> {
  const urlIn = () => /Prometheus metrics: (\S+)/.exec(stderr())?.[1];
  await until(async () => {
    const url = urlIn();
    const text = url === undefined ? "" : await (await fetch(url)).text();
    return figures.every((figure) => figure.test(text));
  });
  return urlIn() ?? "";
}

/** Plays a scenario until its metrics match, and then ends it like Ctrl+C. */
async function loadUntil(figures: readonly RegExp[], scenario: string, ...words: string[]) {
  const [file, out] = [write("s.yaml", scenario), write("report.json", "")];
  const others = process.listeners("SIGINT");
  const load = begin(["load", file, "--for", "10m", "--metrics-port", "0", "--out", out, ...words], ENV);
  await untilServed(load.err, figures);
  for (const end of process.listeners("SIGINT"))
    if (!others.includes(end)) Reflect.apply(end, process, ["SIGINT", 2]);
  const code = await load.exited;
  return { code, out: load.out(), report: JSON.parse(readFileSync(out, "utf8")) as LoadReport };
}

async function loadFor1s(scenario: string, ...words: string[]) {
  const all = ["load", write("s.yaml", scenario), "--for", "1s", "--reporter", "json", ...words];
  const { out, ...more } = await run(all, ENV);
  return { ...more, report: JSON.parse(out) as LoadReport };
}

/** At least one conversation ended in this way, or with two digits at least ten. */
const ENDED = (outcome: string, digits = 1): RegExp =>
  new RegExp(`conversations_total\\{outcome="${outcome}"\\} [1-9]\\d{${digits - 1}}`);
const UNASKED = /^messaging_sim_load_unasked_total [1-9]/m;

it("plays the given number of customers at once, each on its own thread", async () => {
  const { code, out, report } = await loadUntil([ENDED("done", 2)], ECHO, ...bot(), ...customers(5));
  expect(code).toBe(0);
  const none = { timeouts: 0, wrong: 0, unasked: 0 };
  const conversations = { failed: 0, peak: 5, turnedAway: 0 };
  expect(report).toMatchObject({ ok: true, model: "closed", customers: 5, ...none, conversations });
  expect(report.conversations.started).toBeGreaterThan(5);
  expect([report.replies, report.latency.count]).toEqual([report.messages, report.replies]);
  expect(report.sending.p50).toBeGreaterThan(0);
  expect(report.calls).toEqual({ "sendMessageToCustomerThread 2xx": report.replies });
  // Messages of the customer and the bot, each to the bot and to the fixture's sink.
  expect(report.deliveries.delivered).toBeGreaterThanOrEqual(2 * report.messages);
  expect(out).toMatch(/^load +5 customers, .* s, ended early$/m);
  expect(out).toMatch(/reply latency +p50 \d/);
});

it("starts customers at the given rate, regardless of earlier ones", async () => {
  const words = ["--arrivals", "40/s", ...bot("mute")];
  const { code, report } = await loadUntil([ENDED("timeout", 2)], SHORT, ...words);
  expect(code).toBe(0);
  expect(report).toMatchObject({ model: "open", arrivalsPerSecond: 40, replies: 0, wrong: 0 });
  const { timeouts, conversations, durationMs } = report;
  expect(conversations.started).toBeLessThanOrEqual(1 + (40 * durationMs) / 1_000);
  expect(timeouts).toBe(conversations.failed);
  expect(timeouts).toBeGreaterThan(0);
  const place = expect.stringMatching(/s\.yaml:5:5 {2}steps\[1\]$/);
  expect(report.failures[0]).toMatchObject({ kind: "timeout", step: "reply", place });
});

it("does not wait for silent steps at the end", async () => {
  const { report } = await loadFor1s(`${PLAIN}  - silent: 8s\n`, ...bot("mute"), ...customers(2));
  expect(report.conversations).toMatchObject({ started: 2, done: 0, failed: 0, unfinished: 2 });
  expect(report.durationMs).toBeLessThan(5_000);
});

it("measures latency from when an arrival's first message was due", async () => {
  const { report } = await loadUntil([ENDED("done")], ECHO, "--arrivals", "20/s", ...bot("late"));
  expect(report.latency.p50).toBeGreaterThanOrEqual(300);
});

it("detects replies to the wrong customer", async () => {
  const { report } = await loadUntil([ENDED("wrong")], ECHO, ...bot("mixed"), ...customers(4));
  expect(report.wrong).toBeGreaterThan(0);
  const wrong = { kind: "wrong", message: expect.stringContaining("should contain") };
  expect(report.failures).toContainEqual(expect.objectContaining(wrong));
});

it("counts unasked and late replies", async () => {
  const { report: twice } = await loadUntil([UNASKED], ECHO, ...customers(2), ...bot("twice"));
  expect(twice.conversations.failed).toBe(0);
  const figures = [UNASKED, ENDED("timeout")];
  const { report: late } = await loadUntil(figures, SHORT, ...customers(2), ...bot("late"));
  expect(late).toMatchObject({ replies: 0, wrong: 0 });
  for (const count of [twice.unasked, late.unasked, late.timeouts]) expect(count).toBeGreaterThan(0);
});

it("judges expectations", async () => {
  const words = [...customers(2), "--expect", "p99<60s", "--expect", "failures<1%"];
  const good = await loadUntil([ENDED("done")], ECHO, ...bot(), ...words);
  expect([good.code, good.out]).toEqual([0, expect.stringContaining("✓ p99<60s")]);
  const { code, out, report } = await loadUntil([ENDED("timeout")], SHORT, ...bot("mute"), ...words);
  expect([code, report.ok, report.latency.count]).toEqual([1, false, report.timeouts]);
  expect(out).toMatch(/✗ p99<60s {2}\(.* or more: \d+ timeouts\)/);
  expect(out).toMatch(/✗ failures<1% {2}\((\d+) of \1, 100 %\)/);
  expect(report.latency.p50).toBeGreaterThanOrEqual(100);
});

it("counts missing replies after the end of the load", async () => {
  const words = [...customers(3), "--expect", "failures<1%", ...bot("mute")];
  const { code, report } = await loadFor1s(SHORT.replace("100ms", "1500ms"), ...words);
  expect(code).toBe(1);
  expect(report.timeouts).toBeGreaterThan(0);
  expect(report.conversations.failed).toBe(report.timeouts);
});

it("writes a report that matches its schema", async () => {
  const { code, err, report } = await loadFor1s(ECHO, ...customers(1), ...bot());
  expect([code, err.replace(/^\d s {2}.* failed\n/gm, "")]).toEqual([0, ""]);
  expect(report).toMatchObject({ forMs: 1_000, endedEarly: false });
  expect(report.durationMs).toBeGreaterThanOrEqual(990);
  const validate = createAjv().compile(loadReportSchema);
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  expect(report.timeline.reduce((sum, { messages }) => sum + messages, 0)).toBe(report.messages);
});

it("plays every playable step against a running simulator", async () => {
  const sim = await startSimulator();
  const heard: string[] = [];
  const hook = await receiver(async ({ data }) => {
    heard.push(data.messageBody);
    if (!data.fromCustomer) return;
    const customerThreadId = String(data.customerThreadId);
    await sim.api("GET /api/customers/%zz/profile");
    await sim.api("POST /api/send-message-to-customer-thread", { customerThreadId, text: "Yes?" });
    await sim.api("POST /api/update-thread-status", { customerThreadId, status: "resolved" });
  });
  const scenario = `thread: "9001"
token: acme-token
within: 5s
steps:
  - customer: Hello
  - reply: Yes?
  - expect: { request: { operation: updateThreadStatus, body: { customerThreadId: "9001" } } }
  - delivered: { eventType: message, threadId: "9001" }
  - repeat: { times: 2, steps: [{ employee: { user: "501", says: "Round \${round}" } }] }
  - request: GET /api/get-customer-thread-details?customerThreadId=9001
    expect: { status: 200, body: { customerChannel: WHATSAPP } }
  - status: waiting
  - silent: 20ms
  - transfer: "1002"
  - log: through
`;
  const words = ["--url", sim.url, "--hook", hook, ...customers(3)];
  const { code, report } = await loadUntil([ENDED("done")], scenario, ...words);
  expect([code, report.failures, report.lag.sameProcess]).toEqual([0, [], false]);
  expect(report.conversations.done).toBeGreaterThan(0);
  expect(heard).toContain("Round 2");
  // The scenario's own thread is unchanged.
  const get = async (path: string) => (await sim.control(`GET /data/${path}`)).body;
  expect(await get("threads/9001")).toMatchObject({ businessId: "1001", status: "waiting" });
  const threads = await get("threads?businessId=1002");
  expect(threads.length).toBeGreaterThan(1);
  const customer = await get(`customers/${threads.at(-1).customerId}`);
  expect(customer).toMatchObject({ organizationId: "200", firstName: "Alan" });
  expect(customer.phoneNumber).not.toBe("+15551234567");
});

it("refuses unplayable steps before anything starts, with their place", async () => {
  const file = write(
    "s.yaml",
    `thread: "9001"
clock: "2026-01-01T00:00:00Z"
steps:
  - advance: 1h
  - window: closed
  - repeat: { times: 2, steps: [{ reset: true }] }
  - expect: { idle: true }
  - customer: { thread: 9002, says: Hello }
  - behaviour: { delivery.order: none }
`,
  );
  const load = (...words: string[]) => run(["load", ...words, ...customers(1)], ENV);
  const { code, err } = await load(file, "--exec", "exit 3");
  expect(code).toBe(2);
  const under = "cannot be played under load:";
  expect(
    err.replaceAll(file, "s.yaml"),
  ).toBe(`s.yaml:2:8  clock: freezes the clock, and a load test runs in real time
s.yaml:4:5  steps[0]: ${under} advance moves the clock, and a load test runs in real time
s.yaml:5:5  steps[1]: ${under} window moves a messaging window by hand, and a load test plays only what customers, employees and your program do
s.yaml:6:33  steps[2].repeat.steps[0]: ${under} reset changes what all customers share
s.yaml:7:5  steps[3]: ${under} expect idle never holds: under load there is always something on its way
s.yaml:8:5  steps[4]: ${under} the step is about thread 9002, and each customer has one thread only
s.yaml:9:5  steps[5]: ${under} behaviour changes what all customers share
`);
  const plain = write("u.yaml", PLAIN);
  const other = write("t.yaml", `behaviour: realistic\n${PLAIN}`);
  const token = write("v.yaml", `token: acme-no-delete\n${PLAIN}`);
  expect(await load(plain, other)).toEqual(
    refused(`${other}  has a different start than ${plain}, and a load test uses one sandbox\n`),
  );
  expect(await load(plain, token, "--exec", "exit 3")).toEqual(
    refused(`${token}  names another token than ${plain}, and --exec starts one program with one token\n`),
  );
  const url = ["--url", "http://127.0.0.1:9"];
  expect(await load(other, ...url)).toEqual(refused("has its own fixtures, behaviour or seed"));
  expect((await load(plain, ...url)).code).toBe(2);
});

it("refuses invalid options by name", async () => {
  const file = write("s.yaml", SHORT);
  const { code, err } = await run([
    ...["load", file, "--arrivals", "5", "--for", "0s", "--expect", "p99<fast", "--expect", "speed>9"],
    ...["--expect", "failures<x%", "--expect", "p99", "--ready", "http://127.0.0.1:1/", "--sandbox", "a"],
  ]);
  expect([code, ...err.trimEnd().split("\n").sort()]).toEqual([
    2,
    '--arrivals: must be a rate such as 50/s, but is "5"',
    '--expect: "failures<x%": the limit must be a share such as 0.1%, or a number, but is "x%"',
    '--expect: "p99<fast": the limit must be a duration such as 2s or 500ms, but is "fast"',
    '--expect: "speed>9": unknown figure "speed": it must be p50, p90, p99, max, mean, failures, timeouts or wrong',
    '--expect: must be a figure, one of < <= > >=, and a limit, such as p99<2s, but is "p99"',
    '--for: must be a duration such as 30s, 5m or 25h, but is "0s"',
    "--ready: requires --exec",
    "--sandbox: requires --url",
  ]);
  const both = await run(["load", file, ...customers(1), "--arrivals", "1/s", "--ramp", "2m"]);
  const combined = "--arrivals: cannot be combined with --customers\n";
  expect(both.err).toBe(`${combined}--ramp: cannot be longer than --for\n`);
});

it("serves Prometheus metrics while it runs, and ends early at Ctrl+C with a report", async () => {
  const file = write("s.yaml", ECHO);
  const words = ["load", file, ...customers(2), "--for", "10m", ...bot(), "--metrics-port", "0"];
  const page = join(dirname(file), "report.html");
  const program = start([...words, "--out", page]);
  const url = await untilServed(program.stderr, [
    /^messaging_sim_load_reply_seconds_bucket\{le="\+Inf"\} [1-9]/m,
    /^messaging_sim_load_customers 2$/m,
  ]);
  expect((await fetch(new URL("/", url))).status).toBe(404);
  await until(() => /^\d+ s {2}2 customers {2}.* failed$/m.test(program.stderr()));
  program.child.kill("SIGINT");
  expect(await program.exited).toBe(0);
  expect(program.stdout()).toContain("ended early");
  expect(readFileSync(page, "utf8")).toContain("<title>load: s</title>");
  await expect(fetch(url)).rejects.toThrow(TypeError);
  const { port } = new URL((await startSimulator()).url);
  const taken = await run(["load", file, ...customers(1), "--metrics-port", port]);
  expect(taken).toMatchObject({ code: 2, err: expect.stringContaining("EADDRINUSE") });
});

it("ends early while no reply comes", async () => {
  const { url, arrived } = await heldReceiver();
  const file = write("s.yaml", ECHO.replace("5s", "100ms"));
  const words = ["--for", "10m", "--hook", url, "--reporter", "json"];
  const program = start(["load", file, ...customers(2), ...words]);
  await arrived;
  program.child.kill("SIGINT");
  expect(await program.exited).toBe(0);
  expect(JSON.parse(program.stdout())).toMatchObject({ endedEarly: true, forMs: 600_000 });
});
