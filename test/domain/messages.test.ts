import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import type { SendMessage } from "../../src/service/domain/messages.js";
import { customerWrites, sendMessage } from "../../src/service/domain/messages.js";
import { type Message, THREAD_STATUSES, type Thread } from "../../src/service/world/records.js";
import { ana, customer, message, NOW, thread, worldWith } from "./records.js";
import { type Outcome, run } from "./run.js";

type Behaviour = Partial<BehaviourValues>;
const REALISTIC = { "threadStatus.autoMoves": "realistic" } as const;

/** 91 is open, 92 closed, 93 has no window; message 500 is the last. */
const world = (status: Thread["status"] = "waiting") =>
  worldWith({
    threads: [
      thread({ id: "91", status }),
      thread({ id: "92", status, isMessagingWindowOpen: false }),
      thread({ id: "93", status, channel: "SMS" }),
    ],
    messages: [message({ id: "500", threadId: "93" })],
  });

/** What writing a message does: the message and its event, and nothing else. */
function written(threadId: string, given: Partial<Message>): Outcome<Message> {
  const result = message({ id: "501", threadId, ...given });
  const event = { eventType: "message", at: NOW, organizationId: "1" } as const;
  return {
    result,
    changes: { "messages 501": result },
    events: [
      {
        ...event,
        thread: world().get("threads", threadId)!,
        customer: customer({ id: "c1" }),
        message: result,
      },
    ],
    counters: { messages: 501 },
  };
}

/** The status that a message moves its thread to, as the thread and the event show it. */
const movedTo = ({ changes, events }: Outcome<Message>) => [
  changes?.["threads 91"],
  events?.[0]?.thread.status,
];

const OF_ANA = { fromCustomer: false, employeeUserId: "51" };
const NOTE = { text: "Note", internal: true };
const TEMPLATE = { contentSid: "HX1" };

describe("the client", () => {
  const send = (fields: Omit<SendMessage, "caller">, behaviour: Behaviour = {}, status?: Thread["status"]) =>
    run(sendMessage, { caller: ana, ...fields }, { world: world(status), behaviour });

  it.each([
    ["91", { text: "Hi", internal: false }, { text: "Hi" }],
    ["92", NOTE, { text: "Note", invisible: true }],
    ["92", TEMPLATE, { text: "Hello from One", contentSid: "HX1" }],
    ["92", { ...TEMPLATE, internal: true }, { text: "Hello from One", contentSid: "HX1", invisible: true }],
    ["93", { text: "" }, { text: "" }],
  ])("sends into %s %j", (customerThreadId, fields, expected) => {
    const outcome = send({ customerThreadId, ...fields });
    expect(outcome).toStrictEqual(written(customerThreadId, { ...OF_ANA, ...expected }));
  });

  it.each(THREAD_STATUSES)("moves the status from %s with visible text, if asked to", (status) => {
    const hi = { customerThreadId: "91", text: "Hi" };
    const change = status === "replied" ? undefined : { status: "replied" };
    expect(movedTo(send(hi, REALISTIC, status))).toEqual([change, "replied"]);
    expect(movedTo(send(hi, {}, status))).toEqual([undefined, status]);
    expect(movedTo(send({ ...hi, internal: true }, REALISTIC, status))).toEqual([undefined, status]);
  });

  it.each<[behaviour: Behaviour, threadId: string, fields: object, outcome: string]>([
    [{}, "92", { text: "Hi" }, "window.closedError"],
    [{}, "92", { text: "" }, "window.closedError"],
    [{}, "93", TEMPLATE, "templates.unknown"],
    [{ "limits.textLength": null }, "91", { text: "x".repeat(5_000) }, "sent"],
    [{ "limits.textLength": 3 }, "91", { text: "😀😀😀" }, "sent"],
    [{ "limits.textLength": 3 }, "91", TEMPLATE, "sent"],
    [{ "limits.textLength": 3 }, "91", NOTE, "limits.textLengthError"],
    [{ "limits.textLength": 1 }, "99", { text: "Hi" }, "threads.notFound"],
    [{ "limits.textLength": 1 }, "92", { text: "Hi" }, "limits.textLengthError"],
    [{ "messages.emptyText": "reject" }, "91", { text: "", internal: true }, "messages.emptyText"],
    [{ "messages.emptyText": "reject" }, "91", { text: " " }, "sent"],
    [{ "messages.emptyText": "reject" }, "91", TEMPLATE, "sent"],
    [{ "window.internalMessages": "bound" }, "91", NOTE, "sent"],
    [{ "window.internalMessages": "bound" }, "92", NOTE, "window.closedError"],
    [{ "window.internalMessages": "bound" }, "93", NOTE, "sent"],
    [{ "window.internalMessages": "bound" }, "92", { ...TEMPLATE, internal: true }, "sent"],
  ])("with %j into thread %s %j: %s", (behaviour, customerThreadId, fields, expected) => {
    const { result, refusal, decidedBy } = send({ customerThreadId, ...fields }, behaviour);
    const key = refusal !== undefined && "key" in refusal ? refusal.key : undefined;
    expect(result === undefined ? (decidedBy ?? key) : "sent").toBe(expected);
  });
});

describe("the customer", () => {
  const write = (behaviour: Behaviour, status?: Thread["status"]) =>
    run(customerWrites, { threadId: "91", text: "Hi" }, { world: world(status), behaviour });

  it.each(THREAD_STATUSES)("moves the status from %s to waiting, if asked to", (status) => {
    const change = status === "waiting" ? undefined : { status: "waiting" };
    expect(movedTo(write(REALISTIC, status))).toEqual([change, "waiting"]);
    expect(movedTo(write({}, status))).toEqual([undefined, status]);
  });
});
