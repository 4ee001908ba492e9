import { beforeEach, expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import type { ControlRoute } from "../../src/control/route.js";
import { ROUTES } from "../../src/control/routes/index.js";
import { type Running, startSimulator } from "../support/simulator.js";
import { idsOf } from "./support.js";

const DETAILS = "/api/get-customer-thread-details";
const SEND = "/api/send-message-to-customer-thread";
const STATUS = "POST /api/update-thread-status";
const START = Date.parse("2026-01-01T09:00:00Z");

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator({ clock: START });
});

const listed = async (path: string) => idsOf(await sim.control(`GET /${path}`));
const read = (token = "acme-token") => sim.api(`GET ${DETAILS}?customerThreadId=9001`, undefined, { token });
const say = (text: string) => sim.api(`POST ${SEND}`, { customerThreadId: "9001", text, internal: true });
const deliveries = async () => {
  expect((await sim.control("POST /wait", { for: "idle" })).status).toBe(200);
  return (await sim.control("GET /deliveries")).body;
};

it("GET /requests shows calls and their answers", async () => {
  await read();
  await sim.api("POST /api/nowhere", { a: [1] }, { token: null });
  const operation = "getCustomerThreadDetails";
  const call = { by: "client", method: "GET", path: DETAILS, query: { customerThreadId: "9001" }, operation };
  const timed = { at: expect.any(Number), durationMs: expect.any(Number) };
  const answer = { status: 200, response: { customerChannel: "WHATSAPP" }, warnings: [] };
  const token = "acme-token";
  expect((await sim.control("GET /requests")).body).toMatchObject([
    { id: "r1", ...call, headers: { token }, token, body: null, ...answer, ...timed },
    { id: "r2", operation: null, token: null, status: 404, body: { a: [1] } },
  ]);
});

it("GET /requests filters", async () => {
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

it("GET /requests lists the first entries after `since`, otherwise the newest, and ids continue when they are cleared", async () => {
  for (const text of ["1", "2", "3", "4"]) await say(text);
  expect(await listed("requests?limit=2")).toEqual(["r3", "r4"]);
  expect(await listed("requests?since=r1&limit=2")).toEqual(["r2", "r3"]);
  expect(await listed("requests?since=r4")).toEqual([]);
  expect(await listed("requests?limit=9")).toEqual(["r1", "r2", "r3", "r4"]);
  expect((await sim.control("DELETE /requests")).body).toEqual({ cleared: 4 });
  await say("5");
  expect(await listed("requests?since=r1")).toEqual(["r5"]);
});

it("GET /requests belongs to one sandbox, and accepts both names of a token", async () => {
  await sim.control("POST /sandboxes", { id: "s1" });
  await read("s1.acme-token");
  expect(await listed("requests")).toEqual([]);
  for (const token of ["s1.acme-token", "acme-token"])
    expect(await listed(`sandboxes/s1/requests?token=${token}`)).toEqual(["r1"]);
});

it("deliveries can be filtered", async () => {
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

it("deliveries can be replayed as new ones, with the same body", async () => {
  await say("Hello");
  const [first] = await deliveries();
  const causedBy = expect.stringMatching(/^c\d+$/);
  const replayed = { status: 202, body: { id: "d2", causedBy } };
  expect(await sim.control("POST /deliveries/d1/replay")).toMatchObject(replayed);
  const again = { status: "delivered", body: first.body };
  expect(await deliveries()).toMatchObject([again, again]);
  const { body: received } = await sim.control("GET /sinks/demo/received");
  expect(received).toMatchObject([{ body: first.body }, { body: first.body }]);
  await sim.control("DELETE /data/webhooks/1");
  expect((await sim.control("POST /deliveries/d1/replay")).status).toBe(404);
});

it("POST /webhooks/:hookId/ping finds a webhook by its id or its hookId", async () => {
  const pinged = { status: 200, body: { ok: true, message: expect.any(String) } };
  for (const name of ["1", "crm"])
    expect(await sim.control(`POST /webhooks/${name}/ping`)).toMatchObject(pinged);
  expect(await deliveries()).toEqual([]);
});

it("warnings are listed and cleared", async () => {
  await sim.api(`POST ${SEND}`, { customerThreadId: 9001, text: "Hi", internal: true, mood: "good" });
  const { body } = await sim.control("GET /warnings");
  expect(body.map(({ code }: { code: string }) => code).sort()).toEqual(["number-id", "unknown-field"]);
  expect(body[0]).toMatchObject({ id: "w1", requestId: "r1", section: expect.any(String) });
  expect(await listed("warnings?since=w1")).toEqual(["w2"]);
  expect((await sim.control("DELETE /warnings")).body).toEqual({ cleared: 2 });
  expect(await listed("warnings")).toEqual([]);
  expect((await sim.control("GET /requests")).body[0].warnings).toHaveLength(2);
});

it("GET /controls lists the calls that changed something, in order, each with the preceding API call and its maker", async () => {
  const inbound = "POST /threads/9001/inbound";
  await sim.control(inbound, { text: "Hello" }, { "X-Sim-By": "page" });
  await sim.api("GET /api/webhooks");
  await sim.control(inbound, {});
  await sim.control("POST /threads/none/inbound", { text: "Hello" });
  for (const call of ["POST /wait", "POST /verify"]) await sim.control(call, { for: "idle", requests: {} });
  await sim.control("POST /webhooks/crm/ping");
  await sim.control("GET /state");
  await sim.control("POST /clock/advance", { by: "1h" }, { "X-Sim-By": "somebody" });
  await sim.control("DELETE /data/messages/555001");
  await sim.control("PATCH /sandboxes/default/behaviour", { "delivery.attempts": 2 });
  const scenario = { name: "Says hello", thread: "9001", steps: [{ customer: "Hello" }] };
  expect((await sim.control("POST /scenarios/run", { scenario })).status).toBe(200);
  const { body } = await sim.control("GET /controls");
  const now = START + 3_600_000;
  const said = { method: "POST", path: "/threads/9001/inbound", body: { text: "Hello" } };
  const answer = { status: 201, response: { threadId: "9001", text: "Hello" }, after: null };
  expect(body).toMatchObject([
    { id: "c1", at: START, by: "page", ...said, ...answer },
    { id: "c2", path: "/clock/advance", body: { by: "1h" }, response: { now }, after: "r1" },
    { id: "c3", at: now, method: "DELETE", path: "/data/messages/555001", body: null },
    { id: "c4", method: "PATCH", path: "/behaviour", body: { "delivery.attempts": 2 }, response: null },
    { id: "c5", by: "scenario" },
  ]);
  expect(body.filter((call: object) => !("by" in call))).toHaveLength(3);
  expect((await sim.control("GET /deliveries")).body[0]).toMatchObject({ causedBy: "c1" });
  expect(await listed("controls?since=c2&limit=1")).toEqual(["c3"]);
});

it("GET /controls is bounded, belongs to one sandbox, and is cleared by a reset", async () => {
  sim = await startSimulator({ journalLimit: 3 });
  await sim.control("POST /sandboxes", { id: "s1" });
  for (let at = 0; at < 5; at += 1) await sim.control("POST /sandboxes/s1/snapshots", { name: `s${at}` });
  expect(await listed("sandboxes/s1/controls")).toEqual(["c3", "c4", "c5"]);
  expect(await listed("controls")).toEqual([]);
  await sim.control("POST /sandboxes/s1/reset");
  expect(await listed("sandboxes/s1/controls")).toEqual([]);
  await sim.control("DELETE /sandboxes/s1/faults");
  expect(await listed("sandboxes/s1/controls")).toEqual(["c1"]);
});

it("GET /controls omits bodies over 1 MiB", async () => {
  const { body: state } = await sim.control("GET /state");
  await sim.control("PUT /state", state);
  await sim.control("PUT /state", JSON.stringify(state) + " ".repeat(1024 * 1024));
  const { body } = await sim.control("GET /controls");
  expect(body).toMatchObject([{ body: { organizations: state.organizations } }, { body: null }]);
});

it("GET /controls has every write to a sandbox, except those that change nothing or are recorded in parts", () => {
  const recorded = (how: ControlRoute["recorded"]) =>
    ROUTES.filter((route) => route.recorded === how).map(({ id }) => id);
  expect(recorded(false).sort()).toEqual(["pingWebhook", "reset", "runScenario", "sink", "verify", "wait"]);
  expect(recorded("call").sort()).toEqual(["patchBehaviour", "putState"]);
});

it("GET /changes lists when and why a thread's status, business or window changed, including changes over time", async () => {
  await sim.control("PATCH /behaviour", { "window.duration": "24h" });
  await sim.control("POST /threads/9002/inbound", { text: "Hello" });
  await sim.api(STATUS, { customerThreadId: "9002", status: "resolved" });
  await sim.control("POST /clock/advance", { by: "25h" });
  await sim.control("POST /threads/9002/transfer", { businessId: "1002" });
  const change = (id: string, at: number, causes: (string | null)[], from: object, to: object) => {
    const [causedBy, afterRequest, afterControl] = causes;
    return { threadId: "9002", id, at, causedBy, afterRequest, afterControl, from, to };
  };
  const open = { isMessagingWindowOpen: true };
  const closed = { isMessagingWindowOpen: false };
  expect((await sim.control("GET /changes")).body).toEqual([
    change("s1", START, ["c2", null, "c1"], closed, open),
    change("s2", START, ["r1", "r1", "c2"], { status: "replied" }, { status: "resolved" }),
    change("s3", START + 24 * 3_600_000, [null, "r1", "c2"], open, closed),
    expect.objectContaining({
      id: "s4",
      causedBy: "c4",
      from: expect.objectContaining({ businessId: "1001" }),
      to: expect.objectContaining({ businessId: "1002" }),
    }),
  ]);
  expect(await listed("changes?since=s2&limit=1")).toEqual(["s3"]);
  await sim.control("POST /reset");
  expect(await listed("changes")).toEqual([]);
});

it("GET /changes omits other changes, and windows on channels without one", async () => {
  await sim.control("PATCH /data/threads/9003", { isMessagingWindowOpen: false });
  await sim.control("PATCH /data/threads/9001", { windowClosesAt: null });
  expect((await sim.api(STATUS, { customerThreadId: "9001", status: "x" })).status).toBe(400);
  expect(await listed("changes")).toEqual([]);
});

it("GET /changes keeps as many changes as the journal has entries, and streams each as it is listed", async () => {
  sim = await startSimulator({ journalLimit: 3 });
  const streamed: unknown[] = [];
  const statuses = ["resolved", "waiting", "replied", "resolved", "waiting"];
  for await (const { event, data } of new SimClient(sim.url).stream()) {
    if (event === "hello")
      for (const status of statuses) await sim.api(STATUS, { customerThreadId: "9003", status });
    else if (event === "change" && streamed.push(data) === statuses.length) break;
  }
  expect(await listed("changes")).toEqual(["s3", "s4", "s5"]);
  expect(streamed.slice(-3)).toEqual((await sim.control("GET /changes")).body);
});
