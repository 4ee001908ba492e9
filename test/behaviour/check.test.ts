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

const KEYS = Object.keys(POLICIES) as (keyof typeof POLICIES)[];
const FEW = KEYS.flatMap((key) => {
  const alternatives = alternativesOf(BEHAVIOUR_TABLE[key]);
  return alternatives === undefined ? [] : [[key, alternatives] as const];
});

it.each(FEW)("%s accepts its default and the alternatives %j, and no other value", (key, alternatives) => {
  for (const value of [BEHAVIOUR_TABLE[key].default, ...alternatives])
    expect(checker.check({ [key]: value })).toEqual({ values: { [key]: value } });
  expect(placesOf(key, "other")).toEqual([""]);
});

/** Longer than a thousand years. */
const TOO_MUCH = ["365001d", 31_536_000_000_001];
const SIGNED = { scheme: "standard-webhooks", secrets: ["a"] };
const filled = (count: number, item: unknown) => Array<unknown>(count).fill(item);
const distinct = (count: number) => Array.from({ length: count }, (_, index) => `NAME_${index}`);

/** For each policy that takes more than a few values: one that it takes, and one with problems at these places. */
const MANY: [key: keyof typeof POLICIES, taken: unknown, refused: unknown, ...places: string[]][] = [
  ["window.channels", distinct(1_000), distinct(1_001), ""],
  ["tokens.lifetime", "365000d", "24", ""],
  ["permissions.required", { graphql: "hooks" }, { graphql: "" }, ".graphql"],
  ["permissions.required", {}, { sendMesage: "send" }, ".sendMesage"],
  ["threadStatus.transitions", { waiting: ["replied"], resolved: [] }, { open: ["replied"] }, ".open"],
  ["threadStatus.transitions", "any", { waiting: ["closed"], replied: "waiting" }, ".waiting[0]", ".replied"],
  ["threadStatus.transitions", {}, { waiting: filled(101, "replied") }, ".waiting"],
  ["threadStatus.transitions", { waiting: filled(100, "replied") }, "all", ""],
  ["window.channels", ["WHATSAPP", "TELEGRAM"], ["whatsapp"], "[0]"],
  ["window.duration", 0, -1, ""],
  ["webhooks.graphqlEvents", [], ["messages", "messages"], "[1]"],
  ["delivery.autoDisable", 1_000_000, 0, ""],
  ["delivery.attempts", 100, 101, ""],
  ["delivery.backoff", [0, "1d"], ["1m", "later"], "[1]"],
  ["delivery.backoff", filled(100, "1m"), ["1m", ...TOO_MUCH], "[1]", "[2]"],
  ["delivery.backoff", ["1m"], filled(101, "1m"), ""],
  ["delivery.backoff", ["1m"], [], ""],
  ["delivery.timeoutMs", 1, 1.5, ""],
  ["delivery.success", [100, 599], [99, 600], "[0]", "[1]"],
  ["delivery.success", filled(500, 200), filled(501, 200), ""],
  ["delivery.success", "2xx", [], ""],
  ["delivery.signature", SIGNED, { ...SIGNED, secrets: [] }, ".secrets"],
  ["delivery.signature", null, { ...SIGNED, secrets: [""] }, ".secrets[0]"],
  ["delivery.signature", { ...SIGNED, secrets: filled(10, "a") }, { key: 1 }, ".scheme", ".secrets", ".key"],
  ["delivery.signature", null, { ...SIGNED, secrets: filled(11, "a") }, ".secrets"],
  ["limits.textLength", 1_000_000_000, "1", ""],
  ["limits.webhooks", 0, -1, ""],
  ["limits.bodyBytes", 104_857_600, 0, ""],
  ["limits.rate", { requests: 1, per: "1s" }, { requests: 0, per: "1s" }, ".requests"],
  ["limits.rate", { requests: 1, per: 1 }, { requests: 1, per: "365001d" }, ".per"],
  ["limits.rate", null, { per: "1s", burst: 1 }, ".requests", ".burst"],
];

it.each(MANY)(
  "%s accepts valid values, and locates the problems of others",
  (key, taken, refused, ...places) => {
    expect(checker.check({ [key]: taken })).toEqual({ values: { [key]: taken } });
    expect(placesOf(key, refused).sort()).toEqual(places.sort());
  },
);

it("has values for every policy", () => {
  expect(new Set([...FEW, ...MANY].map(([key]) => key))).toEqual(new Set(KEYS));
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
