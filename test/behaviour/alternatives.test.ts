import { describe, expect, it } from "vitest";
import { alternativesOf, alternativesText } from "../../src/behaviour/alternatives.js";
import { ANSWERS } from "../../src/behaviour/answers.js";
import { BehaviourChecker } from "../../src/behaviour/check.js";
import { POLICIES } from "../../src/behaviour/policies/index.js";
import type { BehaviourKey } from "../../src/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../src/behaviour/table.js";
import { startSimulator } from "../support/simulator.js";

const DURATION = 'a duration such as "90s" or "24h", or milliseconds';

/** What policies whose values are not a few could be instead. */
const OPEN: Partial<Record<BehaviourKey, string>> = {
  "tokens.lifetime": DURATION,
  "permissions.required": expect.stringMatching(
    /^an object with any of the keys getCustomerProfile, .*, graphql, each value a string$/,
  ),
  "threadStatus.transitions":
    'an object with any of the keys waiting, replied, resolved, each value an array, each item "waiting", "replied" or "resolved"',
  "customers.unknownType": "a string",
  "templates.channels": "an array, each item a string",
  "window.channels": "an array, each item a string",
  "window.duration": DURATION,
  "webhooks.graphqlEvents": 'an array, each item "messages" or "transfers"',
  "delivery.attempts": "an integer from 1 to 100",
  "delivery.backoff": `an array, each item ${DURATION}`,
  "delivery.timeoutMs": "an integer from 1 to 600000",
  "delivery.success": "an array, each item an integer from 100 to 599",
  "delivery.signature": 'an object with scheme ("standard-webhooks"), secrets (an array, each item a string)',
  "limits.textLength": "an integer from 1 to 1000000000",
  "limits.webhooks": "an integer from 0 to 1000000000",
  "limits.bodyBytes": "an integer from 1 to 104857600",
  "limits.rate": `an object with requests (an integer from 1 to 1000000000), per (${DURATION})`,
  "cors.origins": "an array, each item a string",
};

describe("the alternatives of an entry", () => {
  it.each(Object.keys(POLICIES) as (keyof typeof POLICIES)[])("are given for %s", async (key) => {
    const { control } = await startSimulator();
    const rows: { key: string; default: unknown; alternatives: unknown }[] = (await control("GET /behaviour"))
      .body;
    const { default: preset, alternatives } = rows.find((row) => row.key === key) ?? {};
    if (key in OPEN) return expect(alternatives).toEqual(OPEN[key]);
    expect(alternatives).not.toContain(preset);
    const values = alternatives as unknown[];
    expect(values.length).toBeGreaterThan(0);
    const checker = new BehaviourChecker();
    for (const value of values) expect(checker.check({ [key]: value })).toEqual({ values: { [key]: value } });
  });

  it("are any other answer where it is an answer", () => {
    for (const key of Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])
      expect(alternativesOf(BEHAVIOUR_TABLE[key])).toBe(
        "an answer of another status (200 to 599) or with any other JSON body",
      );
  });

  it("are one phrase in descriptions", () => {
    expect(alternativesText(alternativesOf(BEHAVIOUR_TABLE["webhooks.insecureUrls"]))).toBe(
      '"reject" or "allow"',
    );
    expect(alternativesText("an integer")).toBe("an integer");
  });
});
