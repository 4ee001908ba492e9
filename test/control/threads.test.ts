import { describe, expect, it } from "vitest";
import { SimClient } from "../../src/client/index.js";
import { startSimulator } from "../support/simulator.js";

const AT = Date.parse("2026-01-01T09:00:00Z");
const ATTACHMENT = { uuid: "u-1", contentType: "image/png", name: "shoe.png", contentLength: 512 };
const TEMPLATE = "HX00000000000000000000000000000001";

/** A simulator with a frozen clock, and the payloads that its webhook received. */
async function started(set = {}) {
  const simulator = await startSimulator({ clock: AT, set });
  const payloads = async (): Promise<{ eventType: string; data: Record<string, unknown> }[]> => {
    await simulator.registry.default.run.outbox.settled();
    const { body } = await simulator.control("GET /sinks/demo/received");
    return body.map((call: { body: unknown }) => call.body);
  };
  return { ...simulator, payloads };
}

describe("inbound", () => {
  it("lets the customer write", async () => {
    const { control, payloads } = await started();
    const written = { text: "Hi", attachment: ATTACHMENT };
    const { status, body } = await control("POST /threads/9001/inbound", written);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: "555023",
      threadId: "9001",
      fromCustomer: true,
      invisible: false,
      text: "Hi",
      contentSid: null,
      employeeUserId: null,
      timestamp: AT,
      attachment: ATTACHMENT,
    });
    expect((await control("GET /data/messages/555023")).body).toEqual(body);
    expect(await payloads()).toMatchObject([
      { eventType: "message", data: { messageId: 555023, messageAttachmentUUID: "u-1", fromCustomer: true } },
    ]);
  });

  it("takes an attachment without text", async () => {
    const { control } = await started();
    const answer = await control("POST /threads/9001/inbound", { attachment: ATTACHMENT });
    expect(answer).toMatchObject({ status: 201, body: { text: "" } });
  });
});

describe("employee messages", () => {
  it("can be sent, internal ones even while the window is closed", async () => {
    const { control, payloads } = await started();
    const visible = await control("POST /threads/9001/employee-message", { userId: "503", text: "Hello" });
    expect(visible).toMatchObject({ status: 201, body: { employeeUserId: "503", invisible: false } });
    const note = { userId: "501", text: "Note", internal: true };
    expect((await control("POST /threads/9002/employee-message", note)).body.invisible).toBe(true);
    expect((await payloads()).map(({ data }) => data.invisible)).toEqual([false, true]);
  });

  it("may have an attachment, or be a template while the window is closed", async () => {
    const { url, control, payloads } = await started();
    const client = new SimClient({ url });
    const file = await control("POST /threads/9001/employee-message", {
      userId: "501",
      attachment: ATTACHMENT,
    });
    expect(file.body).toMatchObject({ text: "", attachment: ATTACHMENT, employeeUserId: "501" });
    const sent = await client.employeeSendsTemplate("9002", "501", TEMPLATE);
    const { text } = (await control(`GET /data/templates/${TEMPLATE}`)).body;
    expect(sent).toMatchObject({ contentSid: TEMPLATE, text, fromCustomer: false, invisible: false });
    const said = await client.employeeSays("9001", "501", { text: "See", attachment: ATTACHMENT });
    expect(said).toMatchObject({ text: "See", attachment: ATTACHMENT });
    expect((await payloads()).map(({ data }) => [data.messageBody, data.messageAttachmentUUID])).toEqual([
      ["", "u-1"],
      [text, null],
      ["See", "u-1"],
    ]);
  });
});

describe("the messaging window", () => {
  it("can be opened and closed", async () => {
    const { control } = await started({ "window.duration": "1h" });
    const opened = await control("POST /threads/9002/window", { open: true });
    const thread = { id: "9002", isMessagingWindowOpen: true, windowClosesAt: AT + 3_600_000 };
    expect(opened).toMatchObject({ status: 200, body: thread });
    const closed = await control("POST /threads/9002/window", { open: false });
    expect(closed.body.isMessagingWindowOpen).toBe(false);
  });
});

describe("events by hand", () => {
  it("are emitted as given, missing fields filled in from their thread", async () => {
    const { control, payloads } = await started();
    const { body: before } = await control("GET /state");
    const data = { customerThreadId: 9003, messageBody: "By hand", own: true };
    const { status, body } = await control("POST /events", { eventType: "message", data });
    expect([status, body]).toEqual([202, { deliveries: ["d1"] }]);
    expect(await payloads()).toEqual([
      {
        eventType: "message",
        timestamp: AT,
        data: expect.objectContaining({ ...data, channel: "SMS", messageId: 555016 }),
      },
    ]);
    expect((await control("GET /state")).body).toEqual(before);
  });

  it("default to the first thread", async () => {
    const { control, payloads } = await started();
    const data = { newBusinessName: "Elsewhere" };
    await control("POST /events", { eventType: "transfer", data });
    expect(await payloads()).toMatchObject([{ data: { ...data, customerThreadId: "9001" } }]);
  });

  it("go to legacy webhooks only, or to all others, on request", async () => {
    const { control } = await started();
    const hook = { id: "2", organizationId: "200", url: "sink:old", subscribedEvents: ["messages"] };
    await control("POST /data/webhooks", { ...hook, legacy: true });
    const emit = async (more: object) => {
      await control("POST /events", { eventType: "message", data: {}, ...more });
      const { body } = await control("GET /deliveries");
      return body.map((delivery: { hookId: string }) => delivery.hookId);
    };
    expect(await emit({ legacy: true })).toEqual(["2"]);
    expect(await emit({ legacy: false })).toEqual(["2", "crm"]);
    expect(await emit({})).toEqual(["2", "crm", "crm", "2"]);
  });
});

describe("the transcript", () => {
  it("shows who wrote what, and the delivery of its event", async () => {
    const { control, registry } = await started();
    const { body: sent } = await control("POST /threads/9001/inbound", { text: "Hi" });
    await registry.default.run.outbox.settled();
    const { status, body } = await control("GET /threads/9001/transcript");
    expect(status).toBe(200);
    expect(body.map(({ kind }: { kind: string }) => kind).join()).toBe(
      "customer,customer,employee,internal,customer,customer",
    );
    expect(body[0]).toMatchObject({
      id: "555001",
      author: "Alan Johnson",
      at: "2023-11-14T22:13:20.000Z",
      deliveries: [],
    });
    expect(body[2].author).toBe("Ana Martin");
    expect(body[5]).toEqual({
      ...sent,
      author: "Alan Johnson",
      at: "2026-01-01T09:00:00.000Z",
      kind: "customer",
      deliveries: [expect.objectContaining({ id: "d1", hookId: "crm", status: "delivered" })],
    });
  });

  it("shows templates, and deleted users", async () => {
    const { control } = await started();
    await control("PATCH /data/messages/555006", { employeeUserId: "999" });
    const { body } = await control("GET /threads/9002/transcript?format=json");
    expect(body.at(-1)).toMatchObject({ kind: "template", contentSid: "HX00000000000000000000000000000002" });
    expect(body[1].author).toContain("999");
  });

  it("is available as Markdown", async () => {
    const { control, registry } = await started({ "delivery.success": [299] });
    await control("PUT /sinks/demo", { status: 503 });
    await control("POST /threads/9002/inbound", { text: "First line\nsecond line", attachment: ATTACHMENT });
    await registry.default.run.outbox.settled();
    const { status, headers, body } = await control("GET /threads/9002/transcript?format=md");
    expect([status, headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(body).toContain("# Maria Lopez and Acme Paris");
    expect(body).toContain("**Chloé Renard** (template HX00000000000000000000000000000002)");
    expect(
      body.endsWith(
        [
          "**Maria Lopez**, 2026-01-01T09:00:00.000Z",
          "",
          "> First line",
          "> second line",
          "> [shoe.png: image/png, 512 bytes]",
          "",
          "- d1 to crm (sink:demo): failed (503)",
          "",
        ].join("\n"),
      ),
    ).toBe(true);
  });

  it("has its newest messages in a list of all threads", async () => {
    const { control, api } = await started();
    const note = { customerThreadId: "9001", text: "Note", internal: true };
    await api("POST /api/send-message-to-customer-thread", note);
    const { body: all } = await control("GET /messages/newest");
    const { body: messages } = await control("GET /data/messages");
    const own = all.filter(({ threadId }: { threadId: string }) => threadId === "9001");
    expect(own.map(({ invisible }: { invisible: boolean }) => invisible)).toEqual([false, true]);
    expect(own[1].text).toBe("Note");
    const threads = new Set(messages.map(({ threadId }: { threadId: string }) => threadId));
    expect(all).toHaveLength(threads.size + 1);
  });

  it("has only the newest messages of many in Markdown, and all in JSON", async () => {
    const { control } = await started();
    const { body: state } = await control("GET /state");
    const messages = Array.from({ length: 20_002 }, (_, at) => ({
      ...{ id: String(at + 1), threadId: "9001", fromCustomer: true },
      ...{ text: `message ${at + 1}`, timestamp: at },
    }));
    await control("PUT /state", { ...state, messages });
    const { body: text } = await control("GET /threads/9001/transcript?format=md");
    expect(text).toContain("2 earlier messages left out.\n\n**Alan Johnson**, 1970-01-01T00:00:00.002Z");
    expect(text).toContain("> message 20002\n");
    expect((await control("GET /threads/9001/transcript")).body).toHaveLength(20_002);
  });

  it("of an empty thread says so", async () => {
    const { control } = await started();
    const [{ id: _, ...thread }] = (await control("GET /data/threads")).body;
    const { body: made } = await control("POST /data/threads", thread);
    expect((await control(`GET /threads/${made.id}/transcript`)).body).toEqual([]);
    expect((await control(`GET /threads/${made.id}/transcript?format=md`)).body).toContain("No messages.");
  });
});
