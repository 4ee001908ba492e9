import { describe, expect, it } from "vitest";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { Behaviour } from "../../src/service/behaviour/behaviour.js";
import { BehaviourChecker } from "../../src/service/behaviour/check.js";
import {
  BEHAVIOUR_KEYS,
  BEHAVIOUR_TABLE,
  behaviourSchema,
  differing,
  PROFILES,
} from "../../src/service/behaviour/table.js";
import { startSimulator } from "../support/simulator.js";

const checker = new BehaviourChecker();

describe("the behaviour table", () => {
  it.each(["documented", "realistic"] as const)("has a valid value for each key in %s", (name) => {
    expect(checker.check(PROFILES[name])).toEqual({ values: PROFILES[name] });
    expect(Object.isFrozen(PROFILES[name])).toBe(true);
  });

  it("is the schema of a behaviour file, where null may stand for the word", () => {
    const isBehaviour = createAjv().compile(behaviourSchema);
    const files = [{}, { "profile.emptyFields": null }, { "profile.emptyFields": "all" }, { other: 1 }];
    expect(files.map((file) => isBehaviour(file))).toEqual([true, true, false, false]);
    const description = expect.stringMatching(/ Default: 0\.$/);
    expect(behaviourSchema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "messaging-sim behaviour",
      properties: { "legacy.customerEmployeeUserId": { description } },
    });
  });
});

it.each([
  [{}, ["ids.acceptNumbers", "body.unknownFields", "headers.contentTypeOnGet"]],
  [{ "ids.acceptNumbers": "accept" }, ["body.unknownFields", "headers.contentTypeOnGet"]],
] as const)("strict with the values %j sets %j", async (set, expected) => {
  const { control } = await startSimulator({ strict: true, set });
  const { body: rows } = await control("GET /behaviour");
  const changed = rows.filter(
    (row: { default: unknown; value: unknown }) => JSON.stringify(row.value) !== JSON.stringify(row.default),
  );
  expect(changed.map(({ key }: { key: string }) => key)).toEqual(expected);
});

describe("the behaviour of a sandbox", () => {
  it("is the profile documented with the given values, frozen", () => {
    const { values } = new Behaviour({ "window.duration": "1h" });
    expect(values).toEqual({ ...PROFILES.documented, "window.duration": "1h" });
    expect(Object.isFrozen(values)).toBe(true);
    expect(new Behaviour().values).toEqual(PROFILES.documented);
  });

  it("can be patched without changing values read before", () => {
    const behaviour = new Behaviour({ "window.duration": "1h" });
    const before = behaviour.values;
    behaviour.patch({ "timestamps.unit": "s" });
    expect(behaviour.values).toEqual({ ...before, "timestamps.unit": "s" });
    expect(Object.isFrozen(behaviour.values)).toBe(true);
    expect(before["timestamps.unit"]).toBe("ms");
  });

  it("is shown row by row, with default and value", () => {
    const rows = new Behaviour({ "limits.rate": { requests: 1, per: "1s" } }).rows();
    expect(rows.map(({ key }) => key)).toEqual(BEHAVIOUR_KEYS);
    expect(rows.find(({ key }) => key === "limits.rate")).toEqual({
      key: "limits.rate",
      section: "Limits",
      question: BEHAVIOUR_TABLE["limits.rate"].question,
      default: null,
      value: { requests: 1, per: "1s" },
      source: "assumed",
    });
  });

  it("differs from the default only in different values", () => {
    const backoff = { "delivery.backoff": ["1m"] };
    expect(differing({ "window.channels": ["WHATSAPP"], ...backoff })).toEqual(backoff);
  });
});
