import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import { EVENTS } from "../rows/events.js";
import {
  ATTACHMENT,
  attachmentIn,
  HOOK,
  HOOKS,
  hooks,
  inbound,
  LEGACY,
  legacyDelivery,
  messageEvent,
  received,
  records,
  save,
  send,
  transferEvent,
  typed,
} from "../support.js";

const TOP = ["eventType", "timestamp", "data"];
const MESSAGE_FIELDS =
  "fromCustomer invisible customerThreadId businessId organizationId customerId customerType messageId messageBody messageTimestamp messageAttachmentUUID messageAttachmentContentType messageAttachmentName messageAttachmentContentLength channel";
const TRANSFER_FIELDS =
  "customerThreadId organizationId previousBusinessId newBusinessId newBusinessName employeeUserId businessParticipationId customerChannel";

interface Received {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly eventType: string; readonly data: Readonly<Record<string, unknown>> };
}
const deliveries = (s: Caller, sink?: string): Promise<Received[]> => received(s, sink);
const typesAt = async (s: Caller, sink: string) =>
  (await deliveries(s, sink)).map(({ body }) => body.eventType);
const subscribe = (s: Caller, sink: string, ...subscribedEvents: string[]) =>
  s.api(`POST ${HOOKS}`, { ...HOOK, url: `sink:${sink}`, subscribedEvents });
const messageData = async (s: Caller) => (await messageEvent(s)).data;
const transferData = async (s: Caller) => (await transferEvent(s)).data;
const both = async (s: Caller) => {
  await inbound(s);
  await transferEvent(s);
};

const LEGACY_FIELDS =
  "businessId customerId customerThreadId customerType employeeUserId fromCustomer invisible messageAttachmentContentLength messageAttachmentContentType messageAttachmentName messageAttachmentUUID messageBody messageExternalId messageId messageTimestamp";

/** The bodies that a legacy webhook got of what was done. */
async function bodies(s: Caller, act: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>[]> {
  await s.api(LEGACY, { url: "sink:legacy" });
  await act();
  return (await received(s, "legacy")).map(({ body }: { body: object }) => body);
}

export const events: Proofs<typeof EVENTS> = {
  "events.post": async (s) => {
    await both(s);
    for (const { method, headers, body } of await deliveries(s))
      expect([method, headers["content-type"], typeof body]).toEqual(["POST", "application/json", "object"]);
    expect(await deliveries(s)).toHaveLength(2);
  },
  "events.enabled": async (s) => {
    await subscribe(s, "second", "messages", "transfers");
    const { hookId } = (await subscribe(s, "third", "messages", "transfers")).body;
    await s.api(`POST ${HOOKS}${hookId}/update`, { enabled: false });
    await both(s);
    for (const sink of ["demo", "second"])
      expect([sink, await typesAt(s, sink)]).toEqual([sink, ["message", "transfer"]]);
    expect(await typesAt(s, "third")).toEqual([]);
  },
  "events.headers": async (s) => {
    const extraHeaders = [
      { name: "Authorization", value: "Bearer secret" },
      { name: "X-B", value: "2" },
    ];
    await s.api(`POST ${HOOKS}crm/update`, { extraHeaders });
    await both(s);
    for (const { headers } of await deliveries(s))
      expect(headers).toMatchObject({ authorization: "Bearer secret", "x-b": "2" });
    expect(await deliveries(s)).toHaveLength(2);
  },
  "subscription.messages": "subscription.others",
  "subscription.sent": "messageData.writtenByCustomer",
  "subscription.received": "messageData.writtenByCustomer",
  "subscription.transfers": "subscription.others",
  "subscription.reassigned": "subscription.others",
  "subscription.others": async (s) => {
    await subscribe(s, "messages", "messages");
    await subscribe(s, "transfers", "transfers");
    await both(s);
    expect([await typesAt(s, "messages"), await typesAt(s, "transfers")]).toEqual([
      ["message"],
      ["transfer"],
    ]);
  },
  ...typed(EVENTS, "message", messageEvent),
  "message.topLevel": async (s) => expect(Object.keys(await messageEvent(s))).toEqual(TOP),
  "messageData.fields": async (s) =>
    expect(Object.keys(await messageData(s))).toEqual(MESSAGE_FIELDS.split(" ")),
  ...typed(EVENTS, "messageData", messageData),
  "messageData.writtenByCustomer": async (s) => {
    await inbound(s);
    await send(s, { text: "Hi" });
    expect((await deliveries(s)).map(({ body }) => body.data.fromCustomer)).toEqual([true, false]);
  },
  "messageData.employeeOnly": async (s) => {
    await inbound(s);
    await send(s, { text: "Hi", internal: true });
    await send(s, { text: "Hi", internal: false });
    expect((await deliveries(s)).map(({ body }) => body.data.invisible)).toEqual([false, true, false]);
  },
  "messageData.noAttachment": async (s) => {
    await inbound(s);
    expect(attachmentIn((await received(s))[0].body.data)).toEqual([null, null, null, null]);
  },
  "messageData.attachment": async (s) =>
    expect(attachmentIn(await messageData(s))).toEqual(Object.values(ATTACHMENT)),
  "messageData.values": async (s) => {
    const { customerType, messageId, messageTimestamp, ...data } = await messageData(s);
    const message = (await records(s, "messages")).at(-1);
    expect([String(messageId), messageTimestamp]).toEqual([message.id, message.timestamp]);
    expect(data).toMatchObject({
      customerThreadId: 9001,
      businessId: 1001,
      organizationId: 200,
      customerId: "cust_001",
      messageBody: "Hi",
      channel: "WHATSAPP",
    });
    expect(customerType).toBe("prospect");
  },
  ...typed(EVENTS, "transfer", transferEvent),
  "transfer.topLevel": async (s) => expect(Object.keys(await transferEvent(s))).toEqual(TOP),
  "transferData.fields": async (s) =>
    expect(Object.keys(await transferData(s))).toEqual(TRANSFER_FIELDS.split(" ")),
  ...typed(EVENTS, "transferData", transferData),
  "transferData.values": async (s) => {
    await s.control("POST /threads/9001/transfer", { businessId: "1003", employeeUserId: "504" });
    expect((await deliveries(s))[0]?.body.data).toMatchObject({
      customerThreadId: "9001",
      organizationId: 200,
      previousBusinessId: 1001,
      newBusinessId: 1003,
      newBusinessName: "Acme Marseille",
      employeeUserId: 504,
      customerChannel: "WHATSAPP",
    });
  },
  "gaps.channels": async (s) => {
    await s.control("PATCH /data/threads/9001", { channel: "TELEGRAM" });
    expect((await messageData(s)).channel).toBe("TELEGRAM");
    expect((await transferData(s)).customerChannel).toBe("TELEGRAM");
  },
  "legacyEvents.messages": async (s) => {
    const got = await bodies(s, async () => {
      const { hookId } = (await hooks(s)).at(-1);
      await s.api(`POST ${HOOKS}${hookId}/update`, { subscribedEvents: ["messages", "transfers"] });
      await save(s, { hookId, url: "https://other.example" });
      await s.control(`PATCH /data/webhooks/${hookId}`, { url: "sink:legacy" });
      await transferEvent(s);
      await inbound(s, { text: "the only one" });
    });
    expect(got.map(({ messageBody }) => messageBody)).toEqual(["the only one"]);
    expect(await received(s)).toHaveLength(2);
  },
  "legacyEvents.flat": async (s) => {
    expect(Object.keys(await legacyDelivery(s)).sort()).toEqual(LEGACY_FIELDS.split(" "));
  },
  ...typed(EVENTS, "legacyData", legacyDelivery),
  "legacyEvents.answer": async (s) => {
    const { customerThreadId } = await legacyDelivery(s);
    for (const id of [customerThreadId, String(customerThreadId)]) {
      expect((await send(s, { customerThreadId: id, text: `to ${id}` })).status).toBe(200);
      expect((await records(s, "messages")).at(-1)).toMatchObject({ threadId: "9001", text: `to ${id}` });
    }
  },
  "legacyEvents.sender": async (s) => {
    const [body] = await bodies(s, () => send(s, { text: "Hi" }));
    expect(body?.employeeUserId).toBe(501);
  },
  "legacyEvents.attachments": async (s) => {
    const got = await bodies(s, async () => {
      await inbound(s);
      await inbound(s, { text: "Hi", attachment: ATTACHMENT });
    });
    expect(got.map(attachmentIn)).toEqual([[null, null, null, null], Object.values(ATTACHMENT)]);
  },
  "legacyEvents.fromCustomer": async (s) => {
    const got = await bodies(s, async () => {
      await inbound(s);
      await send(s, { text: "Hi" });
    });
    expect(got.map(({ fromCustomer }) => fromCustomer)).toEqual([true, false]);
  },
  "gaps.attachments": "messageData.attachment",
  "legacyEvents.externalId": async (s) => expect((await legacyDelivery(s)).messageExternalId).toBeNull(),
  "legacyEvents.invisible": async (s) => {
    const got = await bodies(s, async () => {
      await send(s, { text: "Hi", internal: true });
      await send(s, { text: "Hi" });
    });
    expect(got.map(({ invisible }) => invisible)).toEqual([true, false]);
  },
  "legacyEvents.prospect": async (s) => {
    await s.control("PATCH /data/customers/cust_001", { type: "partner" });
    expect((await legacyDelivery(s)).customerType).toBe("prospect");
  },
  "legacyEvents.values": async (s) => {
    const body = await legacyDelivery(s);
    const message = (await records(s, "messages")).at(-1);
    expect(body).toMatchObject({
      customerId: "cust_001",
      customerThreadId: 9001,
      messageTimestamp: message.timestamp,
      messageId: Number(message.id),
      messageBody: "Hi",
      businessId: 1001,
    });
  },
  "legacyEvents.employees": async (s) => {
    const message = { id: "777001", threadId: "9999", fromCustomer: false, text: "Hi", timestamp: 1 };
    expect((await s.control("POST /data/messages", message)).status).toBe(400);
    const got = await bodies(s, () => send(s, { text: "a note", internal: true }));
    const threads = (await records(s, "threads")).map(({ id }: { id: string }) => Number(id));
    expect(got.map(({ customerThreadId }) => threads.includes(customerThreadId as number))).toEqual([true]);
  },
  "legacyEvents.once": async (s) => {
    await s.control("PATCH /behaviour", { "delivery.attempts": 4, "delivery.backoff": ["1s"] });
    await s.control("PUT /clock", { frozen: true });
    for (const name of ["demo", "legacy"]) await s.control(`PUT /sinks/${name}`, { status: 500 });
    const got = await bodies(s, async () => {
      await inbound(s);
      await received(s);
      await s.control("POST /clock/advance", { by: "1h" });
    });
    expect(got).toHaveLength(1);
    expect(await received(s)).toHaveLength(4);
  },
};
