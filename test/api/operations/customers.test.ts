import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const PROFILE = "GET /api/customers/cust_001/profile";
const UPDATE = "POST /api/customers/cust_001/profile/update";

describe("profile", () => {
  it("has all 13 fields", async () => {
    const { api } = await startSimulator();
    const { body } = await api(PROFILE);
    expect(body).toMatchObject({
      id: "cust_001",
      type: "prospect",
      displayName: "Alan Johnson",
      phoneNumber: "+15551234567",
    });
    expect(Object.keys(body)).toEqual(
      "id type editable pictureHref displayName emailAddress phoneNumber firstName lastName company channel customerData lastSurveys".split(
        " ",
      ),
    );
  });

  it("has every field with its type where nothing is known", async () => {
    const { api } = await startSimulator({
      fixtures: {
        organizations: [{ id: "1", name: "One" }],
        users: [{ id: "2", organizationId: "1", email: "a@b.example", displayName: "A", businessIds: [] }],
        tokens: [{ id: "t", userId: "2" }],
        customers: [{ id: "c", organizationId: "1" }],
      },
    });
    const { body } = await api("GET /api/customers/c/profile", undefined, { token: "t" });
    expect(Object.values(body)).toEqual(["c", "", true, ...Array(8).fill(""), [], {}]);
  });

  it.each(["cust_999", "cust_101", "__proto__", "%00", "a%2Fb"])("does not know customer %s", async (id) => {
    const { api } = await startSimulator();
    const answer = await api(`GET /api/customers/${id}/profile`);
    expect([answer.status, answer.body]).toEqual([404, { error: "Customer not found" }]);
    expect(answer.headers.get("x-sim-behaviour")).toBe("profile.notFound");
  });

  it("shows survey times in the unit of surveys.createdAtUnit", async () => {
    const { api } = await startSimulator({ set: { "surveys.createdAtUnit": "s" } });
    const { body } = await api(PROFILE);
    expect(body.lastSurveys.nps.createdAt).toBe(1_700_000_000);
  });
});

describe("profile update", () => {
  it("changes supplied fields only", async () => {
    const { api } = await startSimulator();
    const before = (await api(PROFILE)).body;
    const answer = await api(UPDATE, { firstName: "Al" });
    expect(answer.body).toEqual({});
    expect(answer.headers.get("x-sim-behaviour")).toBe("profile.updateResponse");
    expect((await api(PROFILE)).body).toEqual({ ...before, firstName: "Al" });
  });

  it("refuses every wrong type at once and changes nothing", async () => {
    const { api } = await startSimulator();
    const before = (await api(PROFILE)).body;
    const answer = await api(UPDATE, { firstName: 1, lastName: null, company: "New" });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      body: [
        { message: "must be string, but is number", property: "@.firstName" },
        { message: "must be string, but is null", property: "@.lastName" },
      ],
      headers: [],
    });
    expect((await api(PROFILE)).body).toEqual(before);
  });

  it("cannot reach a field that is not updatable", async () => {
    const { api } = await startSimulator();
    const sent = JSON.parse(
      '{ "id": "x", "emailAddress": "x@y.example", "__proto__": { "company": "Evil" }, "constructor": 1 }',
    );
    expect((await api(UPDATE, sent)).status).toBe(200);
    expect((await api(PROFILE)).body).toMatchObject({
      id: "cust_001",
      emailAddress: "alan@customer.example",
      company: "Initech",
    });
  });

  it("does not know a customer of another organization", async () => {
    const { api } = await startSimulator();
    const answer = await api("POST /api/customers/cust_101/profile/update", { company: "X" });
    expect([answer.status, answer.body]).toEqual([404, { error: "Customer not found" }]);
  });
});
