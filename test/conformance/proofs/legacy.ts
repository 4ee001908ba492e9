import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import { LEGACY as ROWS } from "../rows/legacy.js";
import {
  ATTACHMENT,
  attachmentIn,
  HOOKS,
  hooks,
  inbound,
  LEGACY,
  legacyDelivery,
  received,
  records,
  save,
  send,
  transferEvent,
  typed,
} from "../support.js";

const FIELDS =
  "businessId customerId customerThreadId customerType employeeUserId fromCustomer invisible messageAttachmentContentLength messageAttachmentContentType messageAttachmentName messageAttachmentUUID messageBody messageExternalId messageId messageTimestamp";

/** The bodies that a legacy webhook got of what was done. */
async function bodies(s: Caller, act: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>[]> {
  await s.api(LEGACY, { url: "sink:legacy" });
  await act();
  return (await received(s, "legacy")).map(({ body }: { body: object }) => body);
}

export const legacy: Proofs<typeof ROWS> = {
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
    expect(Object.keys(await legacyDelivery(s)).sort()).toEqual(FIELDS.split(" "));
  },
  ...typed(ROWS, "legacyData", legacyDelivery),
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
