import { beforeAll, describe, expect, it } from "vitest";
import type { Report } from "../../src/scenarios/report.js";
import { prettyReport, REPORTERS } from "../../src/scenarios/reporters.js";
import { runScenario } from "../../src/scenarios/run.js";
import { createSimulator } from "../../src/server/simulator.js";
import { read } from "./support.js";

const GOOD = `
name: "Good & <short> # \\"quoted\\""
clock: 2026-01-01T09:00:00Z
thread: "9001"
token: acme-token
steps:
  - customer: Is it ready?
  - employee: { user: "501", says: Let me look, internal: true }
  - advance: 1d
  - request: POST /api/update-thread-status
    body: { customerThreadId: 9001, status: replied }
`;
const BAD = `
name: Bad
clock: 2026-01-01T09:00:00Z
thread: "9001"
within: 20
steps:
  - fault: { on: delivery, then: unavailable }
  - customer: "Hello \\u0001 <b>"
  - delivered: { body: { data: { messageBody: Goodbye } } }
  - log: never
`;
const GOOD_NAME = "Good &amp; &lt;short&gt; # &quot;quoted&quot;";
let good: Report;
let bad: Report;

beforeAll(async () => {
  await using sim = await createSimulator({ clock: "2026-01-01T09:00:00Z" });
  good = await runScenario(await read(GOOD), { url: sim.url });
  bad = await runScenario(await read(BAD), { url: sim.url });
});

it("json has one shape for one or many files", () => {
  const parsed = (reports: Report[]) => JSON.parse(REPORTERS.json(reports));
  const [one, other] = JSON.parse(JSON.stringify([good, bad]));
  expect(parsed([good])).toEqual({ ok: true, scenarios: [one] });
  expect(parsed([good, bad])).toEqual({ ok: false, scenarios: [one, other] });
  expect(other.steps[2]).toMatchObject({ place: { file: "s.yaml", line: 9, column: 5, path: "steps[2]" } });
});

it("junit has a suite for each scenario and a case for each step", () => {
  const xml = REPORTERS.junit([good, bad]).replace(/time="[\d.]+"/g, 'time="…"');
  // Attributes are those of the schema of Jenkins' xUnit plugin.
  expect(xml.replace(/(?<=>s.yaml:9:5|<system-out># Alan Johnson)[^<]*/g, "…")).toBe(`\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="messaging-sim" tests="8" failures="1" errors="0" time="…">
  <testsuite name="${GOOD_NAME}" tests="4" failures="0" errors="0" skipped="0" time="…" file="s.yaml">
    <testcase name="customer: Is it ready?" classname="${GOOD_NAME}" time="…"/>
    <testcase name="employee: user 501, says Let me look, internal true" classname="${GOOD_NAME}" time="…"/>
    <testcase name="advance: 1d" classname="${GOOD_NAME}" time="…"/>
    <testcase name="POST /api/update-thread-status" classname="${GOOD_NAME}" time="…"/>
  </testsuite>
  <testsuite name="Bad" tests="4" failures="1" errors="0" skipped="1" time="…" file="s.yaml">
    <testcase name="fault: on delivery, then unavailable" classname="Bad" time="…"/>
    <testcase name="customer: Hello \\u0001 &lt;b&gt;" classname="Bad" time="…"/>
    <testcase name="delivered: body {&quot;data&quot;:{&quot;messageBody&quot;:&quot;Goodbye&quot;}}" classname="Bad" time="…">
      <failure message="No successful delivery within 20 ms">s.yaml:9:5…</failure>
    </testcase>
    <testcase name="log: never" classname="Bad" time="…">
      <skipped message="an earlier step failed"/>
    </testcase>
    <system-out># Alan Johnson…</system-out>
  </testsuite>
</testsuites>
`);
});

it("junit has class and case names that are unique over a run", () => {
  const [first] = good.steps;
  const steps = [...good.steps, { ...first, rounds: [1] }, { ...first, rounds: [2] }, first];
  const xml = REPORTERS.junit([{ ...good, steps } as Report, good, bad, good]);
  expect(new Set(xml.match(/(?<=<testcase )name=".*?" classname=".*?"/g)).size).toBe(19);
  const suites = [GOOD_NAME, `${GOOD_NAME} (2)`, "Bad", `${GOOD_NAME} (3)`];
  expect(xml.match(/(?<=<testsuite name=").*?(?=")/g)).toEqual(suites);
  expect([...new Set(xml.match(/(?<=classname=").*?(?=")/g))]).toEqual(suites);
});

it("tap has a subtest for each scenario and a point for each step", () => {
  expect(REPORTERS.tap([good, bad]).replace(/(?<= details: "s.yaml:9:5).*(?=")/, "…")).toBe(`\
TAP version 14
1..2
# Subtest: Good & <short> # "quoted"
    1..4
    ok 1 - customer: Is it ready?
    ok 2 - employee: user 501, says Let me look, internal true
    ok 3 - advance: 1d
    ok 4 - POST /api/update-thread-status
ok 1 - Good & <short> \\# "quoted"
# Subtest: Bad
    1..4
    ok 1 - fault: on delivery, then unavailable
    ok 2 - customer: Hello \\\\u0001 <b>
    not ok 3 - delivered: body {"data":{"messageBody":"Goodbye"}}
      ---
      message: "No successful delivery within 20 ms"
      at: "s.yaml:9:5"
      details: "s.yaml:9:5…"
      ...
    ok 4 - log: never # SKIP an earlier step failed
not ok 2 - Bad
`);
});

describe("pretty", () => {
  it("is a conversation on the sandbox's clock", () => {
    const lines = REPORTERS.pretty([good]).split("\n");
    expect(lines.slice(1, 5)).toEqual([
      "  09:00:00  ✓ Customer: Is it ready?",
      "  09:00:00  ✓ Employee: Let me look  (internal)",
      "  09:00:00  ✓ advance: 1d  advanced by 1d",
      "  09:00:00  ✓ POST /api/update-thread-status  → 200",
    ]);
    const text = lines.join("\n");
    expect(text).toContain("1 scenario: 1 passed");
    expect(text).toContain("POST updateThreadStatus by the scenario\n      number-id: ");
  });

  it("shows where, what, the nearest and the conversation of a failure", () => {
    const text = REPORTERS.pretty([good, bad]);
    const parts = [
      "✗ Bad",
      "s.yaml:9:5  No successful delivery within 20 ms",
      'expected  {"status":"delivered","body":{"data":{"messageBody":"Goodbye"}}}',
      "nearest   d",
      ": message to crm (sink:demo), failed",
      'body.data.messageBody  expected "Goodbye", seen "Hello ',
      "- log: never  (not run)",
      "Conversation",
      "Alan Johnson",
      "2 scenarios: 1 failed, 1 passed",
      "Failed\n  ✗ Bad  s.yaml:9:5  No successful delivery within 20 ms",
    ];
    let from = 0;
    for (const part of parts) {
      const at = text.indexOf(part, from);
      expect(at, part).toBeGreaterThanOrEqual(0);
      from = at;
    }
  });

  it("colours only when asked to", () => {
    expect(prettyReport(good)).not.toContain("\u001b[");
    expect(prettyReport(good, { color: true })).toContain("\u001b[32m✓\u001b[0m");
  });
});
