import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const START = "POST /api/widget/send-message-to-business";
const start = (user: unknown, businessId: unknown = "1001") => ({
  businessId,
  message: "Is it ready?",
  user,
});

describe("widget route", () => {
  it("stores addresses that only schema-inspector accepts, and accepts them in every state", async () => {
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

  it("lets a token use the thread that it started, but no other token without access", async () => {
    const { api, control } = await startSimulator();
    const started = await api(START, start({ sms: "+15550199004" }, "1002"));
    const { customerThreadId } = started.body;
    const details = `GET /api/get-customer-thread-details?customerThreadId=${customerThreadId}`;
    expect((await api(details)).status).toBe(200);
    expect((await api(details, undefined, { token: "globex-token" })).status).toBe(404);
    await control("PATCH /data/users/504", { businessIds: ["1001"] });
    expect((await api(details, undefined, { token: "acme-no-delete" })).status).toBe(403);
    const state = (await control("GET /state")).body;
    expect((await control("PUT /state", state)).status).toBe(200);
    expect((await api(details)).status).toBe(200);
  });
});
