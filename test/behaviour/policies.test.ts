/** What each policy of the behaviour table decides, from outside; answers that it decided name it in `X-Sim-Behaviour`. */
import { describe, expect, it } from "vitest";
import { alternativesOf } from "../../src/service/behaviour/alternatives.js";
import { ANSWERS } from "../../src/service/behaviour/answers.js";
import { BEHAVIOUR_KEYS, BEHAVIOUR_TABLE, type BehaviourKey } from "../../src/service/behaviour/table.js";
import { type Caller, openSandbox } from "../support/simulator.js";
import { SERVICE } from "./rows/service.js";
import { WEBHOOKS } from "./rows/webhooks.js";

const ROWS = [...SERVICE, ...WEBHOOKS];

/** The keys that their own answers name. */
const NAMED_THEMSELVES = [
  "graphql.deleteUnknown graphql.getNone graphql.nullFields",
  "graphql.errors profile.emptyFields surveys.createdAtUnit surveys.unanswered users.deleteEcho users.emailMatch",
  "webhooks.response webhooks.createStatus webhooks.emptySubscriptions webhooks.insecureUrls",
  "widget.reuse widget.emailFormat body.nullFields body.unknownFields ids.acceptNumbers",
  "messages.emptyText users.deleteSelf limits.bodyBytes paths.trailingSlash",
].flatMap((keys) => keys.split(" "));

/**
 * What the answers name that a policy decided; none where it decides about deliveries, later states or browsers. Where that
 * depends on the value, its row looks at it.
 */
const NAMED: Partial<Record<BehaviourKey, readonly string[]>> = {
  ...Object.fromEntries(NAMED_THEMSELVES.map((key) => [key, [key]])),
  "profile.notEditable": ["profile.notEditableError"],
  "query.repeated": [],
  "limits.textUnit": ["limits.textLengthError"],
  "templates.scope": ["templates.scope", "templates.unknown"],
  "graphql.errorStatus": ["graphql.errors"],
  "tokens.lifetime": ["auth.invalid"],
  "permissions.required": ["permissions.requiredError"],
  "threadStatus.transitions": ["threadStatus.transitionError"],
  "threads.readAccess": ["threads.notAccessible"],
  "widget.threadAccess": ["threads.notAccessible"],
  "window.channels": ["window.closedError"],
  "window.duration": ["window.closedError"],
  "window.internalMessages": ["window.closedError"],
  "limits.textLength": ["limits.textLengthError"],
  "limits.webhooks": ["limits.webhooksError"],
  "limits.rate": ["limits.rateError"],
};

describe.each(ROWS)("$key = $value", ({ key, value, observe, expected }) => {
  it("takes effect at once, and is named by the answers that it decides", async () => {
    const s = await openSandbox({ behaviour: {} });
    const names = new Set<string | null>();
    const api: Caller["api"] = async (...call) => {
      const answer = await s.api(...call);
      names.add(answer.headers.get("x-sim-behaviour"));
      return answer;
    };
    expect(await observe({ ...s, api })).not.toEqual(expected);
    await s.control("POST /reset");
    expect((await s.control("PATCH /behaviour", { [key]: value })).status).toBe(200);
    expect(await observe({ ...s, api })).toEqual(expected);
    expect([...names]).toEqual(expect.arrayContaining([...(NAMED[key] ?? [])]));
    if (!(key in NAMED)) expect(names).not.toContain(key);
  });
});

/** Keys whose effect is a matter of order or time, shown in tests of their own. */
const SHOWN_ELSEWHERE: BehaviourKey[] = ["delivery.order", "delivery.backoff"];

it("has a test for every key of the table, and for every alternative of keys with few values", () => {
  const shown = new Set([...Object.keys(ANSWERS), ...ROWS.map(({ key }) => key), ...SHOWN_ELSEWHERE]);
  expect([...shown].sort()).toEqual([...BEHAVIOUR_KEYS].sort());
  const values = ROWS.map(({ key, value }) => `${key} = ${JSON.stringify(value)}`);
  const missing = BEHAVIOUR_KEYS.filter((key) => !SHOWN_ELSEWHERE.includes(key)).flatMap((key) => {
    return (alternativesOf(BEHAVIOUR_TABLE[key]) ?? [])
      .map((value) => `${key} = ${JSON.stringify(value)}`)
      .filter((one) => !values.includes(one));
  });
  expect(missing).toEqual([]);
});
