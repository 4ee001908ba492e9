import { expect } from "vitest";
import type { Proofs } from "../row.js";
import type { SERVICE } from "../rows/service.js";
import {
  begin,
  DELETE_USER,
  DETAILS,
  details,
  graphql,
  HOOKS,
  inbound,
  PROFILE,
  received,
  records,
  STATUS,
  send,
  TEMPLATES,
  UPDATE_PROFILE,
} from "../support.js";

export const service: Proofs<typeof SERVICE> = {
  "base.rest": async ({ api }) => {
    expect((await api(`GET ${HOOKS}`)).status).toBe(200);
    expect((await api("GET /v1/api/webhooks/")).status).toBe(404);
  },
  "base.graphql": async (s) => {
    expect((await graphql(s, "get-hook-query")).body.data.hook).toHaveLength(1);
  },
  "service.visible": async (s) => {
    await send(s, { text: "For the customer" });
    expect((await records(s, "messages")).at(-1)).toMatchObject({
      threadId: "9001",
      text: "For the customer",
      invisible: false,
    });
  },
  "service.internal": async (s) => {
    await send(s, { text: "For colleagues", internal: true });
    expect((await records(s, "messages")).at(-1)).toMatchObject({ text: "For colleagues", invisible: true });
  },
  "service.widget": async (s) => {
    const { customerThreadId } = (await begin(s, { sms: "+15550100" })).body;
    expect((await records(s, "messages")).at(-1)).toMatchObject({
      threadId: customerThreadId,
      text: "Hi",
      fromCustomer: true,
    });
  },
  "service.window": async (s) => {
    expect([await details(s, "9001"), await details(s, "9002")]).toMatchObject([
      { customerChannel: "WHATSAPP", isMessagingWindowOpen: true },
      { customerChannel: "WHATSAPP", isMessagingWindowOpen: false },
    ]);
  },
  "service.templates": async ({ api }) => {
    expect((await api(TEMPLATES)).body.templates).toHaveLength(3);
  },
  "service.status": async (s) => {
    await s.api(STATUS, { customerThreadId: "9001", status: "resolved" });
    expect((await details(s)).status).toBe("resolved");
  },
  "service.profile": async ({ api }) => {
    expect((await api(PROFILE)).body.displayName).toBe("Alan Johnson");
  },
  "service.profileUpdate": async ({ api }) => {
    const before = (await api(PROFILE)).body;
    await api(UPDATE_PROFILE, { company: "Initrode" });
    expect((await api(PROFILE)).body).toEqual({ ...before, company: "Initrode" });
  },
  "service.userDeletion": async (s) => {
    await s.api(DELETE_USER, { email: "chloe@acme.example" });
    expect((await records(s, "users")).map(({ id }: { id: string }) => id)).not.toContain("503");
  },
  "service.webhooks": async (s) => {
    await s.api(`POST ${HOOKS}`, { url: "sink:new", subscribedEvents: ["messages", "transfers"] });
    await inbound(s);
    await s.control("POST /threads/9001/transfer", { businessId: "1002" });
    const types = (await received(s, "new")).map(
      ({ body }: { body: { eventType: string } }) => body.eventType,
    );
    expect(types).toEqual(["message", "transfer"]);
  },
  "service.twoParts": async (s) => {
    await send(s, { text: "a" });
    await send(s, { text: "b", internal: true });
    const parts = (await received(s)).map(
      ({ body }: { body: { data: { invisible: boolean } } }) => body.data,
    );
    expect(parts).toMatchObject([{ invisible: false }, { invisible: true }]);
  },
  "service.token": async ({ api }) => {
    const statuses = [null, "no-such-token", "acme-token", "globex-token"].map(
      async (token) => (await api(DETAILS, undefined, { token })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 200, 404]);
  },
};
