import { beforeEach, expect, it } from "vitest";
import { type Running, startSimulator } from "../support/simulator.js";
import { HOOK } from "./support.js";

const AT = Date.parse("2026-01-01T09:00:00Z");
const ATTACHMENT = { uuid: "u-1", contentType: "image/png", name: "shoe.png", contentLength: 512 };

let sim: Running;
beforeEach(async () => {
  sim = await startSimulator({ clock: AT });
});

/** The payloads that the webhook has received. */
async function payloads(): Promise<{ eventType: string; data: Record<string, unknown> }[]> {
  await sim.registry.default.run.outbox.settled();
  const { body } = await sim.control("GET /sinks/demo/received");
  return body.map((call: { body: unknown }) => call.body);
}

it("the customer writes text, an attachment, or both", async () => {
  const written = { text: "Hi", attachment: ATTACHMENT };
  const { status, body } = await sim.control("POST /threads/9001/inbound", written);
  const customers = { fromCustomer: true, invisible: false, contentSid: null, employeeUserId: null };
  const message = { id: "555023", threadId: "9001", timestamp: AT, ...customers, ...written };
  expect([status, body]).toEqual([201, message]);
  expect((await sim.control("GET /data/messages/555023")).body).toEqual(body);
  const only = await sim.control("POST /threads/9001/inbound", { attachment: ATTACHMENT });
  expect(only).toMatchObject({ status: 201, body: { text: "" } });
  const data = { messageId: 555023, messageAttachmentUUID: "u-1", fromCustomer: true };
  expect(await payloads()).toMatchObject([{ eventType: "message", data }, {}]);
});

it("an employee writes text, or an internal note", async () => {
  const says = (thread: string, message: object) =>
    sim.control(`POST /threads/${thread}/employee-message`, { userId: "501", ...message });
  for (const [thread, message, invisible] of [
    ["9001", { text: "See" }, false],
    ["9002", { text: "Note", internal: true }, true],
  ] as const) {
    const body = { employeeUserId: "501", fromCustomer: false, text: message.text, invisible };
    expect(await says(thread, message)).toMatchObject({ status: 201, body });
  }
  expect((await payloads()).map((one) => one.data.messageBody)).toEqual(["See", "Note"]);
});

it("a transfer to a business without an employee is refused", async () => {
  await sim.control("POST /data/businesses", { id: "1009", organizationId: "200", name: "Acme Nantes" });
  const { status, body } = await sim.control("POST /threads/9001/transfer", { businessId: "1009" });
  expect([status, body.error.message]).toEqual([409, expect.stringContaining("1009")]);
  expect(await payloads()).toEqual([]);
});

it("events by hand are emitted as given, missing fields filled in from their thread or the first one", async () => {
  const { body: before } = await sim.control("GET /state");
  const data = { customerThreadId: 9003, messageBody: "By hand", own: true };
  const { status, body } = await sim.control("POST /events", { eventType: "message", data });
  expect([status, body]).toEqual([202, { deliveries: ["d1"] }]);
  for (const _ of [1, 2]) await sim.control("POST /events", { eventType: "transfer", data: { own: true } });
  const filled = expect.objectContaining({ ...data, channel: "SMS", messageId: 555016 });
  const business = { previousBusinessId: 1001, newBusinessId: 1001, newBusinessName: "Acme Paris" };
  const by = { employeeUserId: 501, businessParticipationId: 1 };
  const where = { organizationId: 200, customerThreadId: "9001", customerChannel: "WHATSAPP" };
  const first = { own: true, ...business, ...by, ...where };
  expect(await payloads()).toEqual([
    { eventType: "message", timestamp: AT, data: filled },
    ...Array(2).fill({ eventType: "transfer", timestamp: AT, data: first }),
  ]);
  expect((await sim.control("GET /state")).body).toEqual(before);
});

it("events by hand need a thread, and are about the next message where it has none", async () => {
  const { body: state } = await sim.control("GET /state");
  await sim.control("PUT /state", { ...state, messages: [] });
  await sim.control("POST /events", { eventType: "message", data: {} });
  const next = {
    messageId: 1,
    messageBody: "",
    messageTimestamp: AT,
    fromCustomer: true,
    invisible: false,
  };
  expect(await payloads()).toMatchObject([{ data: { ...next, messageAttachmentUUID: null } }]);
  await sim.control("PUT /state", { ...state, messages: [], threads: [] });
  for (const eventType of ["message", "transfer"])
    expect((await sim.control("POST /events", { eventType, data: {} })).status).toBe(409);
});

it("a message event by hand is from the customer, unless it says otherwise", async () => {
  await sim.control("POST /data/webhooks", { id: "2", ...HOOK, legacy: true });
  await sim.control("POST /threads/9001/employee-message", { userId: "501", text: "Psst", internal: true });
  const data = { customerThreadId: 9001 };
  for (const more of [{}, { fromCustomer: false }])
    await sim.control("POST /events", { eventType: "message", data: { ...data, ...more } });
  const { body } = await sim.control("GET /deliveries?webhookId=2");
  expect(body.slice(-2).map((delivery: { body: object }) => delivery.body)).toMatchObject([
    { fromCustomer: true, invisible: false, employeeUserId: 0 },
    { fromCustomer: false, invisible: true, employeeUserId: 501 },
  ]);
});

it("events by hand go to legacy webhooks only, or to all others, on request", async () => {
  await sim.control("POST /data/webhooks", { id: "2", ...HOOK, legacy: true });
  for (const more of [{ legacy: true }, { legacy: false }, {}])
    await sim.control("POST /events", { eventType: "message", data: {}, ...more });
  const { body } = await sim.control("GET /deliveries");
  const hooks = body.map(({ hookId }: { hookId: string }) => hookId);
  expect(hooks).toEqual(["2", "crm", "crm", "2"]);
});

const transcript = async (thread: string, format = "json") =>
  (await sim.control(`GET /threads/${thread}/transcript?format=${format}`)).body;

it("the transcript shows who wrote what, deleted users too, and the delivery of its event", async () => {
  const { body: sent } = await sim.control("POST /threads/9001/inbound", { text: "Hi" });
  await sim.registry.default.run.outbox.settled();
  const entries = await transcript("9001");
  expect(entries.map(({ kind }: { kind: string }) => kind).join()).toBe(
    "customer,customer,employee,internal,customer,customer",
  );
  const at = "2023-11-14T22:13:20.000Z";
  expect(entries[0]).toMatchObject({ id: "555001", author: "Alan Johnson", at, deliveries: [] });
  expect(entries[2].author).toBe("Ana Martin");
  expect(entries[5]).toEqual({
    ...{ ...sent, author: "Alan Johnson", at: "2026-01-01T09:00:00.000Z", kind: "customer" },
    deliveries: [expect.objectContaining({ id: "d1", hookId: "crm", status: "delivered" })],
  });
  await sim.control("PATCH /data/messages/555006", { employeeUserId: "999" });
  const [, gone, , template] = await transcript("9002");
  expect(gone.author).toContain("999");
  expect(template).toMatchObject({ kind: "template", contentSid: "HX00000000000000000000000000000002" });
});

it("the transcript is available as Markdown", async () => {
  await sim.control("PATCH /behaviour", { "delivery.success": [299] });
  await sim.control("PUT /sinks/demo", { status: 503 });
  const text = "First line\nsecond line";
  await sim.control("POST /threads/9002/inbound", { text, attachment: ATTACHMENT });
  await sim.registry.default.run.outbox.settled();
  const { status, headers, body } = await sim.control("GET /threads/9002/transcript?format=md");
  expect([status, headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(body).toContain("# Maria Lopez and Acme Paris");
  expect(body).toContain("**Chloé Renard** (template HX00000000000000000000000000000002)");
  const end = `
**Maria Lopez**, 2026-01-01T09:00:00.000Z

> First line
> second line
> [shoe.png: image/png, 512 bytes]

- d1 to crm (sink:demo): failed (503)
`;
  expect(body.slice(-end.length)).toBe(end);
});

it("the transcript has its newest messages in a list of all threads", async () => {
  const written = [
    [3, "newest"],
    [1, "oldest"],
    [4, "note"],
    [2, "note, earlier"],
  ] as const;
  const messages = written.map(([timestamp, text], at) => ({
    ...{ id: String(at + 1), threadId: "9001", fromCustomer: true },
    ...{ text, invisible: text.startsWith("note"), timestamp },
  }));
  const other = { id: "9", threadId: "9002", fromCustomer: true, text: "another thread", timestamp: 0 };
  const { body: state } = await sim.control("GET /state");
  await sim.control("PUT /state", { ...state, messages: [...messages, other] });
  const { body } = await sim.control("GET /messages/newest");
  const texts = body.map(({ text }: { text: string }) => text);
  expect(texts).toEqual(["newest", "another thread", "note"]);
});

it("the transcript has only the newest messages of many in Markdown, and all in JSON", async () => {
  const { body: state } = await sim.control("GET /state");
  const messages = Array.from({ length: 20_002 }, (_, at) => ({
    ...{ id: String(at + 1), threadId: "9001", fromCustomer: true },
    ...{ text: `message ${at + 1}`, timestamp: at },
  }));
  await sim.control("PUT /state", { ...state, messages });
  const text = await transcript("9001", "md");
  expect(text).toContain("2 earlier messages left out.\n\n**Alan Johnson**, 1970-01-01T00:00:00.002Z");
  expect(text).toContain("> message 20002\n");
  expect(await transcript("9001")).toHaveLength(20_002);
  expect(await transcript("9002", "md")).toContain("No messages.");
  expect(await transcript("9002")).toEqual([]);
});
