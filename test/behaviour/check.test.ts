import { describe, expect, it } from "vitest";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";
import { BehaviourChecker } from "../../src/service/behaviour/check.js";
import { POLICIES } from "../../src/service/behaviour/policies/index.js";
import { BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";

const checker = new BehaviourChecker();

/** What is wrong with a value, each with its place under the key. */
const problemsOf = (key: string, value: unknown) =>
  (checker.check({ [key]: value }).problems ?? []).map(({ path, message }) => {
    expect(path.startsWith(`["${key}"]`)).toBe(true);
    return `${path.slice(`["${key}"]`.length)} ${message}`.trim();
  });

interface Values {
  readonly taken: readonly unknown[];
  readonly refused: readonly (readonly [value: unknown, ...problems: string[]])[];
}

const DURATION = 'must be a duration (such as "90s" or "24h") or an integer';
const TOO_MUCH = [
  ["365001d", 'must be at most 365000d, but is "365001d"'],
  [31_536_000_000_001, "must be at most 365000d, but is 31536000000001"],
] as const;

/** A policy that takes a few values takes all of them, as its page shows them, and no other. */
function fewValues(key: keyof typeof POLICIES): Values {
  const alternatives = alternativesOf(BEHAVIOUR_TABLE[key]);
  if (typeof alternatives === "string") throw new Error(`${key} has no values here`);
  const values = (BEHAVIOUR_TABLE[key].schema as { enum?: readonly unknown[] }).enum ?? [];
  expect(values).toEqual(expect.arrayContaining([BEHAVIOUR_TABLE[key].default, ...alternatives]));
  return { taken: values, refused: [["other", `must be one of ${values.join(", ")}, but is "other"`]] };
}

const durationOrNull: Values = {
  taken: [null, "1h", 0, "365000d"],
  refused: [
    ["soon", `${DURATION} or null, but is "soon"`],
    ["24", `${DURATION} or null, but is "24"`],
    [-1, `${DURATION} or null, but is -1`],
    ...TOO_MUCH,
  ],
};

const from = (least: number, most: number): Values => ({
  taken: [least, most],
  refused: [
    [least - 1, `must be at least ${least}, but is ${least - 1}`],
    [most + 1, `must be at most ${most}, but is ${most + 1}`],
    [1.5, "must be an integer, but is 1.5"],
    [null, "must be an integer, but is null"],
  ],
});

const SIGNED = { scheme: "standard-webhooks", secrets: ["a"] };

/** For each policy that takes more than a few values: some that it takes, and some that it does not, with what is said of them. */
const VALUES: Partial<Record<keyof typeof POLICIES, Values>> = {
  "customers.unknownType": {
    taken: ["prospect", ""],
    refused: [[null, "must be a string, but is null"]],
  },
  "templates.channels": {
    taken: [[], ["WHATSAPP", "SMS"]],
    refused: [
      ["WHATSAPP", "must be an array, but is a string"],
      [["SMS", "SMS"], '[1] is the same as ["templates.channels"][0]'],
      [[""], "[0] must not be empty"],
    ],
  },
  "legacy.messageExternalId": {
    taken: [null, "messageId"],
    refused: [["id", 'must be one of messageId or null, but is "id"']],
  },
  "legacy.customerEmployeeUserId": {
    taken: [0, null, "omit"],
    refused: [
      [1, expect.stringMatching(/^must (not )?be/)],
      ["null", expect.stringMatching(/^must (not )?be/)],
    ],
  },
  "tokens.lifetime": durationOrNull,
  "permissions.required": {
    taken: [{}, { graphql: "hooks", getWebhook: "hooks" }],
    refused: [
      [{ sendMesage: "send" }, expect.stringMatching(/sendMesage/)],
      [{ graphql: "" }, ".graphql must not be empty"],
      [[], "must be an object, but is an array"],
    ],
  },
  "threadStatus.transitions": {
    taken: ["any", {}, { waiting: ["replied", "resolved"], resolved: [] }],
    refused: [
      ["all", 'must be one of any or an object, but is "all"'],
      [{ open: ["replied"] }, expect.stringMatching(/^must (not )?be/)],
      [{ waiting: ["closed"] }, '.waiting[0] must be one of waiting, replied, resolved, but is "closed"'],
      [{ waiting: "replied" }, ".waiting must be an array, but is a string"],
    ],
  },
  "window.channels": {
    taken: [[], ["WHATSAPP", "TELEGRAM"]],
    refused: [
      ["WHATSAPP", "must be an array, but is a string"],
      [["SMS", "SMS"], '[1] is the same as ["window.channels"][0]'],
      [[""], "[0] must not be empty"],
    ],
  },
  "window.duration": durationOrNull,
  "webhooks.graphqlEvents": {
    taken: [[], ["transfers", "messages"]],
    refused: [
      [["message"], '[0] must be one of messages, transfers, but is "message"'],
      [["messages", "messages"], '[1] is the same as ["webhooks.graphqlEvents"][0]'],
    ],
  },
  "webhooks.createStatus": {
    taken: [200, 201],
    refused: [
      [202, expect.stringMatching(/^must (not )?be/)],
      ["201", expect.stringMatching(/^must (not )?be/)],
    ],
  },
  "delivery.autoDisable": {
    taken: [null, 1, 1e6],
    refused: [
      [0, "must be at least 1, but is 0"],
      ["3", "must be an integer or null, but is a string"],
    ],
  },
  "delivery.attempts": from(1, 100),
  "delivery.backoff": {
    taken: [["1m"], [0, "1d"]],
    refused: [
      [[], "must not be empty"],
      ["1m", "must be an array, but is a string"],
      [["1m", "later"], `[1] ${DURATION}, but is "later"`],
      [["1m", ...TOO_MUCH.map(([value]) => value)], `[1] ${TOO_MUCH[0][1]}`, `[2] ${TOO_MUCH[1][1]}`],
    ],
  },
  "delivery.timeoutMs": from(1, 600_000),
  "delivery.success": {
    taken: ["2xx", [100, 599]],
    refused: [
      ["3xx", 'must be one of 2xx or an array, but is "3xx"'],
      [[], expect.stringMatching(/^must (not )?be/)],
      [[99, 600], "[0] must be at least 100, but is 99", "[1] must be at most 599, but is 600"],
    ],
  },
  "delivery.signature": {
    taken: [null, SIGNED, { ...SIGNED, secrets: Array(10).fill("a") }],
    refused: [
      [{ ...SIGNED, scheme: "own" }, '.scheme must be one of standard-webhooks, but is "own"'],
      [{ ...SIGNED, secrets: [] }, ".secrets must not be empty"],
      [{ ...SIGNED, secrets: Array(11).fill("a") }, ".secrets must have at most 10 items"],
      [{ ...SIGNED, secrets: [""] }, ".secrets[0] must not be empty"],
      [{ secrets: ["a"], key: 1 }, ".scheme is missing", '.key unknown field "key"'],
      [{ scheme: "standard-webhooks" }, ".secrets is missing"],
    ],
  },
  "limits.textLength": {
    taken: [null, 1, 1e9],
    refused: [
      [0, "must be at least 1, but is 0"],
      ["1", "must be an integer or null, but is a string"],
    ],
  },
  "limits.webhooks": { taken: [null, 0, 1e9], refused: [[-1, "must be at least 0, but is -1"]] },
  "limits.bodyBytes": from(1, 104_857_600),
  "limits.rate": {
    taken: [null, { requests: 1, per: "1s" }, { requests: 1, per: 1 }],
    refused: [
      [{ requests: 0, per: "1s" }, ".requests must be at least 1, but is 0"],
      [{ requests: 1, per: "365001d" }, `.per ${TOO_MUCH[0][1]}`],
      [{ requests: 1 }, ".per is missing"],
      [{ per: "x" }, ".requests is missing", `.per ${DURATION}, but is "x"`],
      [{ requests: 1, per: "1s", burst: 1 }, '.burst unknown field "burst"'],
    ],
  },
  "cors.origins": {
    taken: [[], ["*", "https://app.example"]],
    refused: [
      ["*", "must be an array, but is a string"],
      [["*", "*"], '[1] is the same as ["cors.origins"][0]'],
      [[""], "[0] must not be empty"],
    ],
  },
};

describe.each(Object.keys(POLICIES) as (keyof typeof POLICIES)[])("%s", (key) => {
  const { taken, refused } = VALUES[key] ?? fewValues(key);

  it.each(taken.map((value) => [value]))("takes %j", (value) => {
    expect(checker.check({ [key]: value })).toEqual({ values: { [key]: value } });
  });

  it.each(refused)("refuses %j: %s", (value, ...problems) => {
    expect(problemsOf(key, value)).toEqual(problems);
  });
});

const filled = (count: number, item: unknown) => Array<unknown>(count).fill(item);
const distinct = (count: number) => Array.from({ length: count }, (_, index) => `name ${index}`);

it.each<[key: keyof typeof POLICIES, of: (count: number) => unknown, most: number, problem: string]>([
  ["customers.unknownType", (count) => "x".repeat(count), 1_000, "must have at most 1000 characters"],
  [
    "threadStatus.transitions",
    (count) => ({ waiting: filled(count, "replied") }),
    100,
    ".waiting must have at most 100 items",
  ],
  ["delivery.backoff", (count) => filled(count, "1m"), 100, "must have at most 100 items"],
  ["delivery.success", (count) => filled(count, 200), 500, expect.stringMatching(/^must/)],
  ["templates.channels", distinct, 1_000, "must have at most 1000 items"],
])("%s holds so much and no more", (key, of, most, problem) => {
  expect(problemsOf(key, of(most))).toEqual([]);
  expect(problemsOf(key, of(most + 1))).toEqual([problem]);
});

describe.each(Object.keys(ANSWERS))("%s", (key) => {
  it("takes a status and any body, and nothing else", () => {
    for (const value of [
      { status: 200, body: null },
      { status: 599, body: { error: ["${x}"] } },
    ])
      expect(checker.check({ [key]: value })).toEqual({ values: { [key]: value } });
    expect(problemsOf(key, { status: 199, body: 1 })).toEqual([".status must be at least 200, but is 199"]);
    expect(problemsOf(key, { status: 600, body: 1 })).toEqual([".status must be at most 599, but is 600"]);
    expect(problemsOf(key, { status: 204.5, body: 1 })).toEqual([".status must be an integer, but is 204.5"]);
    expect(problemsOf(key, {})).toEqual([".status is missing", ".body is missing"]);
    expect(problemsOf(key, { status: 200, body: 1, x: 1 })).toEqual(['.x unknown field "x"']);
    expect(problemsOf(key, "none")).toEqual(["must be an object, but is a string"]);
  });
});

describe("behaviour values", () => {
  it.each([
    [null, "null"],
    [[], "an array"],
    ["documented", "a string"],
    [undefined, "undefined"],
  ])("are no %j", (input, kind) => {
    expect(checker.check(input)).toEqual({
      problems: [{ path: "", message: `must be an object, but is ${kind}` }],
    });
  });

  it("come back whole, or not at all with every problem there is", () => {
    const unknown = 'unknown behaviour "timestamp.unit": did you mean "timestamps.unit"?';
    const input = { "window.duration": "1h", "timestamp.unit": "s", toString: 1, "delivery.attempts": 0 };
    expect(checker.check(input)).toEqual({
      problems: [
        { path: '["timestamp.unit"]', message: unknown, onKey: true },
        { path: "toString", message: 'unknown behaviour "toString"', onKey: true },
        { path: '["delivery.attempts"]', message: "must be at least 1, but is 0" },
      ],
    });
    expect(checker.check({})).toEqual({ values: {} });
  });

  it("share nothing with the input", () => {
    const input = { "delivery.backoff": ["1m"] };
    const { values } = checker.check(input);
    input["delivery.backoff"].push("2m");
    expect(values).toEqual({ "delivery.backoff": ["1m"] });
  });
});

it.each(["profile.emptyFields", "surveys.unanswered"])(
  "takes null for the word, as YAML reads it: %s",
  (key) => {
    expect(checker.check({ [key]: null }).values).toEqual({ [key]: "null" });
  },
);
