import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { behaviourPage } from "../../scripts/docs/behaviour.js";
import { createAjv } from "../../src/kernel/schema-problems.js";
import { Behaviour, behaviourRowSchema } from "../../src/service/behaviour/behaviour.js";
import { BehaviourChecker } from "../../src/service/behaviour/check.js";
import type { Entry } from "../../src/service/behaviour/entry.js";
import {
  BEHAVIOUR_KEYS,
  BEHAVIOUR_TABLE,
  type BehaviourKey,
  behaviourSchema,
  differing,
  PROFILES,
} from "../../src/service/behaviour/table.js";

/** Written by `npm run docs`, and read by people before it is committed. */
const PAGE = new URL("../../docs/reference/behaviour.md", import.meta.url);
const entries = Object.entries(BEHAVIOUR_TABLE) as [BehaviourKey, Entry][];
const checker = new BehaviourChecker();

describe("the behaviour table", () => {
  it("matches its reference page: section, default, alternatives, source and profile of each entry", () => {
    expect(readFileSync(PAGE, "utf8")).toBe(behaviourPage());
    expect(BEHAVIOUR_KEYS).toEqual(Object.keys(PROFILES.documented));
  });

  it("has every key in the profile realistic", () => {
    expect(Object.keys(PROFILES.realistic)).toEqual(BEHAVIOUR_KEYS);
    expect(differing(PROFILES.documented)).toEqual({});
  });

  it.each(["documented", "realistic"] as const)("has a valid value for each key in %s", (name) => {
    expect(checker.check(PROFILES[name])).toEqual({ values: PROFILES[name] });
    expect(Object.isFrozen(PROFILES[name])).toBe(true);
  });

  it("is the schema of a behaviour file, with every key optional", () => {
    const { properties, ...rest } = behaviourSchema as unknown as { properties: Record<string, object> };
    expect(rest).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "messaging-sim behaviour",
      type: "object",
      additionalProperties: false,
    });
    expect(Object.keys(properties)).toEqual([...BEHAVIOUR_KEYS, "observed"]);
    for (const [key, { schema, question }] of entries)
      expect(properties[key]).toEqual({
        ...schema,
        ...(schema.enum?.includes("null") && { type: ["string", "null"], enum: [...schema.enum, null] }),
        description: expect.stringContaining(`${question} Default:`),
      });
    expect(properties["legacy.customerEmployeeUserId"]).toMatchObject({
      description: expect.stringMatching(/ Default: 0; instead: "omit" or null\.$/),
    });
  });
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
      alternatives:
        'an object with requests (an integer from 1 to 1000000000), per (a duration such as "90s" or "24h", or milliseconds)',
      value: { requests: 1, per: "1s" },
      source: "assumed",
    });
  });

  it("has rows that match the published schema", () => {
    const isRow = createAjv().compile(behaviourRowSchema);
    const rows = new Behaviour().rows();
    expect(rows.filter((row) => !isRow(row))).toEqual([]);
    const [row] = rows;
    for (const field of Object.keys(row ?? {})) expect(isRow({ ...row, [field]: undefined })).toBe(false);
    expect(isRow({ ...row, more: 1 })).toBe(false);
    for (const [alternatives, isValid] of [
      [[], true],
      ["a text", true],
      [5, false],
      [null, false],
    ] as const)
      expect([alternatives, isRow({ ...row, alternatives })]).toEqual([alternatives, isValid]);
  });

  it("differs from the default only in different values", () => {
    const backoff = { "delivery.backoff": ["1m"] };
    expect(differing({ "window.channels": ["WHATSAPP"], ...backoff })).toEqual(backoff);
  });
});
