import { readFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { filesFor } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { serverOf } from "../support/server.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { begin, refused, run } from "./terminal.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=";
const SCENARIO = `name: Two threads
params: { thread: "9001" }
steps:
  - log: on
  - request: ${DETAILS}\${param:thread}
    expect: 200
  - request: ${DETAILS}77
    expect: {}
  - request: ${DETAILS}78
    expect: {}
`;
const GONE = { status: 422, body: { code: 7 } };

const file = filesFor("compare");

let other: Running;
beforeEach(async () => {
  other = await startSimulator();
});

/** Compares a scenario with the other simulator, or with that at `url`. */
const compare = (scenario: string, words: string[] = [], url = other.url) => {
  const path = file("s.yaml", scenario);
  return run(["compare", path, "--against", url, "--token", "acme-token", ...words]);
};

it("ends with 1 and shows each difference with the value that explains it", async () => {
  const { url } = await startSimulator({ behaviour: { "threads.notFound": GONE } });
  const { code, out, err } = await compare(SCENARIO, [], `${url}/`);
  expect([code, err]).toEqual([1, ""]);
  const path = file("s.yaml", SCENARIO);
  expect(out).toContain(`✗ Two threads  ${path}  3 calls compared, 2 differ

Differences
  ${path}:7:5 ${DETAILS}77
      simulator: status 404, body.error "Customer thread not found", body.code nothing
      other: status 422, body.error nothing, body.code 7
      why: explained by threads.notFound: ${JSON.stringify(GONE)}
`);
  expect(out).toContain(`Observed, other than the defaults
  threads.notFound
      value: ${JSON.stringify(GONE)}
      default: {"status":404,"body":{"error":"Customer thread not found"}}
      shown by: Two threads, steps[2]: ${DETAILS}77: 422 {"code":7}
`);
  const markdown = (await compare(SCENARIO, ["--reporter", "markdown"], url)).out;
  expect(markdown).toContain(`## Comparison with ${url}\n\n~~~text\n✗ Two threads  `);
});

it("ends with 0 and agrees, and reports as JSON", async () => {
  expect((await compare(SCENARIO)).out).toContain(`The simulator and ${other.url} agree.`);
  const { code, out } = await compare(SCENARIO, ["--reporter", "json", "--param", "thread=9002"]);
  const none = { differences: [], failures: [] };
  const scenario = { name: "Two threads", file: file("s.yaml", SCENARIO), ok: true, compared: 3, ...none };
  const report = JSON.parse(out);
  expect([code, report]).toMatchObject([
    0,
    { against: other.url, ok: true, scenarios: [scenario], contradictions: [] },
  ]);
  expect(Object.keys(report)).toEqual(["against", "ok", "scenarios", "observed", "contradictions", "open"]);
  expect(report.open).toContain("window.duration");
});

it("refuses to compare with a refused token, and shows no token", async () => {
  const first = `--token: ${other.url} refuses the token: 401 for ${DETAILS}9001\n`;
  expect(await compare(SCENARIO, ["--token", "expired"])).toEqual({ code: 2, out: "", err: first });
  const unknown = "token: nobody\nsteps:\n  - request: GET /api/webhooks\n";
  expect((await compare(unknown, ["--token", "nobody"])).code).toBe(2);
  const call = "request: GET /api/webhooks";
  const two = `token: acme-token\nsteps:\n  - ${call}\n  - ${call}\n    token: globex-token\n`;
  const second = await compare(two, ["--token-for", "globex-token=expired"]);
  expect(second).toEqual(refused(`--token-for globex-token: ${other.url} refuses the token: 401`));
  expect(second.err).not.toContain("expired");
  expect((await compare(two, ["--token-for", "globex-token=globex-token"])).code).toBe(0);
});

it("ends with 2 if nothing is compared, or if the other side does not answer", async () => {
  const { err } = await compare("steps:\n  - log: nothing\n");
  expect(err).toBe("nothing was compared: no request reached both sides\n");
  const silent = await compare(SCENARIO, [], `http://127.0.0.1:${await freePort()}`);
  expect(silent).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--against: http:\S+ does not respond: .*connection refused/),
  });
  expect((await compare('thread: "9001"\nsteps:\n  - transfer: "4711"\n')).code).toBe(2);
});

const AGAINST = ["compare", "--against", "https://api.example"];
it.each([
  [["compare"], "--against: is missing: the address of the other server"],
  [AGAINST, "--token: is missing: the API key of the other server"],
  [[...AGAINST, "--token", "k"], "--yes: nothing was sent: type yes, or pass --yes without a terminal"],
  [[...AGAINST, "--token", "k", "--yes", "--expect", "no-such.yaml"], "no-such.yaml"],
  [[...AGAINST, "--token", "k", "--yes", "--expect", "realistic"], "realistic  cannot be read"],
])("compare %j is refused", async (words, message) => {
  const { code, err } = await run(words.map((word) => (word === "s.yaml" ? file(word, SCENARIO) : word)));
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

it("prints its plan, and does nothing", async () => {
  const words = ["compare", "--against", "https://api.example", "--thread", "9001", "--plan"];
  const { code, out } = await run(words);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^\d+ scenarios with \d+ calls to https:\/\/api.example, at most two a second \(\d+ s or more\):/,
  );
  for (const line of [
    "  A thread and its templates (6 calls)\n",
    "  Messages in a thread: requires --write\n",
    "  A customer's profile: requires --customer\n",
    "  Updates of a profile: requires --write and --customer\n",
  ])
    expect(out).toContain(line);
});

it.each(["yes", "no"])("sends probes only after a typed yes: %s", async (answer) => {
  const calls: string[] = [];
  const url = await serverOf((request, response) => {
    calls.push(request.url ?? "");
    response.writeHead(401).end("{}");
  });
  async function* typed() {
    yield answer;
  }
  const lines = () => Object.assign(typed(), { close: () => {} });
  const words = ["compare", "--against", url, "--token", "k"];
  const { exited, err } = begin(words, {}, { isInteractive: true, lines });
  expect(await exited).toBe(2);
  expect(err()).toContain("Real people may read these messages. Type yes to continue: ");
  expect(calls).toHaveLength(answer === "yes" ? 1 : 0);
});

it("writes what it observed as a behaviour file, which says so until another value is set", async () => {
  const { url } = await startSimulator({ behaviour: { "threads.notFound": GONE } });
  const out = file("observed.yaml", "");
  expect((await compare(SCENARIO, ["--out", out], url)).code).toBe(1);
  expect(parse(readFileSync(out, "utf8"))).toMatchObject({ "threads.notFound": GONE });
  expect(await run(["check", out])).toMatchObject({ code: 0 });
  const { api, control } = await startSimulator({ behaviour: parse(readFileSync(out, "utf8")) });
  const row = async (key: string) =>
    (await control("GET /behaviour")).body.find((one: { key: string }) => one.key === key);
  expect(await row("threads.notFound")).toMatchObject({
    value: GONE,
    source: "observed",
    evidence: {
      at: expect.stringMatching(/^20\d\d-/),
      calls: [{ operation: "getCustomerThreadDetails" }, { shows: '422 {"code":7}' }],
    },
  });
  expect(await row("window.duration")).not.toHaveProperty("evidence");
  const { headers } = await api(`${DETAILS}77`);
  expect(headers.get("x-sim-behaviour-source")).toBe("observed");
  await control("PATCH /behaviour", { "threads.notFound": { status: 404, body: {} } });
  expect((await row("threads.notFound")).source).toBe("assumed");
  const named = `behaviour: ${out}\ntoken: acme-token\n${SCENARIO}`;
  expect(await run(["run", file("named.yaml", named)])).toMatchObject({ code: 0 });
});

it("ends with 1 where the other side is no longer as observed, and says how old that is", async () => {
  const { url, control } = await startSimulator({ behaviour: { "threads.notFound": GONE } });
  const out = file("before.yaml", "");
  await compare(SCENARIO, ["--out", out], url);
  const same = await compare(SCENARIO, ["--expect", out], url);
  expect([same.code, same.out]).toEqual([0, expect.stringContaining(`${out}, less than a day old: nothing`)]);
  const changed = { status: 422, body: { code: 8 } };
  await control("PATCH /behaviour", { "threads.notFound": changed });
  const { code, out: report } = await compare(SCENARIO, ["--expect", out], url);
  expect(code).toBe(1);
  expect(report).toContain(`Changed since ${out}, less than a day old
  threads.notFound
      was: ${JSON.stringify(GONE)}
      is: ${JSON.stringify(changed)}
`);
});
