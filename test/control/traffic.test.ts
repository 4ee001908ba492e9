import { beforeEach, describe, expect, it } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const DETAILS = "/api/get-customer-thread-details";
const SEND = "/api/send-message-to-customer-thread";

let sim: Running;
const idsOf = async (call: string): Promise<string[]> => {
  const { status, body } = await sim.control(call);
  expect(status).toBe(200);
  return body.map(({ id }: { id: string }) => id);
};
const say = (text: string) => sim.api(`POST ${SEND}`, { customerThreadId: "9001", text, internal: true });
const settled = async () => expect((await sim.control("POST /wait", { for: "idle" })).status).toBe(200);

beforeEach(async () => {
  sim = await startSimulator();
});

describe("GET /requests", () => {
  it("shows calls and their answers", async () => {
    await sim.api(`GET ${DETAILS}?customerThreadId=9001`);
    await sim.api("POST /api/nowhere", { a: [1] }, { token: null });
    const { body } = await sim.control("GET /requests");
    expect(body).toHaveLength(2);
    expect(body[0]).toMatchObject({
      id: "r1",
      by: "client",
      method: "GET",
      path: DETAILS,
      query: { customerThreadId: "9001" },
      headers: { token: "acme-token" },
      body: null,
      operation: "getCustomerThreadDetails",
      token: "acme-token",
      status: 200,
      response: { customerChannel: "WHATSAPP" },
      warnings: [],
    });
    expect(body[0].at).toEqual(expect.any(Number));
    expect(body[0].durationMs).toEqual(expect.any(Number));
    expect(body[1]).toMatchObject({ id: "r2", operation: null, token: null, status: 404, body: { a: [1] } });
  });

  it("filters", async () => {
    await sim.api(`GET ${DETAILS}?customerThreadId=9001`);
    await say("one");
    await sim.api("GET /api/customers/cust_001/profile", undefined, { headers: { "x-sim-by": "scenario" } });
    await sim.api("GET /api/customers/cust_nobody/profile");
    expect(await idsOf("GET /requests?method=post")).toEqual(["r2"]);
    expect(await idsOf("GET /requests?path=/api/customers/*/profile")).toEqual(["r3", "r4"]);
    expect(await idsOf("GET /requests?path=/api/customers/:id/profile&status=404")).toEqual(["r4"]);
    expect(await idsOf("GET /requests?operation=getCustomerThreadDetails")).toEqual(["r1"]);
    expect(await idsOf("GET /requests?by=scenario")).toEqual(["r3"]);
    expect(await idsOf("GET /requests?token=acme-token&method=GET&by=client")).toEqual(["r1", "r4"]);
    expect(await idsOf("GET /requests?token=other")).toEqual([]);
  });

  it("lists the first entries after `since`, otherwise the newest", async () => {
    for (const text of ["1", "2", "3", "4"]) await say(text);
    expect(await idsOf("GET /requests?limit=2")).toEqual(["r3", "r4"]);
    expect(await idsOf("GET /requests?since=r1&limit=2")).toEqual(["r2", "r3"]);
    expect(await idsOf("GET /requests?since=r4")).toEqual([]);
    expect(await idsOf("GET /requests?limit=9")).toEqual(["r1", "r2", "r3", "r4"]);
  });

  it("belongs to one sandbox, and accepts both names of a token", async () => {
    await sim.control("POST /sandboxes", { id: "s1" });
    await sim.api(`GET ${DETAILS}?customerThreadId=9001`, undefined, { token: "s1.acme-token" });
    expect(await idsOf("GET /requests")).toEqual([]);
    expect(await idsOf("GET /sandboxes/s1/requests?token=s1.acme-token")).toEqual(["r1"]);
    expect(await idsOf("GET /sandboxes/s1/requests?token=acme-token")).toEqual(["r1"]);
  });
});

describe("DELETE /requests", () => {
  it("clears the calls; ids continue", async () => {
    await say("one");
    await say("two");
    expect((await sim.control("DELETE /requests")).body).toEqual({ cleared: 2 });
    await say("three");
    expect(await idsOf("GET /requests")).toEqual(["r3"]);
    expect(await idsOf("GET /requests?since=r1")).toEqual(["r3"]);
  });
});

describe("deliveries", () => {
  it("are listed with their outcomes", async () => {
    await say("Hello");
    await settled();
    const { body } = await sim.control("GET /deliveries");
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({
      id: "d1",
      causedBy: "r1",
      webhookId: "1",
      eventType: "message",
      status: "delivered",
      body: { eventType: "message", data: { messageBody: "Hello" } },
      attempts: [{ status: 200, error: null }],
    });
  });

  it("can be filtered", async () => {
    await say("Hello");
    await sim.control("POST /faults", { on: "delivery", then: { drop: "before" } });
    await sim.control("POST /threads/9001/transfer", { businessId: "1002" });
    await settled();
    expect(await idsOf("GET /deliveries?eventType=transfer")).toEqual(["d2"]);
    expect(await idsOf("GET /deliveries?status=dropped")).toEqual(["d2"]);
    expect(await idsOf("GET /deliveries?webhookId=1")).toEqual(["d1", "d2"]);
    expect(await idsOf("GET /deliveries?webhookId=crm")).toEqual(["d1", "d2"]);
    expect(await idsOf("GET /deliveries?threadId=9002")).toEqual([]);
    expect(await idsOf("GET /deliveries?threadId=9001&since=d1")).toEqual(["d2"]);
  });

  it("can be replayed as new deliveries", async () => {
    await say("Hello");
    await settled();
    const replayed = { id: "d2", causedBy: expect.stringMatching(/^c\d+$/) };
    const again = await sim.control("POST /deliveries/d1/replay");
    expect(again).toMatchObject({ status: 202, body: replayed });
    await settled();
    const [first, second] = (await sim.control("GET /deliveries")).body;
    expect(second).toMatchObject({ id: "d2", status: "delivered", body: first.body });
  });

  it("can be replayed with another body, which must be an object", async () => {
    await say("Hello");
    await settled();
    const [first] = (await sim.control("GET /deliveries")).body;
    const body = { ...first.body, eventType: "unknown" };
    const again = await sim.control("POST /deliveries/d1/replay", { body });
    expect(again).toMatchObject({ status: 202, body: { id: "d2", eventType: "message", body } });
    await settled();
    const received = (await sim.control("GET /sinks/demo/received")).body;
    expect(received.map((one: { body: unknown }) => one.body)).toEqual([first.body, body]);
    const refused = await sim.control("POST /deliveries/d1/replay", { body: "text" });
    expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: "body" }] } } });
    expect((await sim.control("GET /deliveries")).body).toHaveLength(2);
  });
});

describe("POST /webhooks/:hookId/ping", () => {
  it("finds a webhook by its id or its hookId", async () => {
    const pinged = { status: 200, body: { ok: true, message: expect.any(String) } };
    for (const name of ["1", "crm"])
      expect(await sim.control(`POST /webhooks/${name}/ping`)).toMatchObject(pinged);
    expect(await idsOf("GET /deliveries")).toEqual([]);
  });
});

describe("warnings", () => {
  it("are listed, filtered and cleared", async () => {
    await sim.api(`POST ${SEND}`, { customerThreadId: 9001, text: "Hi", internal: true, mood: "good" });
    const { body } = await sim.control("GET /warnings");
    expect(body.map(({ code }: { code: string }) => code).sort()).toEqual(["number-id", "unknown-field"]);
    expect(body[0]).toMatchObject({ id: "w1", requestId: "r1", section: expect.any(String) });
    expect(await idsOf("GET /warnings?since=w1")).toEqual(["w2"]);
    expect(await idsOf("GET /warnings?requestId=r2")).toEqual([]);
    expect((await sim.control("DELETE /warnings")).body).toEqual({ cleared: 2 });
    expect(await idsOf("GET /warnings")).toEqual([]);
    const [request] = (await sim.control("GET /requests")).body;
    expect(request.warnings).toHaveLength(2);
  });
});
