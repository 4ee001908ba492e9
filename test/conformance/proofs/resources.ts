import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proofs } from "../row.js";
import { RESOURCES } from "../rows/resources.js";
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
  messageEvent,
  PROFILE,
  profile,
  received,
  records,
  refused,
  SEND,
  STATUS,
  save,
  send,
  TEMPLATE,
  TEMPLATES,
  transferEvent,
  typed,
  UPDATE_PROFILE,
} from "../support.js";

const TEXTS =
  "type pictureHref displayName emailAddress phoneNumber firstName lastName company channel".split(" ");
const template = async ({ api }: Caller) => (await api(TEMPLATES)).body.templates[0];

/** The profile of every customer who ships. */
const profiles = async (s: Caller) =>
  Promise.all(
    (await records(s, "customers")).map(async ({ id, organizationId }: Record<string, string>) => {
      const token = organizationId === "200" ? "acme-token" : "globex-token";
      const { body } = await s.api(PROFILE.replace("cust_001", String(id)), undefined, { token });
      expect(body.id).toBe(id);
      return body;
    }),
  );

export const resources: Proofs<typeof RESOURCES> = {
  "base.rest": "version.paths",
  "base.graphql": "graphql.path",
  "service.visible": "send.visible",
  "service.internal": "send.internal",
  "service.widget": "widget.threadType",
  "service.window": "details.path",
  "service.templates": "templates.array",
  "service.status": "updateStatus.path",
  "service.profile": "getProfile.id",
  "service.profileUpdate": "updateProfile.supplied",
  "service.userDeletion": "deleteUser.path",
  "service.webhooks": "events.enabled",
  "service.twoParts": "messageData.employeeOnly",
  "service.token": "auth.user",
  ...typed(RESOURCES, "profile", profiles),
  "profile.internationalPhone": async (s) => {
    expect((await profile(s)).phoneNumber).toMatch(/^\+[1-9]\d+$/);
    const refused = await s.control("PATCH /data/customers/cust_001", { phoneNumber: "0155550100" });
    expect(refused.status).toBe(400);
  },
  "profile.updatableFirstName": "updateProfile.supplied",
  "profile.updatableLastName": "updateProfile.supplied",
  "profile.updatableCompany": "updateProfile.supplied",
  "profile.customerDataItems": async (s) => {
    const items = (await profiles(s)).flatMap(({ customerData }) => customerData);
    expect(items.length).toBeGreaterThan(1);
    for (const item of items) expect(item).toEqual({ name: expect.any(String), value: expect.any(String) });
  },
  "profile.surveyNames": async (s) => {
    expect(Object.keys((await profile(s)).lastSurveys)).toEqual(["nps", "preferredChannel"]);
  },
  "profile.surveyFields": async (s) => {
    const surveys = (await profiles(s)).flatMap(({ lastSurveys }) => Object.values(lastSurveys));
    expect(surveys.length).toBeGreaterThan(1);
    for (const survey of surveys)
      expect(survey).toEqual({ createdAt: expect.toSatisfy(Number.isInteger), text: expect.any(String) });
  },
  "profile.openTypes": async (s) => {
    await s.control("PATCH /data/customers/cust_001", { type: "partner", channel: "TELEGRAM" });
    expect(await profile(s)).toMatchObject({ type: "partner", channel: "TELEGRAM" });
  },
  "profile.unknown": async (s) => {
    await s.control("PUT /data/customers/cust_001", { organizationId: "200" });
    expect(await profile(s)).toEqual({
      id: "cust_001",
      ...Object.fromEntries(TEXTS.map((field) => [field, ""])),
      editable: true,
      customerData: [],
      lastSurveys: {},
    });
    await s.control("PATCH /data/customers/cust_001", { lastSurveys: { nps: { createdAt: 1, text: "8" } } });
    expect((await profile(s)).lastSurveys).toEqual({ nps: { createdAt: 1, text: "8" } });
  },
  "profile.editableUse": async (s) => {
    await s.control("PATCH /data/customers/cust_001", { editable: false });
    await s.api(UPDATE_PROFILE, { company: "Other" });
    expect((await profile(s)).company).toBe("Other");
  },
  "thread.otherFields": "details.path",
  "thread.channelValues": async (s) => {
    for (const channel of ["WHATSAPP", "SMS", "EMAIL", "TELEGRAM"]) {
      await s.control("PATCH /data/threads/9001", { channel });
      expect((await details(s)).customerChannel).toBe(channel);
    }
  },
  "thread.idInRequests": async (s) => {
    expect((await send(s, { customerThreadId: "9001", text: "Hi" })).status).toBe(200);
    await s.control("PATCH /behaviour", { "ids.acceptNumbers": "reject" });
    await refused(SEND, "@.customerThreadId", { customerThreadId: 9001, text: "Hi" })(s);
  },
  "thread.idInMessages": async (s) => expect((await messageEvent(s)).data.customerThreadId).toBe(9001),
  "thread.idInTransfers": async (s) => expect((await transferEvent(s)).data.customerThreadId).toBe("9001"),
  "thread.statuses": "status.anyMove",
  "thread.channel": "thread.channelValues",
  "thread.windowOpen": "window.open",
  "thread.windowClosed": "window.closed",
  ...typed(RESOURCES, "template", template),
  "template.use": async (s) => {
    const { contentSid, text } = await template(s);
    await send(s, { contentSid });
    expect((await records(s, "messages")).at(-1)).toMatchObject({ contentSid, text });
  },
  "webhook.hookId": async (s) => {
    const query = { query: "save-hook-mutation", variables: { hookId: "crm", url: HOOK.url } };
    await s.api("POST /graphql", query, { token: "globex-token" });
    await s.api("POST /graphql", query, { token: "globex-token" });
    // The id of a record that is another webhook.
    await save(s, { hookId: "1" });
    const ids = (await records(s, "webhooks")).map(
      ({ hookId, organizationId }: Record<string, string>) => `${organizationId} ${hookId}`,
    );
    expect(ids).toEqual(["200 crm", "300 crm", "200 1"]);
    expect((await hook(s, "crm")).url).toBe("sink:demo");
  },
  "webhook.url": "webhooks.createUrl",
  "webhook.post": "events.post",
  "webhook.enabled": async (s) => {
    await inbound(s);
    await s.api(`POST ${HOOKS}crm/update`, { enabled: false });
    await inbound(s);
    await send(s, { text: "Hi" });
    expect(await received(s)).toHaveLength(1);
    expect((await s.control("GET /deliveries")).body).toHaveLength(1);
    await s.api(`POST ${HOOKS}crm/update`, { enabled: true });
    await inbound(s);
    expect(await received(s)).toHaveLength(2);
  },
  "webhook.enabledDefault": "enabled.created",
  "webhook.subscribedEvents": "webhooks.createEvents",
  "webhook.extraHeaders": "webhooks.createHeaders",
  "webhook.headersSent": "events.headers",
  "webhook.sameHeaders": async (s) => {
    const extraHeaders = [
      ["X-A", "1"],
      ["x-a", "2"],
      ["Content-Type", "application/json; charset=utf-8"],
    ].map(([name, value]) => ({ name, value }));
    await s.api(`POST ${HOOKS}crm/update`, { extraHeaders });
    await inbound(s);
    const { headers } = (await received(s)).at(-1);
    expect([headers["x-a"], headers["content-type"]]).toEqual(["1, 2", "application/json; charset=utf-8"]);
  },
  "records.identifiers": "messageData.values",
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
    const threads = [{ ...first, status: "resolved" }, ...others];
    expect((await s.control("GET /state")).body).toEqual({ ...before, threads });
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
    const move = (open: boolean) => s.control("POST /threads/9003/window", { open });
    expect([(await move(true)).status, (await move(false)).status]).toEqual([200, 409]);
    const { customerThreadId } = (await begin(s, { email: "ida@customer.example" })).body;
    expect((await s.api(DETAILS.replace("9001", customerThreadId))).body.isMessagingWindowOpen).toBe(true);
  },
  "window.internal": async (s) => {
    const note = { customerThreadId: "9002", text: "note", internal: true };
    expect((await send(s, note)).status).toBe(200);
  },
};
