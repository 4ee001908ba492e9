import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
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
let good: Report;
let bad: Report;

beforeAll(async () => {
  await using sim = await createSimulator({ clock: "2026-01-01T09:00:00Z" });
  good = await runScenario(await read(GOOD), { url: sim.url });
  bad = await runScenario(await read(BAD), { url: sim.url });
});

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The elements around it, outermost first. */
  readonly inside: readonly string[];
  text: string;
}

/** The elements of a well-formed XML text in their order; attributes and texts as they are written. */
function elementsOf(xml: string): Element[] {
  const [prolog = "", body = ""] = xml.split(/(?<=\?>\n)/);
  expect(prolog).toBe('<?xml version="1.0" encoding="UTF-8"?>\n');
  expect(body).not.toMatch(/&(?!(amp|lt|gt|quot|#\d+);)/);
  const found: Element[] = [];
  const open: Element[] = [];
  const tokens = body.matchAll(/<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|[^<]+|</g);
  for (const [token, end, name, rest = "", closed] of tokens) {
    if (end === "/") expect(open.pop()?.name).toBe(name);
    else if (name === undefined) {
      expect(token).not.toBe("<");
      for (const element of open) element.text += token;
    } else {
      const pairs = [...rest.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]);
      const inside = open.map((around) => around.name);
      const element = { name, attributes: Object.fromEntries(pairs), inside, text: "" };
      found.push(element);
      if (closed !== "/") open.push(element);
    }
  }
  expect(open).toEqual([]);
  return found;
}

it("json has one shape for one or many files", () => {
  const parsed = (reports: Report[]) => JSON.parse(REPORTERS.json(reports));
  const [one, other] = JSON.parse(JSON.stringify([good, bad]));
  expect(parsed([good])).toEqual({ ok: true, scenarios: [one] });
  expect(parsed([good, bad])).toEqual({ ok: false, scenarios: [one, other] });
  expect(other.steps[2]).toMatchObject({ place: { file: "s.yaml", line: 9, column: 5, path: "steps[2]" } });
});

describe("junit", () => {
  const GOOD_NAME = "Good &amp; &lt;short&gt; # &quot;quoted&quot;";
  const named = (elements: readonly Element[], name: string) => elements.filter((one) => one.name === name);

  it("has a suite for each scenario and a case for each step", () => {
    const elements = elementsOf(REPORTERS.junit([good, bad]));
    expect(elements[0]).toMatchObject({
      name: "testsuites",
      attributes: { tests: "8", failures: "1", errors: "0" },
    });
    expect(named(elements, "testsuite")).toMatchObject([
      { attributes: { name: GOOD_NAME, tests: "4", failures: "0" } },
      { attributes: { name: "Bad", tests: "4", failures: "1", skipped: "1" } },
    ]);
    const cases = named(elements, "testcase");
    expect(cases).toHaveLength(8);
    expect(cases[5]?.attributes.name).toBe("customer: Hello \\u0001 &lt;b&gt;");
    expect(elements.slice(-5)).toMatchObject([
      { name: "testcase" },
      {
        name: "failure",
        attributes: { message: expect.stringContaining("did not arrive within 20 ms") },
        text: expect.stringContaining("s.yaml:9:5"),
      },
      { name: "testcase" },
      { name: "skipped", inside: ["testsuites", "testsuite", "testcase"] },
      { name: "system-out", inside: ["testsuites", "testsuite"] },
    ]);
  });

  it("has class and case names that are unique over a run", () => {
    const [first] = good.steps;
    const steps = [...good.steps, { ...first, rounds: [1] }, { ...first, rounds: [2] }, first];
    const elements = elementsOf(REPORTERS.junit([{ ...good, steps } as Report, good, bad, good]));
    const names = named(elements, "testcase").map(({ attributes }) => attributes);
    expect(new Set(names.map(({ classname, name }) => `${classname} / ${name}`)).size).toBe(19);
    const suites = [GOOD_NAME, `${GOOD_NAME} (2)`, "Bad", `${GOOD_NAME} (3)`];
    expect(named(elements, "testsuite").map(({ attributes }) => attributes.name)).toEqual(suites);
    expect([...new Set(names.map(({ classname }) => classname))]).toEqual(suites);
  });

  it("has no attributes but those of the schema of Jenkins' xUnit plugin", () => {
    const allowed: Readonly<Record<string, readonly string[]>> = {
      testsuites: ["name", "time", "tests", "failures", "errors"],
      testsuite: ["name", "tests", "failures", "errors", "time", "skipped", "file"],
      testcase: ["name", "classname", "time"],
      skipped: ["message"],
      failure: ["message"],
      "system-out": [],
    };
    for (const { name, attributes } of elementsOf(REPORTERS.junit([good, bad])))
      expect(allowed[name], name).toEqual(expect.arrayContaining(Object.keys(attributes)));
  });
});

it("tap has a subtest for each scenario and a point for each step", () => {
  const lines = REPORTERS.tap([good, bad]).trimEnd().split("\n");
  expect(lines.slice(0, 2)).toEqual(["TAP version 14", "1..2"]);
  expect(lines.filter((line) => /^(not )?ok/.test(line))).toEqual([
    'ok 1 - Good & <short> \\# "quoted"',
    "not ok 2 - Bad",
  ]);
  const points = lines.filter((line) => /^ {4}(not )?ok/.test(line));
  expect(points).toHaveLength(8);
  expect(points[7]).toBe("    ok 4 - log: never # SKIP an earlier step failed");
  expect(lines.filter((line) => /^ {4}1\.\.\d/.test(line))).toEqual(["    1..4", "    1..4"]);
  const details = parse(lines.slice(lines.indexOf("      ---") + 1, lines.indexOf("      ...")).join("\n"));
  expect(details).toMatchObject({ at: "s.yaml:9:5", message: expect.stringContaining("did not arrive") });
});

describe("pretty", () => {
  it("is a conversation on the sandbox's clock", () => {
    const lines = REPORTERS.pretty([good]).split("\n");
    expect(lines.slice(1, 7)).toEqual([
      "  2026-01-01",
      "  09:00:00  ✓ Customer: Is it ready?",
      "  09:00:00  ✓ Employee: Let me look  (internal)",
      "  2026-01-02",
      "  09:00:00  ✓ advance: 1d  advanced by 1d",
      "  09:00:00  ✓ POST /api/update-thread-status  → 200",
    ]);
    const text = lines.join("\n");
    expect(text).toContain("1 scenario: 1 passed");
    expect(text).toContain("POST updateThreadStatus by the scenario\n      number-id: ");
  });

  it("shows where, what, the nearest, the way and the conversation of a failure", () => {
    const text = REPORTERS.pretty([good, bad]);
    const parts = [
      "✗ Bad",
      "s.yaml:9:5  a successful delivery did not arrive within 20 ms",
      'expected  {"status":"delivered","body":{"data":{"messageBody":"Goodbye"}}}',
      "nearest   d",
      ": message event to crm (sink:demo): failed",
      'body.data.messageBody  expected "Goodbye", seen "Hello ',
      "chain     c",
      "→ attempt 1: 503",
      "- log: never  (not run)",
      "Conversation",
      "Alan Johnson",
      "2 scenarios: 1 failed, 1 passed",
      "Failed\n  ✗ Bad  s.yaml:9:5  a successful delivery did not arrive within 20 ms",
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
