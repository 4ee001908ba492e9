import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";
const TEMPLATE = "HX00000000000000000000000000000001";
const TEMPLATE_TEXT = "Sorry for the wait. Reply YES if you still need us.";

describe("send message", () => {
  it.each([
    ["9001", { text: "Hello", internal: false }, { text: "Hello", contentSid: null, invisible: false }],
    ["9002", { text: "Careful", internal: true }, { text: "Careful", contentSid: null, invisible: true }],
    ["9002", { contentSid: TEMPLATE }, { text: TEMPLATE_TEXT, contentSid: TEMPLATE, invisible: false }],
  ])("into thread %s: %j", async (customerThreadId, fields, expected) => {
    const { api, control } = await startSimulator();
    const answer = await api(SEND, { customerThreadId, ...fields });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect(answer.headers.get("x-sim-behaviour")).toBe("sendMessage.response");
    expect((await control("GET /state")).body.messages.at(-1)).toMatchObject({
      threadId: customerThreadId,
      fromCustomer: false,
      employeeUserId: "501",
      ...expected,
    });
  });

  it.each([
    ["9999", { text: "Hi" }, 404, "threads.notFound", "Customer thread not found"],
    ["9005", { text: "Hi" }, 403, "threads.notAccessible", "Customer thread is not accessible to this user"],
    ["9002", { text: "Hi" }, 400, "window.closedError", "The messaging window is closed: send a template"],
    ["9001", { contentSid: "HXno" }, 400, "templates.unknown", "Unknown contentSid for this customer thread"],
  ])("refuses thread %s, %j, with %i and changes nothing", async (id, fields, status, behaviour, error) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await api(SEND, { customerThreadId: id, ...fields });
    expect([answer.status, answer.body]).toEqual([status, { error }]);
    expect(answer.headers.get("x-sim-behaviour")).toBe(behaviour);
    expect((await control("GET /state")).body).toEqual(before);
    expect((await control("GET /deliveries")).body).toEqual([]);
  });

  it.each([
    [
      { customerThreadId: "9001" },
      [{ property: "@", message: 'must have at least key "text" or "contentSid"' }],
    ],
    [
      { customerThreadId: "9001", text: "a", contentSid: TEMPLATE },
      [{ property: "@", message: 'must have only one of keys "text" or "contentSid"' }],
    ],
    [
      { customerThreadId: true, text: 5, internal: "yes" },
      [
        { property: "@.text", message: "must be string, but is number" },
        { property: "@.customerThreadId", message: "must be string, but is boolean" },
        { property: "@.internal", message: "must be boolean, but is string" },
      ],
    ],
    [
      {},
      [
        { property: "@", message: 'must have at least key "text" or "contentSid"' },
        { property: "@.customerThreadId", message: "is missing and not optional" },
      ],
    ],
  ])("says all that is wrong with %j", async (body, problems) => {
    const { api } = await startSimulator();
    const answer = await api(SEND, body);
    expect([answer.status, answer.body]).toEqual([400, { body: problems, headers: [] }]);
  });

  it("takes the integer that events carry, and warns", async () => {
    const { api, control } = await startSimulator();
    const answer = await api(SEND, { customerThreadId: 9001, text: "Hi" });
    expect(answer.status).toBe(200);
    const [warning] = (await control("GET /warnings")).body;
    expect(warning).toMatchObject({ code: "number-id", requestId: answer.headers.get("x-sim-request") });
  });

  it("goes on to deliver the event of the message", async () => {
    const { api, control } = await startSimulator({ clock: "2026-01-01T09:00:00Z" });
    const answer = await api(SEND, { customerThreadId: "9001", text: "Hello" });
    await control("POST /wait", { for: "idle" });
    const [delivery] = (await control("GET /deliveries")).body;
    expect(delivery).toMatchObject({
      causedBy: answer.headers.get("x-sim-request"),
      eventType: "message",
      status: "delivered",
      body: {
        timestamp: Date.parse("2026-01-01T09:00:00Z"),
        data: { customerThreadId: 9001, messageBody: "Hello" },
      },
    });
  });
});
