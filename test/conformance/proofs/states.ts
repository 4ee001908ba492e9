import { expect } from "vitest";
import type { Proofs } from "../row.js";
import type { STATES } from "../rows/states.js";
import {
  begin,
  create,
  DETAILS,
  details,
  graphql,
  HOOKS,
  hook,
  hooks,
  inbound,
  received,
  records,
  STATUS,
  save,
  send,
  TEMPLATE,
} from "../support.js";

export const states: Proofs<typeof STATES> = {
  "status.waiting": "status.anyMove",
  "status.replied": "status.anyMove",
  "status.resolved": "status.anyMove",
  "status.others": "updateStatus.values",
  "status.anyMove": async (s) => {
    for (const status of ["replied", "waiting", "resolved", "replied", "resolved", "waiting", "waiting"]) {
      expect((await s.api(STATUS, { customerThreadId: "9001", status })).status).toBe(200);
      expect((await details(s)).status).toBe(status);
    }
  },
  "status.access": "updateStatus.access",
  "status.noOtherEffect": async (s) => {
    const before = (await s.control("GET /state")).body;
    await s.api(STATUS, { customerThreadId: "9001", status: "resolved" });
    const [first, ...others] = before.threads;
    expect((await s.control("GET /state")).body).toEqual({
      ...before,
      threads: [{ ...first, status: "resolved" }, ...others],
    });
    expect(await received(s)).toEqual([]);
  },
  "enabled.created": async (s) => {
    const { hookId } = await create(s);
    expect((await hook(s, hookId)).enabled).toBe(true);
  },
  "enabled.saved": "graphql.saveEnabled",
  "enabled.createdDisabled": "webhooks.createEnabled",
  "enabled.savedDisabled": "graphql.saveEnabled",
  "enabled.updated": "webhooks.updateSupplied",
  "enabled.savedAgain": "graphql.saveUrlOptional",
  "enabled.omitted": "webhooks.updateSupplied",
  "enabled.savedOmitted": "graphql.saveUpdates",
  "enabled.deleted": "webhooks.delete",
  "enabled.deletedByGraphql": async (s) => {
    await save(s, { enabled: false });
    await graphql(s, "delete-hook-mutation", { hookId: ["crm", "g", "crm"] });
    expect(await hooks(s)).toEqual([]);
  },
  "enabled.silent": "webhook.enabled",
  "enabled.pending": async (s) => {
    await s.control("PATCH /behaviour", { "delivery.attempts": 2 });
    await s.control("PUT /clock", { frozen: true });
    await s.control("PUT /sinks/demo", { status: 500 });
    await inbound(s);
    expect(await received(s)).toHaveLength(1);
    await s.api(`POST ${HOOKS}crm/update`, { enabled: false });
    await s.control("POST /clock/advance", { by: "1h" });
    expect(await received(s)).toHaveLength(1);
  },
  "window.open": async (s) => {
    await s.control("POST /threads/9002/window", { open: true });
    expect((await details(s, "9002")).isMessagingWindowOpen).toBe(true);
    expect((await send(s, { customerThreadId: "9002", text: "Hi" })).status).toBe(200);
  },
  "window.closed": async (s) => {
    await s.control("POST /threads/9001/window", { open: false });
    const before = await records(s, "messages");
    for (const customerThreadId of ["9001", "9002"]) {
      expect((await details(s, customerThreadId)).isMessagingWindowOpen).toBe(false);
      const { status, headers } = await send(s, { customerThreadId, text: "Hi" });
      expect([status, headers.get("x-sim-behaviour")]).toEqual([400, "window.closedError"]);
    }
    expect(await records(s, "messages")).toEqual(before);
    expect((await send(s, { contentSid: TEMPLATE })).status).toBe(200);
    expect((await records(s, "messages")).at(-1)).toMatchObject({ threadId: "9001", contentSid: TEMPLATE });
  },
  "window.otherChannels": async (s) => {
    expect((await s.control("POST /threads/9003/window", { open: false })).status).toBe(409);
    const { customerThreadId } = (await begin(s, { email: "ida@customer.example" })).body;
    expect((await s.api(DETAILS.replace("9001", customerThreadId))).body.isMessagingWindowOpen).toBe(true);
  },
  "window.internal": async (s) => {
    const note = { customerThreadId: "9002", text: "note", internal: true };
    expect((await send(s, note)).status).toBe(200);
  },
};
