import { describe, expect, it } from "vitest";
import type { Webhook } from "../../../dashboard/src/model/types";
import { whyUnanswered } from "../../../dashboard/src/story/due";
import { elapsedBetween } from "../../../dashboard/src/story/elapsed";
import { turnsOf } from "../../../dashboard/src/story/turns";
import type { Told } from "./story";
import { attempt, delivery, inbound, message, poll, request, sourcesOf } from "./story";

const CRM: Webhook = {
  id: "1",
  hookId: "crm",
  organizationId: "200",
  url: "http://127.0.0.1:3000/hook",
  enabled: true,
  subscribedEvents: ["messages"],
  extraHeaders: [],
  legacy: false,
};
const DELIVERED = [delivery("d1", "c1", "1")];
const REFUSED = { status: 400, response: { error: "The messaging window is closed: send a template" } };

const CASES: readonly (readonly [
  why: string,
  told: Omit<Told, "messages">,
  webhooks?: readonly Webhook[],
])[] = [
  ["there is no webhook that the event could go to", {}, []],
  ["no webhook is enabled: crm is disabled", {}, [{ ...CRM, enabled: false }]],
  ["no webhook is subscribed to messages: crm", {}, [{ ...CRM, subscribedEvents: ["transfers"] }]],
  ["no webhook got the event", {}],
  [
    "the event went to the built-in receiver sink:demo only: no bot is connected",
    { deliveries: [delivery("d1", "c1", "1", { url: "sink:demo" })] },
  ],
  [
    "webhook crm: failed: connection refused",
    { deliveries: [delivery("d1", "c1", "1", { status: "failed", attempts: [attempt(null)] })] },
  ],
  [
    "webhook crm: 500 in 18 ms, tried again later",
    { deliveries: [delivery("d1", "c1", "1", { status: "pending", attempts: [attempt(500)] })] },
  ],
  [
    "webhook crm: 10.0.0.1 is not allowed",
    {
      deliveries: [
        delivery("d1", "c1", "1", { status: "blocked", attempts: [], reason: "10.0.0.1 is not allowed" }),
      ],
    },
  ],
  ["the event was delivered (200), and nobody has called since", { deliveries: DELIVERED }],
  [
    "the event was delivered, and none of the 2 calls since wrote an answer",
    { deliveries: DELIVERED, requests: [poll("r1"), poll("r2")] },
  ],
  [
    "the call was refused: 400 The messaging window is closed: send a template",
    { deliveries: DELIVERED, requests: [request("r1", REFUSED)] },
  ],
  [
    "the call was refused: 401 Unauthorized",
    { requests: [poll("r1", { query: {}, status: 401, response: { error: "Unauthorized" } })] },
  ],
  [
    "the call was refused: no answer",
    { deliveries: DELIVERED, requests: [request("r1", { status: null, response: null })] },
  ],
  [
    "the call was refused: 400 The messaging window is closed: send a template",
    { deliveries: DELIVERED, requests: [request("r1", REFUSED), poll("r2")] },
  ],
  [
    "webhook crm: 500 in 18 ms",
    {
      deliveries: [delivery("d1", "c1", "1", { status: "failed", attempts: [attempt(500)] })],
      requests: [request("r1", { ...REFUSED, by: "scenario" })],
    },
  ],
  [
    "the event was delivered (200), and nobody has called since",
    {
      deliveries: [
        delivery("d1", "c1", "1", { status: "failed", attempts: [attempt(500)] }),
        delivery("d2", "c2", "1"),
      ],
    },
  ],
];

describe("why an answer is due", () => {
  it.each(CASES.map(([why, told, webhooks = [CRM]]) => ({ why, told, webhooks })))("$why", (one) => {
    const { why, told, webhooks } = one;
    const messages = [message("1", "Q")];
    const turns = turnsOf(sourcesOf({ messages, controls: [inbound("c1", null, "1")], ...told }));
    const unanswered = turns.at(-1)?.unanswered;
    expect(unanswered && whyUnanswered(unanswered, webhooks).text).toBe(why);
  });
});

describe("the time between two events", () => {
  it.each([
    ["by a running clock, exactly", [1_000, 50], [2_400, 1_500], { ms: 1_400, isReal: true }],
    ["in real time, where the clock stood still", [1_000, 50], [1_000, 1_550], { ms: 1_500, isReal: true }],
    [
      "in real time, where the clock was moved",
      [1_000, 50],
      [90_001_000, 1_550],
      { ms: 1_500, isReal: true },
    ],
    [
      "by the clock, where nobody saw it",
      [1_000, undefined],
      [9_000, undefined],
      { ms: 8_000, isReal: false },
    ],
    ["unknown on a frozen clock", [1_000, undefined], [1_000, undefined], undefined],
  ] as const)("%s", (_, [from, heardFrom], [to, heardTo], expected) => {
    expect(elapsedBetween({ time: from, heard: heardFrom }, { time: to, heard: heardTo })).toEqual(expected);
  });
});
