import { describe, expect, it } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

/** The tables of the specification, field by field. */
const MESSAGE_DATA = {
  fromCustomer: "boolean",
  invisible: "boolean",
  customerThreadId: "integer",
  businessId: "integer",
  organizationId: "integer",
  customerId: "string",
  customerType: "string",
  messageId: "integer",
  messageBody: "string",
  messageTimestamp: "integer",
  messageAttachmentUUID: "null",
  messageAttachmentContentType: "null",
  messageAttachmentName: "null",
  messageAttachmentContentLength: "null",
  channel: "string",
};
const TRANSFER_DATA = {
  customerThreadId: "string",
  organizationId: "integer",
  previousBusinessId: "integer",
  newBusinessId: "integer",
  newBusinessName: "string",
  employeeUserId: "integer",
  businessParticipationId: "integer",
  customerChannel: "string",
};
const LEGACY = {
  customerId: "string",
  customerThreadId: "integer",
  messageTimestamp: "integer",
  employeeUserId: "integer",
  messageId: "integer",
  messageBody: "string",
  businessId: "integer",
  messageAttachmentName: "null",
  messageAttachmentContentType: "null",
  messageAttachmentUUID: "null",
  messageAttachmentContentLength: "null",
  fromCustomer: "boolean",
  messageExternalId: "null",
  invisible: "boolean",
  customerType: "string",
};

const typeOf = (value: unknown): string =>
  value === null ? "null" : Number.isInteger(value) ? "integer" : typeof value;
const typesOf = (record: object) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, typeOf(value)]));

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
async function received(simulator: Running, sink = "demo"): Promise<any> {
  await simulator.control("POST /wait", { for: "idle" });
  return (await simulator.control(`GET /sinks/${sink}/received`)).body;
}

describe("message event", () => {
  it("has the fields and types of the table, for a customer's message", async () => {
    const simulator = await startSimulator();
    const { body: message } = await simulator.control("POST /threads/9001/inbound", { text: "Is it ready?" });
    const [{ body }] = await received(simulator);
    expect(Object.keys(body)).toEqual(["eventType", "timestamp", "data"]);
    expect(typesOf(body)).toEqual({ eventType: "string", timestamp: "integer", data: "object" });
    expect(typesOf(body.data)).toEqual(MESSAGE_DATA);
    expect(body).toMatchObject({
      eventType: "message",
      data: {
        fromCustomer: true,
        invisible: false,
        customerThreadId: 9001,
        businessId: 1001,
        organizationId: 200,
        customerId: "cust_001",
        customerType: "prospect",
        messageId: Number(message.id),
        messageBody: "Is it ready?",
        channel: "WHATSAPP",
      },
    });
  });

  it("tells of an attachment", async () => {
    const simulator = await startSimulator();
    const attachment = { uuid: "u-1", contentType: "image/png", name: "receipt.png", contentLength: 2048 };
    await simulator.control("POST /threads/9001/inbound", { attachment });
    const [{ body }] = await received(simulator);
    expect(body.data).toMatchObject({
      messageBody: "",
      messageAttachmentUUID: "u-1",
      messageAttachmentContentType: "image/png",
      messageAttachmentName: "receipt.png",
      messageAttachmentContentLength: 2048,
    });
  });

  it("is sent for internal messages too, and carries a template's text", async () => {
    const simulator = await startSimulator();
    await simulator.api("POST /api/send-message-to-customer-thread", {
      customerThreadId: "9001",
      text: "note",
      internal: true,
    });
    const contentSid = "HX00000000000000000000000000000001";
    await simulator.api("POST /api/send-message-to-customer-thread", {
      customerThreadId: "9002",
      contentSid,
    });
    const bodies = (await received(simulator)).map(({ body }: { body: { data: unknown } }) => body.data);
    expect(bodies).toMatchObject([
      { invisible: true, fromCustomer: false, messageBody: "note" },
      { invisible: false, messageBody: "Sorry for the wait. Reply YES if you still need us." },
    ]);
  });
});

describe("transfer event", () => {
  it.each([
    [{ businessId: "1002", employeeUserId: "504" }, 504],
    [{ businessId: "1002" }, 502],
  ])("has the fields and types of the table: %j", async (transfer, employeeUserId) => {
    const simulator = await startSimulator();
    expect((await simulator.control("POST /threads/9001/transfer", transfer)).body.businessId).toBe("1002");
    const [{ body }] = await received(simulator);
    expect(Object.keys(body)).toEqual(["eventType", "timestamp", "data"]);
    expect(typesOf(body.data)).toEqual(TRANSFER_DATA);
    expect(body).toMatchObject({
      eventType: "transfer",
      data: {
        customerThreadId: "9001",
        organizationId: 200,
        previousBusinessId: 1001,
        newBusinessId: 1002,
        newBusinessName: "Acme Lyon",
        employeeUserId,
        customerChannel: "WHATSAPP",
      },
    });
  });
});

describe("legacy payload", () => {
  async function legacy(): Promise<Running> {
    const simulator = await startSimulator();
    await simulator.api("POST /api/update-hook-url", { url: `${simulator.url}/__sim/sinks/old` });
    return simulator;
  }

  it("is flat, with the fields and types of the table", async () => {
    const simulator = await legacy();
    await simulator.api("POST /api/send-message-to-customer-thread", {
      customerThreadId: "9001",
      text: "Hello",
    });
    const [{ body }] = await received(simulator, "old");
    expect(typesOf(body)).toEqual(LEGACY);
    expect(body).toMatchObject({
      customerThreadId: 9001,
      employeeUserId: 501,
      fromCustomer: false,
      customerType: "prospect",
    });
  });

  it("names no employee in a customer's message, and tells nothing of transfers", async () => {
    const simulator = await legacy();
    await simulator.control("POST /threads/9001/transfer", { businessId: "1002" });
    await simulator.control("POST /threads/9001/inbound", { text: "Hi" });
    const bodies = (await received(simulator, "old")).map(({ body }: { body: unknown }) => body);
    expect(bodies).toEqual([expect.objectContaining({ employeeUserId: null, fromCustomer: true })]);
  });
});

describe("who gets an event", () => {
  it("only enabled webhooks of the organization that are subscribed", async () => {
    const simulator = await startSimulator();
    const create = (name: string, more: object, token = "acme-token") =>
      simulator.api(
        "POST /api/webhooks/",
        { url: `${simulator.url}/__sim/sinks/${name}`, subscribedEvents: ["messages"], ...more },
        { token },
      );
    await create("messages", {});
    await create("transfers", { subscribedEvents: ["transfers"] });
    await create("disabled", { enabled: false });
    await create("none", { subscribedEvents: [] });
    await create("foreign", {}, "globex-token");
    await simulator.control("POST /threads/9001/inbound", { text: "Hi" });
    await simulator.control("POST /threads/9001/transfer", { businessId: "1002" });
    const counts: Record<string, number> = {};
    for (const name of ["demo", "messages", "transfers", "disabled", "none", "foreign"])
      counts[name] = (await received(simulator, name)).length;
    expect(counts).toEqual({ demo: 2, messages: 1, transfers: 1, disabled: 0, none: 0, foreign: 0 });
  });

  it("with its extra headers", async () => {
    const simulator = await startSimulator();
    const extraHeaders = [
      { name: "Authorization", value: "Bearer secret" },
      { name: "X-Two", value: "2" },
    ];
    await simulator.api("POST /api/webhooks/crm/update", { extraHeaders });
    await simulator.control("POST /threads/9001/inbound", { text: "Hi" });
    const [call] = await received(simulator);
    expect(call.headers).toMatchObject({
      authorization: "Bearer secret",
      "x-two": "2",
      "content-type": "application/json",
    });
  });
});
