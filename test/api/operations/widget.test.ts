import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const START = "POST /api/widget/send-message-to-business";
const start = (user: unknown, businessId: unknown = "1001") => ({
  businessId,
  message: "Is it ready?",
  user,
});

describe("widget route", () => {
  it("takes the e-mail addresses that HTML calls valid, as fixtures do", async () => {
    const { api, control } = await startSimulator();
    const statuses = async (email: string) => [
      (await api(START, start({ email }))).status,
      (await control("PATCH /data/customers/cust_001", { emailAddress: email })).status,
      (await control("PATCH /data/users/503", { email })).status,
    ];
    expect(await statuses("a@shop.co.uk")).toEqual([200, 200, 200]);
    expect(await statuses("i d@x.example")).toEqual([400, 400, 400]);
  });

  it("stores what it takes where schema-inspector decides, and every state may hold it", async () => {
    const behaviour = { "widget.emailFormat": "schema-inspector" };
    const { api, control } = await startSimulator({ set: { "widget.emailFormat": "schema-inspector" } });
    const [odd, usual] = ["i d@x.example", "ida@x.example"];
    for (const email of [odd, usual]) expect((await api(START, start({ email }))).status).toBe(200);
    const { body: state } = await control("GET /state");
    const { id } = state.customers.find(({ emailAddress }: { emailAddress: string }) => emailAddress === odd);
    expect((await control(`PATCH /data/customers/${id}`, { firstName: "Ida" })).status).toBe(200);
    expect((await control(`PATCH /data/customers/${id}`, { emailAddress: "nobody" })).status).toBe(400);
    for (const [line, body] of [
      ["PUT /state", state],
      ["POST /reset", { fixtures: state }],
      ["POST /sandboxes", { id: "s1", fixtures: state }],
    ] as const) {
      expect([line, (await control(line, body)).status < 300]).toEqual([line, true]);
      expect((await control("GET /state")).body).toEqual(state);
    }

    const other = await startSimulator({
      fixtures: state,
      set: { "widget.emailFormat": "schema-inspector" },
    });
    expect((await other.control("GET /state")).body).toEqual(state);
    await other.control("PATCH /behaviour", { "widget.emailFormat": "valid" });
    expect((await other.control("PUT /state", state)).status).toBe(200);
    expect((await other.control("PATCH /data/customers/cust_001", { emailAddress: odd })).status).toBe(400);

    const usualOne = await startSimulator();
    const fixtures = { ...state, webhooks: [] };
    const refused = await usualOne.control("POST /sandboxes", { fixtures });
    expect(refused.body.error.details).toEqual([
      expect.objectContaining({ path: expect.stringContaining("emailAddress") }),
    ]);
    expect((await usualOne.control("POST /sandboxes", { fixtures, behaviour })).status).toBe(201);
    expect((await usualOne.control("POST /sandboxes", { fixtures })).status).toBe(400);
    await expect(startSimulator({ fixtures: state })).rejects.toThrow("emailAddress");
  });

  it("starts a conversation with a customer who is not known yet", async () => {
    const { api, control } = await startSimulator();
    const { status, body } = await api(START, start({ whatsapp: "+15550199002", locale: "fr" }));
    expect(status).toBe(200);
    expect(body).toEqual({ result: "ok", customerThreadId: expect.stringMatching(/^[1-9]\d*$/) });
    const state = (await control("GET /state")).body;
    expect(state.customers.at(-1)).toMatchObject({
      id: state.threads.at(-1).customerId,
      phoneNumber: "+15550199002",
      locale: "fr",
    });
    expect(state.messages.at(-1)).toMatchObject({
      threadId: body.customerThreadId,
      fromCustomer: true,
      text: "Is it ready?",
    });
    const details = await api(
      `GET /api/get-customer-thread-details?customerThreadId=${body.customerThreadId}`,
    );
    expect(details.body).toEqual({
      customerChannel: "WHATSAPP",
      status: "waiting",
      isMessagingWindowOpen: true,
    });
  });

  it("lets the token use the thread that it began, and no other token without access", async () => {
    const { api, control } = await startSimulator();
    const started = await api(START, start({ sms: "+15550199004" }, "1002"));
    const { customerThreadId } = started.body;
    const details = `GET /api/get-customer-thread-details?customerThreadId=${customerThreadId}`;
    const templates = `GET /api/get-whatsapp-templates?customerThreadId=${customerThreadId}`;
    const answers = [
      await api(details),
      await api(templates),
      await api("POST /api/send-message-to-customer-thread", { customerThreadId, text: "Yes" }),
      await api("POST /api/update-thread-status", { customerThreadId, status: "resolved" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await api(details, undefined, { token: "globex-token" })).status).toBe(404);
    await control("PATCH /data/users/504", { businessIds: ["1001"] });
    expect((await api(details, undefined, { token: "acme-readonly" })).status).toBe(403);
    const state = (await control("GET /state")).body;
    expect((await control("PUT /state", state)).status).toBe(200);
    expect((await api(details)).status).toBe(200);
  });

  it("answers the documented 403 for another organization's business", async () => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await api(START, start({ email: "a@b.example" }, "2001"));
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
    ["1002", "widget.noSender", "business has no active WhatsApp sender"],
    ["1003", "widget.businessOffline", "business is not online"],
  ])("refuses WhatsApp for business %s: %s, in the validator's shape", async (id, behaviour, message) => {
    const { api } = await startSimulator();
    const answer = await api(START, start({ whatsapp: "+15550199002" }, id));
    expect([answer.status, answer.headers.get("x-sim-behaviour")]).toEqual([400, behaviour]);
    expect(answer.body).toEqual({ body: [{ property: "@.user.whatsapp", message }], headers: [] });
  });
});
