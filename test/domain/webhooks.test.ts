import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import type { WebhookFields } from "../../src/service/domain/webhooks.js";
import {
  connect,
  countFailure,
  createWebhook,
  saveWebhook,
  updateWebhook,
  urlObjection,
} from "../../src/service/domain/webhooks.js";
import { ana, webhook, worldWith } from "./records.js";
import { run } from "./run.js";

const URL = "https://bot.example/hook";
const DRAWN = expect.stringMatching(/^hook_[0-9a-f]{10}$/);
const SECTION = "Resources and their fields / Webhook";

/** Two webhooks of Ana's organization; "crm" is also a hookId of the other one, whose record has the id "taken". */
const HELD = [
  webhook({ id: "1", hookId: "crm", enabled: false, extraHeaders: [{ name: "A", value: "b" }] }),
  webhook({ id: "2", hookId: "bot", legacy: true, subscribedEvents: ["messages"] }),
  webhook({ id: "taken", hookId: "crm", organizationId: "2" }),
];
const world = () => worldWith({ webhooks: HELD });
const create = (fields: WebhookFields, behaviour: Partial<BehaviourValues> = {}, hookId = {}) =>
  run(
    createWebhook,
    { caller: ana, ...hookId, fields: { url: URL, ...fields } },
    { world: world(), behaviour },
  );
const update = (fields: WebhookFields, behaviour: Partial<BehaviourValues> = {}) =>
  run(updateWebhook, { caller: ana, hookId: "crm", fields }, { world: world(), behaviour });

it.each([
  [undefined, DRAWN],
  ["new", "new"],
  ["taken", DRAWN],
])("a new webhook with the hookId %s has the id %s, and defaults filled in", (hookId, id) => {
  const { result } = create({}, {}, { hookId });
  const own = { id, hookId: hookId ?? result?.id ?? "" };
  expect(result).toStrictEqual(webhook({ ...own, subscribedEvents: ["messages"] }));
});

describe("subscriptions", () => {
  const STRICT = { "webhooks.emptySubscriptions": "reject" } as const;
  const BOTH = ["transfers", "messages"] as const;
  const TWICE = ["transfers", "messages", "transfers"] as const;

  it.each([
    [STRICT, BOTH, BOTH],
    [STRICT, TWICE, BOTH],
    [{ "webhooks.emptySubscriptions": "accept" }, [], []],
  ] as const)("with %j to %j are %j", (behaviour, subscribedEvents, expected) => {
    for (const write of [create, update])
      expect(write({ subscribedEvents }, behaviour).result?.subscribedEvents).toStrictEqual(expected);
  });

  it("of a save through GraphQL are those of webhooks.graphqlEvents, which are not checked", () => {
    const behaviour = { ...STRICT, "webhooks.graphqlEvents": [] };
    const made = webhook({ id: "new", url: URL, subscribedEvents: [] });
    expect(
      run(saveWebhook, { caller: ana, hookId: "new", url: URL }, { world: world(), behaviour }),
    ).toStrictEqual({ result: made, changes: { "webhooks new": made } });
  });
});

describe("a webhook's address", () => {
  it.each([
    ["HTTPS://bot.example", undefined],
    ["sink:demo", undefined],
    [
      "http://bot.example/https:",
      "the service requires an HTTPS URL, but http://bot.example/https: is plain http",
    ],
  ])("%s is noted where it is not HTTPS", (url, message) => {
    for (const write of [create, update])
      expect(write({ url }).notes).toEqual(message && [{ code: "insecure-url", message, section: SECTION }]);
  });

  it.each([
    ["HTTPS://bot.example", [true, true, true]],
    ["http://bot.example/https:", [true, false, false]],
    ["http://10.0.0.1/", [true, true, false]],
    ["http://bot:3000/", [true, true, false]],
    ["http://127.0.0.1:1/", [true, true, false]],
    ["http://169.254.169.254/", [true, false, false]],
    ["http://[fe80::1]/", [true, false, false]],
    ["http://0.0.0.0/", [true, false, false]],
    ["sink:demo", [true, true, false]],
  ])("%s is taken under allow, loopback, reject: %j", (url, taken) => {
    const objections = (["allow", "loopback", "reject"] as const).map((policy) => urlObjection(url, policy));
    const objection = `must match [https], but is equal to "${url}"`;
    expect(objections).toStrictEqual(taken.map((isTaken) => (isTaken ? undefined : objection)));
  });
});

it.each([
  [{ extraHeaders: [{ name: "C", value: "d", x: 1 }] }, { extraHeaders: [{ name: "C", value: "d" }] }],
  [{ url: undefined, enabled: undefined, subscribedEvents: undefined, extraHeaders: undefined }, {}],
  [{ id: "9", hookId: "other", organizationId: "2", legacy: true } as object, {}],
])("an update of %j changes %j", (fields, changed) => {
  expect(update(fields)).toStrictEqual({
    result: { ...HELD[0], ...changed },
    changes: { "webhooks 1": changed },
  });
});

describe("a webhook whose deliveries fail", () => {
  const fail = (webhookId: string, failures: number, limit: number | null) =>
    run(
      countFailure,
      { webhookId, failures },
      { world: world(), behaviour: { "delivery.autoDisable": limit } },
    );
  const forgotten = { failures: 0, isDisabled: false };
  const disabled = { failures: 0, isDisabled: true };

  it("is disabled once as many have failed in a row as delivery.autoDisable says", () => {
    expect(fail("2", 1, 2)).toStrictEqual({ result: { failures: 1, isDisabled: false } });
    expect(fail("2", 2, 2)).toStrictEqual({
      result: disabled,
      changes: { "webhooks 2": { enabled: false } },
    });
    expect(fail("1", 2, 2)).toStrictEqual({ result: disabled });
  });

  it("is left alone without a limit, and one that is gone is forgotten", () => {
    expect([fail("2", 9, null), fail("none", 9, 2)]).toStrictEqual([
      { result: forgotten },
      { result: forgotten },
    ]);
  });
});

it("connecting without webhooks gives each organization one for all events", () => {
  const input = { url: URL, keyOf: (token: string) => token };
  const { result } = run(connect, input, { world: worldWith({ webhooks: [] }) });
  expect(result?.map((one) => one.webhook)).toStrictEqual(
    ["1", "2"].map((id) => webhook({ id: `hook-${id}`, organizationId: id, url: URL })),
  );
});
