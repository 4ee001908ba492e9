import { describe, expect, it } from "vitest";
import type { Running } from "../../support/simulator.js";
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

const NOT_FOUND = ["threads.notFound", 404, "Customer thread not found"] as const;
const NOT_ACCESSIBLE = [
  "threads.notAccessible",
  403,
  "Customer thread is not accessible to this user",
] as const;

describe.each([
  ["details", (api: Running["api"], id: string) => api(DETAILS + id)],
  ["templates", (api: Running["api"], id: string) => api(TEMPLATES + id)],
  [
    "status",
    (api: Running["api"], customerThreadId: string) => api(STATUS, { customerThreadId, status: "resolved" }),
  ],
])("%s", (_, call) => {
  it.each([
    ["9999", ...NOT_FOUND],
    ["9101", ...NOT_FOUND],
    ["9005", ...NOT_ACCESSIBLE],
  ])("of thread %s are refused: %s", async (id, behaviour, status, error) => {
    const { api, control } = await startSimulator();
    const before = (await control("GET /state")).body;
    const answer = await call(api, id);
    expect([answer.status, answer.body]).toEqual([status, { error }]);
    expect(answer.headers.get("x-sim-behaviour")).toBe(behaviour);
    expect((await control("GET /state")).body).toEqual(before);
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
    expect((await api(`${TEMPLATES}9003`)).body).toEqual({ templates: [] });
  });
});

describe("thread status", () => {
  it("is moved", async () => {
    const { api } = await startSimulator();
    const answer = await api(STATUS, { customerThreadId: "9001", status: "resolved" });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    expect((await api(`${DETAILS}9001`)).body.status).toBe("resolved");
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

  it("tells which move threadStatus.transitions does not list", async () => {
    const { api } = await startSimulator({ set: { "threadStatus.transitions": { waiting: ["replied"] } } });
    const answer = await api(STATUS, { customerThreadId: "9001", status: "resolved" });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "Status cannot change from waiting to resolved" },
    ]);
  });
});
