import { beforeEach, describe, expect, it } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";
import { idsOf } from "./support.js";

const DETAILS = "/api/get-customer-thread-details";
const SEND = "/api/send-message-to-customer-thread";

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator();
});

const listed = async (path: string) => idsOf(await sim.control(`GET /${path}`));
const read = (token = "acme-token") => sim.api(`GET ${DETAILS}?customerThreadId=9001`, undefined, { token });
const say = (text: string) => sim.api(`POST ${SEND}`, { customerThreadId: "9001", text, internal: true });
const deliveries = async () => {
  expect((await sim.control("POST /wait", { for: "idle" })).status).toBe(200);
  return (await sim.control("GET /deliveries")).body;
};

describe("GET /requests", () => {
  it("shows calls and their answers", async () => {
    await read();
    await sim.api("POST /api/nowhere", { a: [1] }, { token: null });
    const operation = "getCustomerThreadDetails";
    const call = {
      by: "client",
      method: "GET",
      path: DETAILS,
      query: { customerThreadId: "9001" },
      operation,
    };
    const timed = { at: expect.any(Number), durationMs: expect.any(Number) };
    const answer = { status: 200, response: { customerChannel: "WHATSAPP" }, warnings: [] };
    const token = "acme-token";
    expect((await sim.control("GET /requests")).body).toMatchObject([
      { id: "r1", ...call, headers: { token }, token, body: null, ...answer, ...timed },
      { id: "r2", operation: null, token: null, status: 404, body: { a: [1] } },
    ]);
  });

  it("filters", async () => {
    await read();
    await say("one");
    await sim.api("GET /api/customers/cust_001/profile", undefined, { headers: { "x-sim-by": "scenario" } });
    await sim.api("GET /api/customers/cust_nobody/profile");
    expect(await listed("requests?method=post")).toEqual(["r2"]);
    expect(await listed("requests?path=/api/customers/*/profile")).toEqual(["r3", "r4"]);
    expect(await listed("requests?path=/api/customers/:id/profile&status=404")).toEqual(["r4"]);
    expect(await listed("requests?operation=getCustomerThreadDetails")).toEqual(["r1"]);
    expect(await listed("requests?by=scenario")).toEqual(["r3"]);
    expect(await listed("requests?token=acme-token&method=GET&by=client")).toEqual(["r1", "r4"]);
    expect(await listed("requests?token=other")).toEqual([]);
  });

  it("lists the first entries after `since`, otherwise the newest, and ids continue when they are cleared", async () => {
    for (const text of ["1", "2", "3", "4"]) await say(text);
    expect(await listed("requests?limit=2")).toEqual(["r3", "r4"]);
    expect(await listed("requests?since=r1&limit=2")).toEqual(["r2", "r3"]);
    expect(await listed("requests?since=r4")).toEqual([]);
    expect(await listed("requests?limit=9")).toEqual(["r1", "r2", "r3", "r4"]);
    expect((await sim.control("DELETE /requests")).body).toEqual({ cleared: 4 });
    await say("5");
    expect(await listed("requests?since=r1")).toEqual(["r5"]);
  });

  it("belongs to one sandbox, and accepts both names of a token", async () => {
    await sim.control("POST /sandboxes", { id: "s1" });
    await read("s1.acme-token");
    expect(await listed("requests")).toEqual([]);
    for (const token of ["s1.acme-token", "acme-token"])
      expect(await listed(`sandboxes/s1/requests?token=${token}`)).toEqual(["r1"]);
  });
});

describe("deliveries", () => {
  it("can be filtered", async () => {
    await say("Hello");
    await sim.control("POST /faults", { on: "delivery", then: { drop: "before" } });
    await sim.control("POST /threads/9001/transfer", { businessId: "1002" });
    await deliveries();
    expect(await listed("deliveries?eventType=transfer")).toEqual(["d2"]);
    expect(await listed("deliveries?status=dropped")).toEqual(["d2"]);
    for (const id of ["1", "crm"]) expect(await listed(`deliveries?webhookId=${id}`)).toEqual(["d1", "d2"]);
    expect(await listed("deliveries?threadId=9002")).toEqual([]);
    expect(await listed("deliveries?threadId=9001&since=d1")).toEqual(["d2"]);
  });

  it("can be replayed as new ones, with another body too, which must be an object", async () => {
    await say("Hello");
    const [first] = await deliveries();
    const replay = (body?: object) => sim.control("POST /deliveries/d1/replay", body);
    const own = { ...first.body, eventType: "unknown" };
    const causedBy = expect.stringMatching(/^c\d+$/);
    expect(await replay()).toMatchObject({ status: 202, body: { id: "d2", causedBy } });
    const other = { id: "d3", eventType: "message", body: own };
    expect(await replay({ body: own })).toMatchObject({ status: 202, body: other });
    const details = [{ path: "body" }];
    expect(await replay({ body: "text" })).toMatchObject({ status: 400, body: { error: { details } } });
    const again = { status: "delivered", body: first.body };
    expect(await deliveries()).toMatchObject([again, again, { status: "delivered", body: own }]);
    const { body: received } = await sim.control("GET /sinks/demo/received");
    expect(received).toMatchObject([{ body: first.body }, { body: first.body }, { body: own }]);
  });
});

it("POST /webhooks/:hookId/ping finds a webhook by its id or its hookId", async () => {
  const pinged = { status: 200, body: { ok: true, message: expect.any(String) } };
  for (const name of ["1", "crm"])
    expect(await sim.control(`POST /webhooks/${name}/ping`)).toMatchObject(pinged);
  expect(await deliveries()).toEqual([]);
});

it("warnings are listed, filtered and cleared", async () => {
  await sim.api(`POST ${SEND}`, { customerThreadId: 9001, text: "Hi", internal: true, mood: "good" });
  const { body } = await sim.control("GET /warnings");
  expect(body.map(({ code }: { code: string }) => code).sort()).toEqual(["number-id", "unknown-field"]);
  expect(body[0]).toMatchObject({ id: "w1", requestId: "r1", section: expect.any(String) });
  expect(await listed("warnings?since=w1")).toEqual(["w2"]);
  expect(await listed("warnings?requestId=r2")).toEqual([]);
  expect((await sim.control("DELETE /warnings")).body).toEqual({ cleared: 2 });
  expect(await listed("warnings")).toEqual([]);
  expect((await sim.control("GET /requests")).body[0].warnings).toHaveLength(2);
});
