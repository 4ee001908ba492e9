import { describe, expect, it } from "vitest";
import type { DomainEvent } from "../../src/service/domain/events.js";
import { emitGiven } from "../../src/service/domain/threads.js";
import type { FixtureDocument } from "../../src/service/world/records.js";
import { business, message, NOW, thread, user, worldWith } from "./records.js";
import { run } from "./run.js";

const emit = (
  eventType: DomainEvent["eventType"],
  data: Record<string, unknown>,
  records: Partial<FixtureDocument> = {},
) => run(emitGiven, { eventType, data }, { world: worldWith(records) });

describe("a message event given by hand", () => {
  it("is about the next message if the thread has none", () => {
    const { events, ...rest } = emit("message", {}, { messages: [message({ id: "502", threadId: "92" })] });
    const next = message({ id: "503", text: "" });
    expect(events).toMatchObject([{ message: next }]);
    expect(events?.[0]).toHaveProperty("message", next);
    expect(rest).toStrictEqual({});
  });
});

describe("a transfer event given by hand", () => {
  it("goes to the thread's own business, by its lowest employee, and changes nothing", () => {
    const data = { customerThreadId: "93" };
    const users = [
      user({ id: "100", organizationId: "2", businessIds: ["21"] }),
      user({ id: "20", organizationId: "2", businessIds: ["21"] }),
    ];
    expect(emit("transfer", data, { users })).toStrictEqual({
      events: [
        {
          eventType: "transfer",
          at: NOW,
          organizationId: "2",
          thread: thread({ id: "93", businessId: "21", customerId: "c2" }),
          data,
          previousBusinessId: "21",
          newBusinessId: "21",
          newBusinessName: "Business 21",
          employeeUserId: "20",
          participationId: 1,
        },
      ],
    });
  });
});

describe.each(["message", "transfer"] as const)("a %s event given by hand", (eventType) => {
  it("needs a thread", () => {
    expect(emit(eventType, {}, { threads: [], businesses: [business({ id: "11" })] })).toStrictEqual({
      refusal: { key: "events.noThread", scope: {} },
    });
  });
});
