import { expect, it } from "vitest";
import { emitGiven } from "../../src/service/domain/threads.js";
import type { FixtureDocument } from "../../src/service/world/records.js";
import { transferEvent } from "./events.js";
import { business, message, thread, user, worldWith } from "./records.js";
import { run } from "./run.js";

const emit = (
  eventType: "message" | "transfer",
  data: Record<string, unknown>,
  records: Partial<FixtureDocument>,
) => run(emitGiven, { eventType, data }, { world: worldWith(records) });

it("a message event given by hand is about the next message if the thread has none, and changes nothing", () => {
  const { events, ...rest } = emit("message", {}, { messages: [message({ id: "502", threadId: "92" })] });
  expect(events).toMatchObject([{ message: message({ id: "503", text: "" }) }]);
  expect(rest).toStrictEqual({});
});

it("a message event given by hand is about the thread's newest message", () => {
  const messages = ["502", "503", "504"].map((id) => message({ id, text: id }));
  expect(emit("message", {}, { messages }).events).toMatchObject([{ message: messages[2] }]);
});

it("a transfer event given by hand goes to the thread's own business, by its lowest employee, and changes nothing", () => {
  const data = { customerThreadId: "93" };
  const users = ["100", "20"].map((id) => user({ id, organizationId: "2", businessIds: ["21"] }));
  const event = transferEvent({
    organizationId: "2",
    thread: thread({ id: "93", businessId: "21", customerId: "c2" }),
    previousBusinessId: "21",
    newBusinessId: "21",
    newBusinessName: "Business 21",
    employeeUserId: "20",
    participationId: 1,
  });
  expect(emit("transfer", data, { users })).toStrictEqual({ events: [{ ...event, data }] });
});

it.each(["message", "transfer"] as const)("a %s event given by hand needs a thread", (eventType) => {
  expect(emit(eventType, {}, { threads: [], businesses: [business({ id: "11" })] })).toStrictEqual({
    refusal: { key: "events.noThread", scope: {} },
  });
});
