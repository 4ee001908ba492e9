import { describe, expect, it } from "vitest";
import type { BehaviourValues } from "../../src/service/behaviour/table.js";
import { startConversation, type WidgetUser } from "../../src/service/domain/widget.js";
import { ana, business, customer, message, NOW, thread, worldWith } from "./records.js";
import { run } from "./run.js";

const widgetUserIds = [ana.user.id];
const PHONE = "+15550199001";
const HELD = customer({ id: "c1", emailAddress: "Ida@customer.example", phoneNumber: PHONE });

const start = (user: WidgetUser, behaviour: Partial<BehaviourValues> = {}, businessId = "11") =>
  run(
    startConversation,
    { caller: ana, businessId, message: "Is it ready?", user },
    {
      behaviour,
      world: worldWith({
        customers: [HELD],
        businesses: [business({ id: "11" }), business({ id: "15", online: false, whatsappSender: null })],
        threads: [thread({ id: "91", businessId: "12" })],
      }),
    },
  );

describe("a conversation from the widget", () => {
  it.each([
    ["EMAIL", { email: "ida@customer.example" }, { emailAddress: "ida@customer.example" }],
    ["WHATSAPP", { whatsapp: "+15550199003", locale: "fr" }, { phoneNumber: "+15550199003", locale: "fr" }],
  ])("on %s with %j makes the customer that is not known in the organization", (channel, user, fields) => {
    const { result, ...rest } = start(user);
    const id = result?.customer.id ?? "";
    expect(id).toMatch(/^cust_[0-9a-f]{10}$/);
    const made = customer({ id, type: "prospect", editable: true, channel, ...fields });
    const opened = thread({ id: "92", customerId: id, channel, widgetUserIds });
    const written = message({ id: "1", threadId: "92", text: "Is it ready?" });
    expect(result).toStrictEqual({ thread: opened, customer: made, message: written });
    const event = { eventType: "message", at: NOW, organizationId: "1" };
    expect(rest).toStrictEqual({
      changes: { [`customers ${id}`]: made, "threads 92": opened, "messages 1": written },
      events: [{ ...event, thread: opened, customer: made, message: written }],
      counters: { threads: 92, messages: 1, random: expect.any(Number) },
    });
  });

  it.each([
    [null, { isMessagingWindowOpen: true }],
    ["1h", { isMessagingWindowOpen: true, windowClosesAt: NOW + 3_600_000 }],
  ] as const)("with the window.duration %j is %j", (duration, window) => {
    const behaviour = { "window.duration": duration };
    const { result, changes } = start({ whatsapp: PHONE }, behaviour);
    expect(changes?.["threads 92"]).toStrictEqual(thread({ id: "92", widgetUserIds, ...window }));
    expect(result?.message.threadId).toBe("92");
    const bySms = start({ sms: PHONE }, behaviour).changes?.["threads 92"];
    expect(bySms).toStrictEqual(thread({ id: "92", channel: "SMS", widgetUserIds }));
  });

  it("by WhatsApp with a business that is offline and has no sender is refused for the sender", () => {
    const refusal = { key: "widget.noSender", scope: { businessId: "15" } };
    expect(start({ whatsapp: PHONE }, {}, "15")).toStrictEqual({ refusal });
  });

  it.each([
    ["the newest open one", [{ id: "91" }, { id: "92", status: "replied" }], "92"],
    ["none that is resolved", [{ id: "91", status: "resolved" }], "92"],
    ["none of another business", [{ id: "91", businessId: "13" }], "92"],
    ["none of another channel", [{ id: "91", channel: "WHATSAPP" }], "92"],
    ["none of another customer", [{ id: "91", customerId: "c3" }], "92"],
  ] as const)("goes on in %s with the widget.reuse open", (_, threads, expected) => {
    const world = worldWith({
      customers: [HELD, customer({ id: "c3" })],
      threads: threads.map((given) => thread({ channel: "SMS", ...given })),
    });
    const input = { caller: ana, businessId: "11", message: "Hi", user: { sms: PHONE } };
    const { result } = run(startConversation, input, { world, behaviour: { "widget.reuse": "open" } });
    expect([result?.thread.id, result?.message.threadId]).toEqual([expected, expected]);
    expect(result?.thread.widgetUserIds).toEqual(widgetUserIds);
  });
});
