/** Whole bodies and headers as receivers get them; test/domain says which event goes to whom. */
import { describe, expect, it } from "vitest";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const AT = Date.parse("2026-01-01T09:00:00Z");
const SEND = "POST /api/send-message-to-customer-thread";
const TEMPLATE = "HX00000000000000000000000000000001";
const TEMPLATE_TEXT = "Sorry for the wait. Reply YES if you still need us.";
const started = () => startSimulator({ clock: AT });

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body
async function received(simulator: Running, sink = "demo"): Promise<any> {
  await simulator.control("POST /wait", { for: "idle" });
  return (await simulator.control(`GET /sinks/${sink}/received`)).body;
}

const NO_ATTACHMENT = {
  messageAttachmentUUID: null,
  messageAttachmentContentType: null,
  messageAttachmentName: null,
  messageAttachmentContentLength: null,
};

describe("a webhook", () => {
  it("gets a customer's message with its attachment", async () => {
    const simulator = await started();
    const attachment = { uuid: "u-1", contentType: "image/png", name: "receipt.png", contentLength: 2048 };
    const { body: message } = await simulator.control("POST /threads/9001/inbound", { attachment });
    const [{ body }] = await received(simulator);
    expect(body).toEqual({
      eventType: "message",
      timestamp: AT,
      data: {
        fromCustomer: true,
        invisible: false,
        customerThreadId: 9001,
        businessId: 1001,
        organizationId: 200,
        customerId: "cust_001",
        customerType: "prospect",
        messageId: Number(message.id),
        messageBody: "",
        messageTimestamp: AT,
        messageAttachmentUUID: "u-1",
        messageAttachmentContentType: "image/png",
        messageAttachmentName: "receipt.png",
        messageAttachmentContentLength: 2048,
        channel: "WHATSAPP",
      },
    });
  });

  it("gets what the client sends: internal messages too, and a template's text", async () => {
    const simulator = await started();
    await simulator.api(SEND, { customerThreadId: "9001", text: "note", internal: true });
    await simulator.api(SEND, { customerThreadId: "9002", contentSid: TEMPLATE });
    const bodies = (await received(simulator)).map(({ body }: { body: { data: unknown } }) => body.data);
    expect(bodies).toMatchObject([
      { invisible: true, fromCustomer: false, messageBody: "note", ...NO_ATTACHMENT },
      { invisible: false, messageBody: TEMPLATE_TEXT },
    ]);
  });

  it.each([
    [{ businessId: "1002", employeeUserId: "504" }, 504],
    [{ businessId: "1002" }, 502],
  ])("gets a transfer: %j", async (transfer, employeeUserId) => {
    const simulator = await started();
    await simulator.control("POST /threads/9001/transfer", transfer);
    const [{ body }] = await received(simulator);
    expect(body).toEqual({
      eventType: "transfer",
      timestamp: AT,
      data: {
        customerThreadId: "9001",
        organizationId: 200,
        previousBusinessId: 1001,
        newBusinessId: 1002,
        newBusinessName: "Acme Lyon",
        employeeUserId,
        businessParticipationId: 1,
        customerChannel: "WHATSAPP",
      },
    });
  });

  it("gets its extra headers", async () => {
    const simulator = await started();
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

describe("a legacy webhook", () => {
  it("gets messages, flat, and no transfers", async () => {
    const simulator = await started();
    await simulator.api("POST /api/update-hook-url", { url: `${simulator.url}/__sim/sinks/old` });
    await simulator.control("POST /threads/9001/transfer", { businessId: "1002" });
    await simulator.control("POST /threads/9001/inbound", { text: "Hi" });
    await simulator.api(SEND, { customerThreadId: "9003", text: "Hello" });
    const bodies = (await received(simulator, "old")).map(({ body }: { body: unknown }) => body);
    const common = { messageTimestamp: AT, messageExternalId: null, invisible: false, ...NO_ATTACHMENT };
    expect(bodies).toEqual([
      {
        ...common,
        customerId: "cust_001",
        customerThreadId: 9001,
        employeeUserId: 0,
        messageId: 555023,
        messageBody: "Hi",
        businessId: 1002,
        fromCustomer: true,
        customerType: "prospect",
      },
      {
        ...common,
        customerId: "cust_003",
        customerThreadId: 9003,
        employeeUserId: 501,
        messageId: 555024,
        messageBody: "Hello",
        businessId: 1001,
        fromCustomer: false,
        customerType: "prospect",
      },
    ]);
  });
});
