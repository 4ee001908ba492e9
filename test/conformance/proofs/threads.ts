import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import { THREADS } from "../rows/threads.js";
import {
  DETAILS,
  details,
  invalidProperties,
  records,
  refused,
  SEND,
  STATUS,
  send,
  TEMPLATE,
  TEMPLATES,
  typed,
} from "../support.js";

const lastMessage = async (s: Caller) => (await records(s, "messages")).at(-1);

export const threads: Proofs<typeof THREADS> = {
  "send.path": async (s) => {
    expect((await send(s, { text: "Hello" })).status).toBe(200);
    expect(await lastMessage(s)).toMatchObject({ threadId: "9001", text: "Hello", fromCustomer: false });
  },
  "send.text": refused(SEND, "@.text", { customerThreadId: "9001", text: 5 }),
  "send.contentSid": async (s) => {
    await refused(SEND, "@.contentSid", { customerThreadId: "9001", contentSid: 5 })(s);
    await send(s, { contentSid: TEMPLATE });
    expect((await lastMessage(s)).contentSid).toBe(TEMPLATE);
  },
  "send.thread": async (s) => {
    await refused(SEND, "@.customerThreadId", { text: "Hi" })(s);
    await send(s, { customerThreadId: "9003", text: "Hi" });
    expect((await lastMessage(s)).threadId).toBe("9003");
  },
  "send.internal": async (s) => {
    await refused(SEND, "@.internal", { customerThreadId: "9001", text: "Hi", internal: "yes" })(s);
    await send(s, { text: "Hi", internal: true });
    expect((await lastMessage(s)).invisible).toBe(true);
  },
  "send.visible": async (s) => {
    for (const fields of [{ internal: false }, {}]) {
      expect((await send(s, { text: "Hi", ...fields })).status).toBe(200);
      expect((await lastMessage(s)).invisible).toBe(false);
    }
  },
  "send.internalOptional": "send.visible",
  "send.neither": refused(SEND, "@", { customerThreadId: "9001" }),
  "send.both": refused(SEND, "@", { customerThreadId: "9001", text: "Hi", contentSid: TEMPLATE }),
  "send.windowOpen": "window.open",
  "send.windowClosed": "window.closed",
  "send.template": "window.closed",
  "send.noWindow": async (s) => {
    for (const customerThreadId of ["9003", "9004"]) {
      await s.control(`PATCH /data/threads/${customerThreadId}`, { isMessagingWindowOpen: false });
      expect((await send(s, { customerThreadId, text: "Hi" })).status).toBe(200);
    }
  },
  "details.path": async ({ api }) => {
    expect((await api(DETAILS)).body).toEqual({
      customerChannel: "WHATSAPP",
      status: "waiting",
      isMessagingWindowOpen: true,
    });
  },
  "details.query": async ({ api }) => {
    const answer = await api("GET /api/get-customer-thread-details");
    expect(invalidProperties(answer)).toEqual(["@.customerThreadId"]);
    expect((await api(DETAILS.replace("9001", "9004"))).body.customerChannel).toBe("EMAIL");
  },
  ...typed(THREADS, "details", (s) => details(s)),
  "templates.path": async ({ api }) => {
    expect(Object.keys((await api(TEMPLATES)).body)).toEqual(["templates"]);
  },
  "templates.query": async ({ api }) => {
    expect(invalidProperties(await api("GET /api/get-whatsapp-templates"))).toEqual(["@.customerThreadId"]);
    expect((await api(TEMPLATES.replace("9001", "9101"))).status).toBe(404);
  },
  "templates.array": async (s) => {
    const known: Record<string, string>[] = await records(s, "templates");
    expect((await s.api(TEMPLATES)).body.templates).toEqual(
      known.map(({ id, title, text }) => ({ title, text, contentSid: id })),
    );
  },
  "updateStatus.path": "status.anyMove",
  "updateStatus.thread": refused(STATUS, "@.customerThreadId", { status: "replied" }),
  "updateStatus.status": refused(STATUS, "@.status", { customerThreadId: "9001" }),
  "updateStatus.values": async (s) => {
    const moves = (...all: unknown[]) => all.map((status) => ({ customerThreadId: "9001", status }));
    await refused(STATUS, "@.status", ...moves("open", "", "Waiting", 5))(s);
    for (const move of moves("replied", "resolved", "waiting"))
      expect((await s.api(STATUS, move)).status).toBe(200);
  },
  "updateStatus.access": async (s) => {
    const body = { customerThreadId: "9005", status: "resolved" };
    expect((await s.api(STATUS, body)).status).toBe(403);
    expect((await s.api(STATUS, body, { token: "acme-no-delete" })).status).toBe(200);
  },
  "templates.which": async (s) => {
    const count = async (id: string) => (await s.api(TEMPLATES.replace("9001", id))).body.templates.length;
    expect([await count("9001"), await count("9003"), await count("9004")]).toEqual([3, 0, 0]);
  },
};
