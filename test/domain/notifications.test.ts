import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { PROFILES } from "../../src/service/behaviour/table.js";
import type { DomainEvent } from "../../src/service/domain/events.js";
import { notificationsOf, payloadOf } from "../../src/service/domain/events.js";
import type { Webhook } from "../../src/service/world/records.js";
import { messageEvent, transferEvent } from "./events.js";
import { webhook, worldWith } from "./records.js";

const BOTH = ["messages", "transfers"] as const;

function receivers(
  event: DomainEvent,
  webhooks: Webhook[],
  behaviour: Partial<BehaviourValues> = {},
  legacy?: boolean,
) {
  const values = { ...PROFILES.documented, ...behaviour };
  const notifications = notificationsOf(worldWith({ webhooks }), event, values, legacy);
  for (const { webhook, body } of notifications)
    expect(body).toStrictEqual(payloadOf(event, values, webhook.legacy));
  return notifications.map(({ webhook: { id } }) => id);
}

describe("an event goes to", () => {
  it.each<[string, Partial<Webhook>, messages: boolean, transfers: boolean]>([
    ["a webhook that is subscribed to both", { subscribedEvents: [...BOTH] }, true, true],
    ["one for messages", { subscribedEvents: ["messages"] }, true, false],
    ["one for transfers", { subscribedEvents: ["transfers"] }, false, true],
    ["one without a subscription", { subscribedEvents: [] }, false, false],
    ["one that is disabled", { enabled: false }, false, false],
    ["one of another organization", { organizationId: "2" }, false, false],
    ["a legacy one", { legacy: true, subscribedEvents: ["messages"] }, true, false],
    ["a legacy one that is subscribed to transfers too", { legacy: true }, true, false],
    [
      "a legacy one that is subscribed to transfers only",
      { legacy: true, subscribedEvents: ["transfers"] },
      false,
      false,
    ],
  ])("%s: messages or transfers as it should", (_, fields, messages, transfers) => {
    const webhooks = [webhook({ id: "1", ...fields })];
    expect(receivers(messageEvent(), webhooks)).toEqual(messages ? ["1"] : []);
    expect(receivers(transferEvent(), webhooks)).toEqual(transfers ? ["1"] : []);
  });

  it("every webhook that there is for it, oldest first", () => {
    const webhooks = [
      webhook({ id: "3" }),
      webhook({ id: "4", enabled: false }),
      webhook({ id: "1", legacy: true }),
      webhook({ id: "2" }),
    ];
    expect(receivers(messageEvent(), webhooks)).toEqual(["3", "1", "2"]);
    expect(receivers(transferEvent(), webhooks)).toEqual(["3", "2"]);
    expect(receivers(messageEvent(), [])).toEqual([]);
  });

  it.each([
    [undefined, ["1", "2"], ["1"]],
    [true, ["2"], []],
    [false, ["1"], ["1"]],
  ])("legacy webhooks, all others, or both, if that is asked for: %j", (legacy, messages, transfers) => {
    const webhooks = [webhook({ id: "1" }), webhook({ id: "2", legacy: true })];
    expect(receivers(messageEvent(), webhooks, {}, legacy)).toEqual(messages);
    expect(receivers(transferEvent(), webhooks, {}, legacy)).toEqual(transfers);
  });

  it.each([
    ["deliver", true, ["1", "2"]],
    ["deliver", false, ["1", "2"]],
    ["omit", true, []],
    ["omit", false, ["1", "2"]],
  ] as const)(
    "nobody where events.internalMessages is %s and the message invisible: %s",
    (policy, invisible, ids) => {
      const webhooks = [webhook({ id: "1" }), webhook({ id: "2", legacy: true })];
      const behaviour = { "events.internalMessages": policy };
      expect(receivers(messageEvent({ invisible }), webhooks, behaviour)).toEqual(ids);
      expect(receivers(transferEvent(), webhooks, behaviour)).toEqual(["1"]);
    },
  );
});
