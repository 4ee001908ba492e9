import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const START = "POST /api/widget/send-message-to-business";
const start = (user: unknown, businessId: unknown = "1001") => ({
  businessId,
  message: "Is it ready?",
  user,
});

describe("widget route", () => {
  it.each([
    [
      "EMAIL",
      { email: "new@customer.example", locale: "fr" },
      { emailAddress: "new@customer.example", locale: "fr" },
    ],
    ["SMS", { sms: "+15550199001" }, { phoneNumber: "+15550199001" }],
    ["WHATSAPP", { whatsapp: "+15550199002" }, { phoneNumber: "+15550199002" }],
  ])("starts a conversation by %s with a new customer", async (channel, user, customer) => {
    const { api, control } = await startSimulator();
    const { status, body } = await api(START, start(user));
    expect(status).toBe(200);
    expect(body).toEqual({ result: "ok", customerThreadId: expect.stringMatching(/^[1-9]\d*$/) });
    const state = (await control("GET /state")).body;
    const thread = state.threads.at(-1);
    expect(thread).toMatchObject({
      id: body.customerThreadId,
      businessId: "1001",
      channel,
      status: "waiting",
      isMessagingWindowOpen: true,
    });
    expect(state.customers.at(-1)).toMatchObject({
      id: thread.customerId,
      organizationId: "200",
      type: "prospect",
      channel,
      ...customer,
    });
    expect(state.messages.at(-1)).toMatchObject({
      threadId: thread.id,
      fromCustomer: true,
      text: "Is it ready?",
    });
    const details = await api(
      `GET /api/get-customer-thread-details?customerThreadId=${body.customerThreadId}`,
    );
    expect(details.body).toEqual({
      customerChannel: channel,
      status: "waiting",
      isMessagingWindowOpen: true,
    });
  });

  it("finds the customer by the exact contact, and opens a new thread each time", async () => {
    const { api, control } = await startSimulator();
    const first = await api(START, start({ whatsapp: "+15551234567" }));
    const second = await api(START, start({ sms: "+15551234567" }));
    expect(first.body.customerThreadId).not.toBe(second.body.customerThreadId);
    const { threads, customers } = (await control("GET /state")).body;
    expect(threads.slice(-2).map((thread: { customerId: string }) => thread.customerId)).toEqual([
      "cust_001",
      "cust_001",
    ]);
    expect(customers).toHaveLength(7);
  });

  it("does not ask for access to the business; the thread's later calls do", async () => {
    const { api } = await startSimulator();
    const { status, body } = await api(START, start({ email: "a@b.example" }, "1002"));
    expect(status).toBe(200);
    expect(
      (await api(`GET /api/get-customer-thread-details?customerThreadId=${body.customerThreadId}`)).status,
    ).toBe(403);
  });

  it.each(["2001", "7777"])("answers the documented 403 for business %s", async (businessId) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await api(START, start({ email: "a@b.example" }, businessId));
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({ developerMessage: "Business does not belong to this organization" });
    expect((await control("GET /state")).body).toEqual(before);
  });

  it.each([
    [
      "an invalid address",
      { email: "nobody" },
      "@.user.email",
      'must match [email], but is equal to "nobody"',
    ],
    [
      "a number without +",
      { sms: "15550199001" },
      "@.user.sms",
      'must match [e164], but is equal to "15550199001"',
    ],
    [
      "a prefix",
      { whatsapp: "whatsapp:+15550199001" },
      "@.user.whatsapp",
      'must match [e164], but is equal to "whatsapp:+15550199001"',
    ],
    [
      "a prefix by SMS",
      { sms: "whatsapp:+15550199001" },
      "@.user.sms",
      'must match [e164], but is equal to "whatsapp:+15550199001"',
    ],
    ["no contact", { locale: "fr" }, "@.user", 'must have at least key "email" or "sms" or "whatsapp"'],
    [
      "two contacts",
      { email: "a@b.example", sms: "+15550199001" },
      "@.user",
      'must have only one of keys "email" or "sms" or "whatsapp"',
    ],
    ["no object", "x", "@.user", "must be object, but is string"],
  ])("refuses a user with %s", async (_, user, property, message) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await api(START, start(user));
    expect(answer.status).toBe(400);
    expect(answer.body.headers).toEqual([]);
    expect(answer.body.body).toContainEqual({ property, message });
    expect((await control("GET /state")).body).toEqual(before);
  });

  it.each([
    ["1002", "widget.noSender"],
    ["1003", "widget.businessOffline"],
  ])("refuses WhatsApp for business %s: %s, in the validator's shape", async (businessId, behaviour) => {
    const { api } = await startSimulator();
    const answer = await api(START, start({ whatsapp: "+15550199002" }, businessId));
    expect([answer.status, answer.headers.get("x-sim-behaviour")]).toEqual([400, behaviour]);
    expect(answer.body).toEqual({
      body: [{ property: "@.user.whatsapp", message: expect.any(String) }],
      headers: [],
    });
    expect((await api(START, start({ sms: "+15550199002" }, businessId))).status).toBe(200);
  });
});
