import { describe, expect, it } from "vitest";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";
import { BehaviourChecker } from "../../src/service/behaviour/check.js";
import { BEHAVIOUR_TABLE, POLICIES } from "../../src/service/behaviour/table.js";

const checker = new BehaviourChecker();

/** The places of what is wrong with a value, below its key; what is said of them is proven with the schemas of the kernel. */
const placesOf = (key: string, value: unknown) =>
  (checker.check({ [key]: value }).problems ?? []).map(({ path, message }) => {
    expect(message).toMatch(/^(must|is|unknown)/);
    expect(path.startsWith(`["${key}"]`)).toBe(true);
    return path.slice(`["${key}"]`.length);
  });

interface Values {
  readonly taken: readonly unknown[];
  readonly refused: readonly unknown[];
  /** Values with the places of each problem in them. */
  readonly wrongInside?: readonly (readonly [value: unknown, ...places: string[]])[];
}

/** A policy that takes a few values takes all of them, as its page shows them, and no other. */
function fewValues(key: keyof typeof POLICIES): Values {
  const alternatives = alternativesOf(BEHAVIOUR_TABLE[key]);
  if (typeof alternatives === "string") throw new Error(`${key} has no values here`);
  const values = (BEHAVIOUR_TABLE[key].schema as { enum?: readonly unknown[] }).enum ?? [];
  expect(values).toEqual(expect.arrayContaining([BEHAVIOUR_TABLE[key].default, ...alternatives]));
  return { taken: values, refused: ["other"] };
}

/** Longer than a thousand years. */
const TOO_MUCH = ["365001d", 31_536_000_000_001];
const durationOrNull: Values = {
  taken: [null, "1h", 0, "365000d"],
  refused: ["soon", "24", -1, ...TOO_MUCH],
};
const from = (least: number, most: number): Values => ({
  taken: [least, most],
  refused: [least - 1, most + 1, 1.5, null],
});
const names = (
  taken: readonly unknown[],
  ...wrongInside: (readonly [value: unknown, ...places: string[]])[]
): Values => ({ taken: [[], taken], refused: ["WHATSAPP"], wrongInside });
const channels = (...taken: readonly string[]) => names(taken, [["whatsapp"], "[0]"]);
const SIGNED = { scheme: "standard-webhooks", secrets: ["a"] };

/** For each policy that takes more than a few values: some that it takes, and some that it does not. */
const VALUES: Partial<Record<keyof typeof POLICIES, Values>> = {
  "customers.unknownType": { taken: ["prospect", ""], refused: [null] },
  "templates.channels": channels("WHATSAPP", "SMS"),
  "legacy.messageExternalId": { taken: [null, "messageId"], refused: ["id"] },
  "legacy.customerEmployeeUserId": { taken: [0, null, "omit"], refused: [1, "null"] },
  "tokens.lifetime": durationOrNull,
  "permissions.required": {
    taken: [{}, { graphql: "hooks", getWebhook: "hooks" }],
    refused: [[]],
    wrongInside: [
      [{ graphql: "" }, ".graphql"],
      [{ sendMesage: "send" }, ".sendMesage"],
    ],
  },
  "threadStatus.transitions": {
    taken: ["any", {}, { waiting: ["replied", "resolved"], resolved: [] }],
    refused: ["all"],
    wrongInside: [
      [{ open: ["replied"] }, ".open"],
      [{ waiting: ["closed"] }, ".waiting[0]"],
      [{ waiting: "replied" }, ".waiting"],
    ],
  },
  "window.channels": channels("WHATSAPP", "TELEGRAM"),
  "window.duration": durationOrNull,
  "webhooks.graphqlEvents": {
    taken: [[], ["transfers", "messages"]],
    refused: [],
    wrongInside: [
      [["message"], "[0]"],
      [["messages", "messages"], "[1]"],
    ],
  },
  "webhooks.createStatus": { taken: [200, 201], refused: [202, "201"] },
  "delivery.autoDisable": { taken: [null, 1, 1e6], refused: [0, "3"] },
  "delivery.attempts": from(1, 100),
  "delivery.backoff": {
    taken: [["1m"], [0, "1d"]],
    refused: [[], "1m"],
    wrongInside: [
      [["1m", "later"], "[1]"],
      [["1m", ...TOO_MUCH], "[1]", "[2]"],
    ],
  },
  "delivery.timeoutMs": from(1, 600_000),
  "delivery.success": {
    taken: ["2xx", [100, 599]],
    refused: ["3xx", []],
    wrongInside: [[[99, 600], "[0]", "[1]"]],
  },
  "delivery.signature": {
    taken: [null, SIGNED, { ...SIGNED, secrets: Array(10).fill("a") }],
    refused: [],
    wrongInside: [
      [{ ...SIGNED, scheme: "own" }, ".scheme"],
      [{ ...SIGNED, secrets: [] }, ".secrets"],
      [{ ...SIGNED, secrets: Array(11).fill("a") }, ".secrets"],
      [{ ...SIGNED, secrets: [""] }, ".secrets[0]"],
      [{ secrets: ["a"], key: 1 }, ".scheme", ".key"],
      [{ scheme: "standard-webhooks" }, ".secrets"],
    ],
  },
  "limits.textLength": { taken: [null, 1, 1e9], refused: [0, "1"] },
  "limits.webhooks": { taken: [null, 0, 1e9], refused: [-1] },
  "limits.bodyBytes": from(1, 104_857_600),
  "limits.rate": {
    taken: [null, { requests: 1, per: "1s" }, { requests: 1, per: 1 }],
    refused: [],
    wrongInside: [
      [{ requests: 0, per: "1s" }, ".requests"],
      [{ requests: 1, per: "365001d" }, ".per"],
      [{ requests: 1 }, ".per"],
      [{ per: "x" }, ".requests", ".per"],
      [{ requests: 1, per: "1s", burst: 1 }, ".burst"],
    ],
  },
  "cors.origins": names(["*", "https://app.example"], [["SMS", "SMS"], "[1]"], [[""], "[0]"]),
};

describe.each(Object.keys(POLICIES) as (keyof typeof POLICIES)[])("%s", (key) => {
  const { taken, refused, wrongInside = [] } = VALUES[key] ?? fewValues(key);

  it("accepts valid values, and locates problems in all others", () => {
    for (const value of taken) expect(checker.check({ [key]: value })).toEqual({ values: { [key]: value } });
    for (const value of refused) expect([value, placesOf(key, value)]).toEqual([value, [""]]);
    for (const [value, ...places] of wrongInside)
      expect([value, placesOf(key, value)]).toEqual([value, places]);
  });
});

const filled = (count: number, item: unknown) => Array<unknown>(count).fill(item);
const distinct = (count: number) => Array.from({ length: count }, (_, index) => `NAME_${index}`);

it.each<[key: keyof typeof POLICIES, of: (count: number) => unknown, most: number, place: string]>([
  ["customers.unknownType", (count) => "x".repeat(count), 1_000, ""],
  ["threadStatus.transitions", (count) => ({ waiting: filled(count, "replied") }), 100, ".waiting"],
  ["delivery.backoff", (count) => filled(count, "1m"), 100, ""],
  ["delivery.success", (count) => filled(count, 200), 500, ""],
  ["templates.channels", distinct, 1_000, ""],
])("%s holds so much and no more", (key, of, most, place) => {
  expect(placesOf(key, of(most))).toEqual([]);
  expect(placesOf(key, of(most + 1))).toEqual([place]);
});

it.each(Object.keys(ANSWERS))("%s accepts a status and any body, and nothing else", (key) => {
  for (const value of [
    { status: 200, body: null },
    { status: 599, body: { error: ["${x}"] } },
  ])
    expect(checker.check({ [key]: value })).toEqual({ values: { [key]: value } });
  for (const status of [199, 600, 204.5]) expect(placesOf(key, { status, body: 1 })).toEqual([".status"]);
  expect(placesOf(key, {})).toEqual([".status", ".body"]);
  expect(placesOf(key, { status: 200, body: 1, x: 1 })).toEqual([".x"]);
  expect(placesOf(key, "none")).toEqual([""]);
});

describe("behaviour values", () => {
  it.each([
    [null, "null"],
    [[], "an array"],
    [undefined, "undefined"],
  ])("are no %j", (input, kind) => {
    const message = `must be an object, but is ${kind}`;
    expect(checker.check(input)).toEqual({ problems: [{ path: "", message }] });
  });

  it("are returned complete, or else with all their problems", () => {
    const unknown = 'unknown behaviour "timestamp.unit": did you mean "timestamps.unit"?';
    const input = { "window.duration": "1h", "timestamp.unit": "s", toString: 1, "delivery.attempts": 0 };
    const none = expect.stringMatching(/^unknown behaviour "toString": known are ids\..* more$/);
    expect(checker.check(input).problems).toEqual([
      { path: '["timestamp.unit"]', message: unknown, onKey: true },
      { path: "toString", message: none, onKey: true },
      { path: '["delivery.attempts"]', message: "must be at least 1, but is 0" },
    ]);
    expect(checker.check({})).toEqual({ values: {} });
  });

  it.each(TOO_MUCH)("have no durations over a thousand years: %j", (value) => {
    const forms = 'a duration (such as "90s" or "24h", at most 365000d) or an integer or null';
    const message = `must be ${forms}, but is ${JSON.stringify(value)}`;
    const problems = [{ path: '["window.duration"]', message }];
    expect(checker.check({ "window.duration": value })).toEqual({ problems });
  });

  it("are copied from the input", () => {
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
