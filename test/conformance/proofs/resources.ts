import { expect } from "vitest";
import type { Caller } from "../../support/simulator.js";
import type { Proof, Proofs } from "../row.js";
import { RESOURCES } from "../rows/resources.js";
import {
  details,
  HOOK,
  HOOKS,
  hook,
  inbound,
  messageEvent,
  PROFILE,
  received,
  records,
  refused,
  SEND,
  send,
  TEMPLATES,
  transferEvent,
  typed,
  UPDATE_PROFILE,
} from "../support.js";

const profile = async ({ api }: Caller) => (await api(PROFILE)).body;
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

/** A field of the profile that can be updated, and no other changes with it. */
const updatable =
  (field: string): Proof =>
  async (s) => {
    const before = await profile(s);
    await s.api(UPDATE_PROFILE, { [field]: "Other" });
    expect(await profile(s)).toEqual({ ...before, [field]: "Other" });
  };

export const resources: Proofs<typeof RESOURCES> = {
  ...typed(RESOURCES, "profile", profiles),
  "profile.internationalPhone": async (s) => {
    expect((await profile(s)).phoneNumber).toMatch(/^\+[1-9]\d+$/);
    const refused = await s.control("PATCH /data/customers/cust_001", { phoneNumber: "0155550100" });
    expect(refused.status).toBe(400);
  },
  "profile.updatableFirstName": updatable("firstName"),
  "profile.updatableLastName": updatable("lastName"),
  "profile.updatableCompany": updatable("company"),
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
    await updatable("company")(s);
  },
  "thread.otherFields": async (s) => {
    expect(Object.keys(await details(s))).toEqual(["customerChannel", "status", "isMessagingWindowOpen"]);
  },
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
  "thread.statuses": async (s) => {
    const threads: { id: string }[] = await records(s, "threads");
    const own = threads.filter(({ id }) => id < "9005");
    const statuses = await Promise.all(own.map(async ({ id }) => (await details(s, id)).status));
    expect([...new Set(statuses)].sort()).toEqual(["replied", "resolved", "waiting"]);
  },
  "thread.channel": async (s) => {
    const channels = ["9001", "9003", "9004"].map(async (id) => (await details(s, id)).customerChannel);
    expect(await Promise.all(channels)).toEqual(["WHATSAPP", "SMS", "EMAIL"]);
  },
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
    const ids = (await records(s, "webhooks")).map(
      ({ hookId, organizationId }: Record<string, string>) => `${organizationId} ${hookId}`,
    );
    expect(ids).toEqual(["200 crm", "300 crm"]);
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
  "records.identifiers": async (s) => {
    const { data } = await messageEvent(s);
    const organization = (await records(s, "organizations"))[0].name;
    expect(data).toMatchObject({ businessId: 1001, organizationId: 200, messageId: expect.any(Number) });
    expect(JSON.stringify(data)).not.toContain(organization);
  },
};
