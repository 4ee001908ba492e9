import { expect } from "vitest";
import type { Proof, Proofs } from "../row.js";
import type { STATES } from "../rows/states.js";
import {
  begin,
  create,
  DETAILS,
  details,
  graphql,
  HOOK,
  HOOKS,
  hook,
  hooks,
  inbound,
  received,
  STATUS,
  save,
  send,
  TEMPLATE,
} from "../support.js";

const movable =
  (status: string): Proof =>
  async (s) => {
    await s.api(STATUS, { customerThreadId: "9001", status: status === "waiting" ? "resolved" : "waiting" });
    expect((await s.api(STATUS, { customerThreadId: "9001", status })).status).toBe(200);
    expect((await details(s)).status).toBe(status);
  };

export const states: Proofs<typeof STATES> = {
  "status.waiting": movable("waiting"),
  "status.replied": movable("replied"),
  "status.resolved": movable("resolved"),
  "status.others": "updateStatus.values",
  "status.anyMove": async ({ api }) => {
    const order = ["replied", "waiting", "resolved", "replied", "resolved", "waiting", "waiting"];
    for (const status of order)
      expect([status, (await api(STATUS, { customerThreadId: "9001", status })).status]).toEqual([
        status,
        200,
      ]);
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
  "enabled.updated": async (s) => {
    for (const enabled of [false, true, true, false]) {
      await s.api(`POST ${HOOKS}crm/update`, { enabled });
      expect((await hook(s, "crm")).enabled).toBe(enabled);
    }
  },
  "enabled.savedAgain": async (s) => {
    for (const enabled of [false, true]) {
      expect(await save(s, { hookId: "crm", url: undefined, enabled })).toEqual({
        hookId: "crm",
        url: "sink:demo",
        enabled,
      });
    }
    expect(await hooks(s)).toHaveLength(1);
  },
  "enabled.omitted": async (s) => {
    const extraHeaders = [{ name: "X-A", value: "1" }];
    await s.api(`POST ${HOOKS}crm/update`, { enabled: false, extraHeaders });
    const before = await hook(s, "crm");
    expect(before).toMatchObject({ enabled: false, extraHeaders });
    await s.api(`POST ${HOOKS}crm/update`, { url: HOOK.url });
    expect(await hook(s, "crm")).toEqual({ ...before, url: HOOK.url });
  },
  "enabled.savedOmitted": async (s) => {
    await s.api(`POST ${HOOKS}crm/update`, { enabled: false, extraHeaders: [{ name: "X-A", value: "1" }] });
    const before = await hook(s, "crm");
    await save(s, { hookId: "crm" });
    expect(await hook(s, "crm")).toEqual({ ...before, url: HOOK.url });
  },
  "enabled.deleted": async (s) => {
    const { hookId } = await create(s, { enabled: false });
    for (const id of ["crm", hookId]) expect((await s.api(`POST ${HOOKS}${id}/delete`)).status).toBe(200);
    expect(await hooks(s)).toEqual([]);
  },
  "enabled.deletedByGraphql": async (s) => {
    await save(s, { enabled: false });
    await graphql(s, "delete-hook-mutation", { hookId: ["crm", "g"] });
    expect(await hooks(s)).toEqual([]);
  },
  "enabled.silent": async (s) => {
    await s.api(`POST ${HOOKS}crm/update`, { enabled: false });
    await inbound(s);
    await send(s, { text: "Hi" });
    expect(await received(s)).toEqual([]);
    expect((await s.control("GET /deliveries")).body).toEqual([]);
  },
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
    expect((await send(s, { customerThreadId: "9002", text: "Hi" })).status).toBe(200);
  },
  "window.closed": async (s) => {
    await s.control("POST /threads/9001/window", { open: false });
    expect((await send(s, { text: "Hi" })).status).toBe(400);
    expect((await send(s, { contentSid: TEMPLATE })).status).toBe(200);
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
