import { describe, expect, it } from "vitest";
import { startSimulator } from "../../support/simulator.js";

const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=";
const TEMPLATES = "GET /api/get-whatsapp-templates?customerThreadId=";
const STATUS = "POST /api/update-thread-status";

describe("thread details", () => {
  it.each([
    ["9001", { customerChannel: "WHATSAPP", status: "waiting", isMessagingWindowOpen: true }],
    ["9002", { customerChannel: "WHATSAPP", status: "replied", isMessagingWindowOpen: false }],
    ["9003", { customerChannel: "SMS", status: "waiting", isMessagingWindowOpen: true }],
    ["9004", { customerChannel: "EMAIL", status: "resolved", isMessagingWindowOpen: true }],
  ])("of %s", async (id, expected) => {
    const { api } = await startSimulator();
    expect((await api(DETAILS + id)).body).toEqual(expected);
  });

  it("asks for the thread", async () => {
    const { api } = await startSimulator();
    const answer = await api("GET /api/get-customer-thread-details");
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      body: [{ property: "@.customerThreadId", message: "is missing and not optional" }],
      headers: [],
    });
  });
});

describe.each([DETAILS, TEMPLATES])("%s", (call) => {
  it.each([
    ["9999", 404, "threads.notFound"],
    ["9101", 404, "threads.notFound"],
    ["9005", 403, "threads.notAccessible"],
  ])("refuses thread %s with %i", async (id, status, behaviour) => {
    const { api } = await startSimulator();
    const answer = await api(call + id);
    expect([answer.status, answer.headers.get("x-sim-behaviour")]).toEqual([status, behaviour]);
  });
});

describe("templates", () => {
  it("are those of the organization, for a WhatsApp thread", async () => {
    const { api } = await startSimulator();
    const { templates } = (await api(`${TEMPLATES}9001`)).body;
    expect(templates).toHaveLength(3);
    expect(templates[0]).toEqual({
      title: "issue_back",
      text: "Sorry for the wait. Reply YES if you still need us.",
      contentSid: "HX00000000000000000000000000000001",
    });
    const other = await api(`${TEMPLATES}9101`, undefined, { token: "globex-token" });
    expect(other.body).toEqual({ templates: [] });
  });

  it.each(["9003", "9004"])("are none for thread %s of another channel", async (id) => {
    const { api } = await startSimulator();
    expect((await api(TEMPLATES + id)).body).toEqual({ templates: [] });
  });
});

describe("thread status", () => {
  it.each(
    ["waiting", "replied", "resolved"].flatMap((from) =>
      ["waiting", "replied", "resolved"].map((to) => [from, to]),
    ),
  )("moves from %s to %s", async (from, to) => {
    const { api } = await startSimulator();
    for (const status of [from, to]) {
      const answer = await api(STATUS, { customerThreadId: "9001", status });
      expect([answer.status, answer.body]).toEqual([200, {}]);
    }
    expect((await api(`${DETAILS}9001`)).body.status).toBe(to);
  });

  it.each([
    ["closed", 'must be equal to ["waiting" or "replied" or "resolved"], but is equal to "closed"'],
    ["", 'must be equal to ["waiting" or "replied" or "resolved"], but is equal to ""'],
  ])("refuses the status %j", async (status, message) => {
    const { api } = await startSimulator();
    const answer = await api(STATUS, { customerThreadId: "9001", status });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ body: [{ property: "@.status", message }], headers: [] });
    expect((await api(`${DETAILS}9001`)).body.status).toBe("waiting");
  });

  it("tells type and value of a wrong scalar", async () => {
    const { api } = await startSimulator();
    const answer = await api(STATUS, { customerThreadId: "9001", status: 5 });
    expect(answer.body.body).toEqual([
      { property: "@.status", message: "must be string, but is number" },
      {
        property: "@.status",
        message: 'must be equal to ["waiting" or "replied" or "resolved"], but is equal to "5"',
      },
    ]);
  });

  it.each([
    ["9101", 404],
    ["9005", 403],
  ])("refuses thread %s with %i and changes nothing", async (customerThreadId, status) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    expect((await api(STATUS, { customerThreadId, status: "resolved" })).status).toBe(status);
    expect((await control("GET /state")).body).toEqual(before);
  });
});
