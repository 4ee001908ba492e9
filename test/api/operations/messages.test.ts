import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";
const TEMPLATE = "HX00000000000000000000000000000001";
const lastMessage = async (control: (call: string) => Promise<{ body: { messages: unknown[] } }>) =>
  (await control("GET /state")).body.messages.at(-1);

describe("send message", () => {
  it.each([
    [
      "9001",
      "text for the customer",
      { text: "Hello" },
      { text: "Hello", contentSid: null, invisible: false },
    ],
    [
      "9001",
      "internal text",
      { text: "Careful", internal: true },
      { text: "Careful", contentSid: null, invisible: true },
    ],
    [
      "9002",
      "internal text while the window is closed",
      { text: "Careful", internal: true },
      { invisible: true },
    ],
    [
      "9002",
      "a template while the window is closed",
      { contentSid: TEMPLATE },
      { text: "Sorry for the wait. Reply YES if you still need us.", contentSid: TEMPLATE, invisible: false },
    ],
    ["9003", "text by SMS", { text: "Hi" }, { text: "Hi" }],
    ["9004", "text by e-mail", { text: "Hi", internal: false }, { text: "Hi", invisible: false }],
  ])("into thread %s: %s", async (customerThreadId, _, body, expected) => {
    const { api, control } = await startSimulator();
    const answer = await api(SEND, { customerThreadId, ...body });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({});
    expect(await lastMessage(control)).toMatchObject({
      threadId: customerThreadId,
      fromCustomer: false,
      employeeUserId: "501",
      ...expected,
    });
  });

  it.each([
    ["an unknown thread", { customerThreadId: "9999", text: "Hi" }, 404, "threads.notFound"],
    ["another organization's thread", { customerThreadId: "9101", text: "Hi" }, 404, "threads.notFound"],
    [
      "a thread of a colleague's business",
      { customerThreadId: "9005", text: "Hi" },
      403,
      "threads.notAccessible",
    ],
    ["text while the window is closed", { customerThreadId: "9002", text: "Hi" }, 400, "window.closedError"],
    ["an unknown template", { customerThreadId: "9001", contentSid: "HXno" }, 400, "templates.unknown"],
    ["a template by SMS", { customerThreadId: "9003", contentSid: TEMPLATE }, 400, "templates.unknown"],
  ])("refuses %s and changes nothing", async (_, body, status, behaviour) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await api(SEND, body);
    expect([answer.status, answer.headers.get("x-sim-behaviour")]).toEqual([status, behaviour]);
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
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ body: problems, headers: [] });
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
        eventType: "message",
        timestamp: Date.parse("2026-01-01T09:00:00Z"),
        data: {
          customerThreadId: 9001,
          messageBody: "Hello",
          fromCustomer: false,
          invisible: false,
          channel: "WHATSAPP",
        },
      },
    });
  });
});
