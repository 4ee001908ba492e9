import { expect, it } from "vitest";
import { parse } from "yaml";
import { asScenario } from "../../src/lab/challenge/as-scenario.js";
import { UNCHANGED } from "../../src/lab/challenge/kinds.js";
import { EXITED, type Finding } from "../../src/lab/challenge/report.js";

const challenge = { ...UNCHANGED, name: "slow/x", kind: "slow", about: "x: slow" } as const;
const observed = { sent: 2, pace: { quietMs: 150, calls: new Map() } };
const found: Finding = { broke: "", message: "", place: { path: "steps" } };

function written(finding: Partial<Finding>, fixtures = "") {
  const source = `name: A\n${fixtures}thread: "9001"\nsteps:\n  - customer: Hi\n`;
  const broken = { observed, finding: { ...found, ...finding } };
  const text = asScenario(source, challenge, broken, { from: "/a/b/s.yaml", to: "/a/c/s.yaml" });
  return text === undefined ? undefined : parse(text);
}

const differing = (what: string, expected: unknown, seen: unknown) => ({
  expected: { [what]: expected },
  seen: { [what]: seen },
});
const thread = (values: object) => ({ expect: { state: { collection: "threads", id: "9001", values } } });
const COMPANY = { expect: { state: { collection: "customers", id: "c1", values: { company: "A" } } } };
const VERIFIES = { control: "POST /verify", body: { deliveries: { status: "failed" }, count: 0 } };

it.each([
  ["a failed step", { step: "reply: Hello" }, []],
  ["an end of the program", { broke: EXITED }, []],
  ["other messages", differing("thread 9001: messages by the business", 2, 3), []],
  ["another status", differing("thread 9001: status", "replied", "waiting"), [thread({ status: "replied" })]],
  ["another business", differing("thread 9001: business", "1001", "1002"), [thread({ businessId: "1001" })]],
  ["another customer", differing("customer c1: company", '"A"', null), [COMPANY]],
  ["failed deliveries", differing("deliveries that failed", null, 1), [VERIFIES]],
])("ends with steps that see %s", (_, finding, checks) => {
  const counts = expect.objectContaining({ control: "POST /verify" });
  expect(written(finding)?.steps.slice(1)).toEqual([{ wait: 1_000 }, counts, ...checks]);
});

it.each([
  ["wrong answers", { expected: "a refusal", seen: [200] }],
  ["webhooks", differing("webhooks of organization 200", 1, 2)],
  [
    "another kind of message",
    {
      expected: { "thread 9001: internal messages": 1, "thread 9001: messages by the business": 1 },
      seen: { "thread 9001: internal messages": 0, "thread 9001: messages by the business": 2 },
    },
  ],
])("are not written for what no step sees: %s", (_, finding) => {
  expect(written(finding)).toBeUndefined();
});

it("find their fixture", () => {
  expect(written({ step: "x" }, "fixtures: f.json\n")?.fixtures).toBe("../b/f.json");
  expect(written({ step: "x" }, "fixtures: /f.json\n")?.fixtures).toBe("/f.json");
});
