import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import type { CustomerMessage, EmployeeMessage, SendMessage } from "../../src/service/domain/messages.js";
import { customerWrites, employeeWrites, sendMessage } from "../../src/service/domain/messages.js";
import type { Message, Thread } from "../../src/service/world/records.js";
import { ana, customer, message, NOW, thread, user, worldWith } from "./records.js";
import type { Outcome } from "./run.js";
import { run } from "./run.js";

type Behaviour = Partial<BehaviourValues>;
const REALISTIC = { "threadStatus.autoMoves": "realistic" } as const;
const ATTACHMENT = { uuid: "u-1", contentType: "image/png", name: "shoe.png", contentLength: 512 };

/** 91 is open, 92 closed, 93 has no window, 94 is a colleague's, 95 the other organization's; message 500 is the last. */
const world = (status: Thread["status"] = "waiting") =>
  worldWith({
    threads: [
      thread({ id: "91", status }),
      thread({ id: "92", status, isMessagingWindowOpen: false }),
      thread({ id: "93", status, channel: "SMS" }),
      thread({ id: "94", businessId: "12" }),
      thread({ id: "95", businessId: "21", customerId: "c2" }),
    ],
    messages: [message({ id: "500", threadId: "93" })],
    users: [
      ana.user,
      user({ id: "52", businessIds: ["12"] }),
      user({ id: "61", organizationId: "2", businessIds: ["21"] }),
    ],
  });

/** What writing a message does: the message and its event, and what else it changes of its thread. */
function written(threadId: string, given: Partial<Message>, changed?: Partial<Thread>): Outcome<Message> {
  const result = message({ id: "501", threadId, ...given });
  const before = world().get("threads", threadId);
  if (before === undefined) throw new Error(`${threadId} is not there`);
  return {
    result,
    changes: {
      ...(changed && { [`threads ${threadId}`]: changed }),
      "messages 501": result,
    },
    events: [
      {
        eventType: "message",
        at: NOW,
        organizationId: "1",
        thread: { ...before, ...changed },
        customer: customer({ id: "c1" }),
        message: result,
      },
    ],
    counters: { messages: 501 },
  };
}

const refused = (key: string, scope: object) => ({ refusal: { key, scope } });
const OF_ANA = { fromCustomer: false, employeeUserId: "51" };

describe("the client", () => {
  const send = (fields: Omit<SendMessage, "caller">, behaviour: Behaviour = {}, status?: Thread["status"]) =>
    run(sendMessage, { caller: ana, ...fields }, { world: world(status), behaviour });

  it.each([
    ["text while the window is open", "91", { text: "Hi" }, { text: "Hi" }],
    ["text that says it is not internal", "91", { text: "Hi", internal: false }, { text: "Hi" }],
    ["internal text", "91", { text: "Note", internal: true }, { text: "Note", invisible: true }],
    [
      "internal text while it is closed",
      "92",
      { text: "Note", internal: true },
      { text: "Note", invisible: true },
    ],
    ["a template", "91", { contentSid: "HX1" }, { text: "Hello from One", contentSid: "HX1" }],
    [
      "a template while it is closed",
      "92",
      { contentSid: "HX1" },
      { text: "Hello from One", contentSid: "HX1" },
    ],
    [
      "an internal template",
      "92",
      { contentSid: "HX1", internal: true },
      { text: "Hello from One", contentSid: "HX1", invisible: true },
    ],
    ["text where there is no window", "93", { text: "Hi" }, { text: "Hi" }],
    ["an empty text", "91", { text: "" }, { text: "" }],
  ])("sends %s", (_, customerThreadId, fields, expected) => {
    expect(send({ customerThreadId, ...fields })).toStrictEqual(
      written(customerThreadId, { ...OF_ANA, ...expected }),
    );
  });

  it.each([
    ["an unknown thread", "99", { text: "Hi" }, "threads.notFound", {}],
    ["another organization's thread", "95", { text: "Hi" }, "threads.notFound", {}],
    ["a colleague's thread", "94", { text: "Hi" }, "threads.notAccessible", {}],
    ["text while the window is closed", "92", { text: "Hi" }, "window.closedError", {}],
    ["an empty text while it is closed", "92", { text: "" }, "window.closedError", {}],
    ["an unknown template", "91", { contentSid: "HX9" }, "templates.unknown", { contentSid: "HX9" }],
    [
      "another organization's template",
      "91",
      { contentSid: "HX2" },
      "templates.unknown",
      { contentSid: "HX2" },
    ],
    [
      "a template on another channel",
      "93",
      { contentSid: "HX1" },
      "templates.unknown",
      { contentSid: "HX1" },
    ],
  ])("is refused %s", (_, customerThreadId, fields, key, scope) => {
    expect(send({ customerThreadId, ...fields })).toStrictEqual(refused(key, { ...scope, customerThreadId }));
  });

  it.each(["waiting", "resolved", "replied"] as const)(
    "moves the status from %s with visible text, if asked to",
    (status) => {
      const hi = { customerThreadId: "91", text: "Hi" };
      const event = (outcome: Outcome<Message>) => outcome.events?.[0]?.thread.status;
      const moved = send(hi, REALISTIC, status);
      expect(moved.changes?.["threads 91"]).toStrictEqual(
        status === "replied" ? undefined : { status: "replied" },
      );
      expect(event(moved)).toBe("replied");
      for (const still of [send(hi, {}, status), send({ ...hi, internal: true }, REALISTIC, status)]) {
        expect(still.changes?.["threads 91"]).toBeUndefined();
        expect(event(still)).toBe(status);
      }
    },
  );

  it.each([
    [null, { text: "x".repeat(5_000) }, undefined],
    [3, { text: "abc" }, undefined],
    [3, { contentSid: "HX1" }, undefined],
    [3, { text: "abcd" }, { property: "@.text", limit: 3, length: 4 }],
    [3, { text: "abcd", internal: true }, { property: "@.text", limit: 3, length: 4 }],
  ])("with the limits.textLength %j sends %j, unless told %j", (limit, fields, scope) => {
    const { refusal } = send({ customerThreadId: "91", ...fields }, { "limits.textLength": limit });
    expect(refusal).toStrictEqual(scope && { key: "limits.textLengthError", scope });
  });

  it.each([
    ["accept", { text: "" }, true],
    ["reject", { text: "" }, false],
    ["reject", { text: "", internal: true }, false],
    ["reject", { text: " " }, true],
    ["reject", { contentSid: "HX1" }, true],
  ] as const)("with the messages.emptyText %s sends %j: %s", (empty, fields, sent) => {
    const outcome = send({ customerThreadId: "91", ...fields }, { "messages.emptyText": empty });
    const text = "text" in fields ? fields.text : "Hello from One";
    if (sent) expect(outcome.result?.text).toBe(text);
    else
      expect(outcome).toStrictEqual({
        refusal: [{ property: "@.text", message: "must be longer than 1 elements, but it has 0" }],
        decidedBy: "messages.emptyText",
      });
  });

  it.each([
    ["accept", { contentSid: "HX1", internal: true }, true],
    ["reject", { contentSid: "HX1", internal: true }, false],
    ["reject", { contentSid: "HX9", internal: true }, false],
    ["reject", { contentSid: "HX1", internal: false }, true],
    ["reject", { contentSid: "HX1" }, true],
    ["reject", { text: "Note", internal: true }, true],
  ] as const)("with the templates.internal %s sends %j: %s", (internal, fields, sent) => {
    const outcome = send({ customerThreadId: "91", ...fields }, { "templates.internal": internal });
    const invisible = "internal" in fields && fields.internal;
    if (sent) expect(outcome.result?.invisible).toBe(invisible);
    else
      expect(outcome).toStrictEqual({
        refusal: [{ property: "@.contentSid", message: "is not accepted in an internal message" }],
        decidedBy: "templates.internal",
      });
  });

  it.each([
    ["exempt", "91", { text: "Note", internal: true }, true],
    ["exempt", "92", { text: "Note", internal: true }, true],
    ["exempt", "92", { text: "Hi" }, false],
    ["bound", "91", { text: "Note", internal: true }, true],
    ["bound", "92", { text: "Note", internal: true }, false],
    ["bound", "93", { text: "Note", internal: true }, true],
    ["bound", "92", { contentSid: "HX1", internal: true }, true],
  ] as const)("with the window.internalMessages %s sends into %s %j: %s", (...row) => {
    const [policy, customerThreadId, fields, sent] = row;
    const outcome = send({ customerThreadId, ...fields }, { "window.internalMessages": policy });
    expect(outcome.refusal).toStrictEqual(
      sent ? undefined : { key: "window.closedError", scope: { customerThreadId } },
    );
    expect(outcome.result?.threadId).toBe(sent ? customerThreadId : undefined);
  });

  it("is refused for access first, then for length, then for the window", () => {
    const behaviour = { "limits.textLength": 1 };
    expect(send({ customerThreadId: "94", text: "Hi" }, behaviour).refusal).toMatchObject({
      key: "threads.notAccessible",
    });
    expect(send({ customerThreadId: "92", text: "Hi" }, behaviour).refusal).toMatchObject({
      key: "limits.textLengthError",
    });
  });
});

describe("an employee", () => {
  const write = (fields: Partial<EmployeeMessage>, behaviour: Behaviour = {}, status?: Thread["status"]) =>
    run(
      employeeWrites,
      { threadId: "91", userId: "51", text: "Hi", ...fields },
      { world: world(status), behaviour },
    );

  it.each([
    ["91", {}, {}],
    ["91", { internal: true }, { invisible: true }],
    ["92", { internal: true }, { invisible: true }],
    ["93", { internal: false }, {}],
  ])("writes into %s: %j", (threadId, fields, expected) => {
    expect(write({ threadId, ...fields })).toStrictEqual(
      written(threadId, { ...OF_ANA, text: "Hi", ...expected }),
    );
  });

  it.each([
    ["threads.notFound", { threadId: "99" }, { customerThreadId: "99" }],
    ["employees.notFound", { userId: "9" }, { userId: "9", organizationId: "1" }],
    ["employees.notFound", { userId: "61" }, { userId: "61", organizationId: "1" }],
    ["employees.noAccess", { userId: "52" }, { userId: "52", threadId: "91" }],
    ["window.closedError", { threadId: "92" }, { customerThreadId: "92" }],
  ])("is refused by %s: %j", (key, fields, scope) => {
    expect(write(fields)).toStrictEqual(refused(key, scope));
  });
});

describe("the customer", () => {
  const write = (fields: Partial<CustomerMessage>, behaviour: Behaviour = {}, status?: Thread["status"]) =>
    run(customerWrites, { threadId: "91", ...fields }, { world: world(status), behaviour });

  it.each([
    [{ text: "Hi" }, { text: "Hi" }],
    [{ attachment: ATTACHMENT }, { text: "", attachment: ATTACHMENT }],
    [
      { text: "See", attachment: ATTACHMENT },
      { text: "See", attachment: ATTACHMENT },
    ],
  ])("writes %j", (fields, expected) => {
    expect(write(fields)).toStrictEqual(written("91", expected));
  });

  it.each(["waiting", "replied", "resolved"] as const)(
    "moves the status from %s to waiting, if asked to",
    (status) => {
      const moved = write({ text: "Hi" }, REALISTIC, status);
      expect(moved.changes?.["threads 91"]).toStrictEqual(
        status === "waiting" ? undefined : { status: "waiting" },
      );
      expect(moved.events).toMatchObject([{ thread: { status: "waiting" } }]);
      expect(write({ text: "Hi" }, {}, status).changes?.["threads 91"]).toBeUndefined();
    },
  );
});
