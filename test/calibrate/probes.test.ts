// Slow: probes are played at their own pace, again for each explanation.
import { describe, expect, test } from "vitest";
import { type probeProblems, probeTrace } from "../../src/cli/calibrate.js";
import { readScenarios } from "../../src/cli/scenario-files.js";
import { isBehaviourKey } from "../../src/service/behaviour/table.js";
import { begin, run, terminalWith } from "../cli/terminal.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";
import { startSimulator } from "../support/simulator.js";
import { until } from "../support/until.js";

type Values = Parameters<typeof probeTrace>[0];
type Given = Partial<Parameters<typeof probeProblems>[0]> & { readonly against: string };

/** Probes without waiting between calls, in this process. */
function probing(given: Given, paceMs = 0) {
  const { terminal, err } = terminalWith({});
  const values = { token: "acme-token", write: false, plan: false, yes: true, ...given } as Values;
  return { outcome: probeTrace(values, terminal, paceMs), err };
}

const THREAD = { thread: "9001", customer: "cust_001" };
const AUTHORIZED = { authorization: "Bearer of-the-test" };

/** A simulator in the part of the service, whose control API only the test may call. */
async function startService(behaviour = {}) {
  const simulator = await startSimulator({ controlToken: "of-the-test", behaviour });
  const asked = async (call: string) => (await simulator.control(call, undefined, AUTHORIZED)).body;
  const [state, calls] = [() => asked("GET /state"), () => asked("GET /requests?limit=1000")];
  const before = await state();
  /** Waits until the probes have changed something. */
  const written = () => until(async () => (await state()).webhooks.length > before.webhooks.length);
  return { ...simulator, before, state, calls, written };
}

/** A service that answers each call as `answer` says, and the calls that it got. */
async function fakeService(answer: (count: number) => { status: number; headers?: Record<string, string> }) {
  const calls: { readonly line: string; readonly at: number }[] = [];
  const url = await serverOf((request, response) => {
    calls.push({ line: `${request.method} ${request.url}`, at: performance.now() });
    const { status, headers = {} } = answer(calls.length);
    response.writeHead(status, headers).end("[]");
  });
  return { url, calls };
}

test("each probe says what it does, and names entries of the table", async () => {
  const { scenarios, problems } = await readScenarios(["scenarios/probes"]);
  expect(problems).toEqual([]);
  for (const { name, probe } of scenarios) {
    expect(probe, name).toBeDefined();
    expect(probe?.tells.filter((key) => !isBehaviourKey(key))).toEqual([]);
  }
});

describe("what probes send", () => {
  test("without --write reads, or is refused, and changes nothing", async () => {
    const service = await startService();
    const trace = await probing({ against: service.url, ...THREAD }).outcome;
    expect(trace).toHaveLength((await service.calls()).length);
    expect(await service.state()).toEqual(service.before);
    for (const { method, path, status } of await service.calls())
      if (method !== "GET" && path !== "/graphql")
        expect(`${method} ${path} ${status >= 400}`).toMatch(/true$/);
    // A service may take no ids for all of them.
    expect(JSON.stringify(trace)).not.toMatch(/delete-hook-mutation[^[]*\[\]/);
  });

  test("with --write is set back: webhooks, profile and status; deliveries come to --hook", async () => {
    const { before, ...service } = await startService();
    const hookPort = await freePort();
    const hook = `http://127.0.0.1:${hookPort}`;
    const { outcome, err } = probing({ against: service.url, ...THREAD, hook, write: true }, 20);
    await service.written();
    const url = "https://bot.example/of-somebody-else";
    await service.api("POST /api/webhooks/", { url, subscribedEvents: ["messages"] });
    const trace = await outcome;
    if (typeof trace === "number") throw new Error(err());
    const after = await service.state();
    expect(after.webhooks).toEqual([...before.webhooks, expect.objectContaining({ url })]);
    for (const collection of ["customers", "threads"]) expect(after[collection]).toEqual(before[collection]);
    expect(after.messages.length).toBeGreaterThan(before.messages.length);
    expect(new Set(trace.map(({ kind }) => kind))).toEqual(new Set(["call", "message", "legacy"]));
    expect(JSON.stringify(trace)).not.toMatch(/acme-token|Alan|15551234567/);
  });

  test("is undone also after an interrupt", async () => {
    const { before, ...service } = await startService();
    const { outcome } = probing({ against: service.url, ...THREAD, write: true }, 20);
    await service.written();
    // The second one does not end what the first one has begun.
    process.emit("SIGINT");
    process.emit("SIGINT");
    expect(await outcome).toBe(130);
    const after = await service.state();
    for (const collection of ["webhooks", "customers", "threads"])
      expect(after[collection]).toEqual(before[collection]);
  });

  test("that cannot be undone is said", async () => {
    const { url } = await startService({ "profile.emptyFields": "null" });
    const { outcome, err } = probing({ against: url, customer: "cust_003", write: true });
    await outcome;
    expect(err()).toContain("company of cust_003 was not restored: set it by hand");
  });

  test("is nothing where a record is not there", async () => {
    const { url, calls } = await startService();
    expect(await probing({ against: url, ...THREAD, thread: "4040", write: true }).outcome).toBe(2);
    expect((await calls()).filter(({ method }: { method: string }) => method !== "GET")).toEqual([]);
  });

  test.each([429, 503])("keeps the pace, and waits as long as Retry-After of %i asks", async (status) => {
    const { url, calls } = await fakeService((count) =>
      count === 3 ? { status, headers: { "retry-after": "1" } } : { status: 404 },
    );
    await probing({ against: url }, 15).outcome;
    const gaps = calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0));
    // A call may arrive later than it is sent, and the next one then seems to follow sooner.
    const total = (calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0);
    expect(total).toBeGreaterThan(1_000 + 15 * (calls.length - 3));
    expect(gaps[2]).toBeGreaterThan(950);
    if (status === 429) expect(calls[3]?.line).toBe(calls[2]?.line);
  });

  test("ends where the service asks for a long pause", async () => {
    const { url, calls } = await fakeService((count) =>
      count === 2 ? { status: 429, headers: { "retry-after": "86400" } } : { status: 200 },
    );
    const { outcome, err } = probing({ against: url });
    await outcome;
    expect(calls).toHaveLength(2);
    expect(err()).toContain("the probes ended early: the service requires a pause of 86400 s");
  });
});

describe("consent", () => {
  async function* lines(typed: string) {
    yield typed;
  }
  const answering = (typed: string) => ({
    isInteractive: true,
    lines: () => Object.assign(lines(typed), { close: () => {} }),
  });

  test("is asked for: nothing is sent without a terminal, nor before a typed yes", async () => {
    const { url, calls } = await fakeService(() => ({ status: 401 }));
    const words = ["calibrate", "--against", url, "--token", "key"];
    for (const terminal of [{}, answering("no"), answering("")]) {
      const { exited, err } = begin(words, {}, terminal);
      expect(await exited).toBe(2);
      expect(err()).toContain("--yes: nothing was sent: type yes, or pass --yes without a terminal");
    }
    expect(calls).toEqual([]);
    const { exited, err } = begin(words, {}, answering("yes"));
    expect(await exited).toBe(2);
    expect(err()).toContain("--token: ");
    expect(calls.map(({ line }) => line)).toEqual(["GET /api/webhooks/"]);
  });

  test("is to a plan that says what is done and what is left out, and --plan only prints it", async () => {
    const { url, calls } = await fakeService(() => ({ status: 200 }));
    const { code, out } = await run(["calibrate", "--against", url, "--thread", "9001", "--plan"]);
    expect(code).toBe(0);
    expect(out).toMatch(/probes with \d+ calls to http:.*, at most two a second/);
    for (const line of [
      "A thread and its templates (6 calls)",
      "Deliveries to a webhook: requires --write",
      "A customer's profile: requires --customer",
    ])
      expect(out).toContain(`  ${line}`);
    expect(calls).toEqual([]);
  });
});

test.each([
  [["--token", "k"], "--token: needs --against URL"],
  [["session.har", "--hook-port", "0"], "--hook-port: needs --against URL"],
  [["--against", "https://api.example"], "--token: is missing: the API key of the service"],
  [
    ["--against", "http://127.0.0.1:1", "--token", "k", "--yes"],
    "--against: http://127.0.0.1:1 does not respond",
  ],
  [[], "recording: name HAR files, or the service with --against"],
])("calibrate %j is refused", async (words, message) => {
  const { code, err } = await run(["calibrate", ...words]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test("a receiver that cannot listen is refused before anything is sent", async () => {
  const hookPort = Number(new URL(await serverOf(() => {})).port);
  const { url, calls } = await fakeService(() => ({ status: 200 }));
  const { outcome, err } = probing({ against: url, hook: "https://tunnel.example", hookPort });
  expect(await outcome).toBe(2);
  expect(err()).toContain(`--hook-port: cannot listen on ${hookPort}`);
  expect(calls).toEqual([]);
});
