/** What is settled without an entry is what the simulator does. */
import { expect, it } from "vitest";
import { SETTLED } from "../../scripts/docs/settled.js";
import { BEHAVIOUR_TABLE } from "../../src/behaviour/table.js";
import {
  ATTACHMENT,
  DELETE_USER,
  DETAILS,
  HOOK,
  LEGACY,
  messageEvent,
  PROFILE,
  SEND,
} from "../conformance/support.js";
import type { Caller } from "../support/simulator.js";
import { openSandbox } from "../support/simulator.js";

const ana = { email: "ana@acme.example" };

/** For each question: what shows the answer. */
const SHOWN: Readonly<Record<string, (s: Caller) => Promise<void>>> = {
  "Which values may type, channel and customerChannel have?": async ({ api, control }) => {
    await control("PATCH /data/customers/cust_001", { type: "anything", channel: "PIGEON_POST" });
    await control("PATCH /data/threads/9001", { channel: "PIGEON_POST" });
    const { body } = await api(PROFILE);
    expect([body.type, body.channel]).toEqual(["anything", "PIGEON_POST"]);
    expect((await api(DETAILS)).body.customerChannel).toBe("PIGEON_POST");
  },
  "Which other fields has a thread?": async ({ api }) => {
    const { body } = await api(DETAILS);
    expect(Object.keys(body)).toEqual(["customerChannel", "status", "isMessagingWindowOpen"]);
  },
  "How does a hookId of another organization answer?": async ({ api, control }) => {
    await control("PATCH /behaviour", { "ids.foreign": "forbidden" });
    expect((await api("GET /api/webhooks/crm", undefined, { token: "globex-token" })).status).toBe(404);
  },
  "How does a template of another organization answer?": async ({ api, control }) => {
    const id = "HX00000000000000000000000000000009";
    await control("POST /data/templates", { id, organizationId: "300", title: "theirs", text: "Hi" });
    const { status, headers } = await api(SEND, { customerThreadId: "9001", contentSid: id });
    expect([status, headers.get("x-sim-behaviour")]).toEqual([400, "templates.unknown"]);
  },
  "What becomes of the tokens and the places in escalation pools of a deleted user?": async ({
    api,
    control,
  }) => {
    await control("PATCH /data/businesses/1001", { escalationPool: ["501", "503"] });
    expect((await api(DELETE_USER, ana)).status).toBe(200);
    const state = (await control("GET /state")).body;
    expect(state.tokens.map(({ id }: { id: string }) => id)).toEqual(["acme-readonly", "globex-token"]);
    expect(state.businesses[0].escalationPool).toEqual(["503"]);
    expect(state.messages.some((one: { employeeUserId: string }) => one.employeeUserId === "501")).toBe(true);
    expect((await api("GET /api/webhooks/")).headers.get("x-sim-behaviour")).toBe("auth.invalid");
  },
  "Which pool does the refusal name, where the user is the last member of several?": async ({
    api,
    control,
  }) => {
    await control("PATCH /data/businesses/1003", { escalationPool: ["501"] });
    expect((await api(DELETE_USER, ana)).body.error).toMatch(/escalation pool for business 1001$/);
    await control("PATCH /data/businesses/1001", { escalationPool: ["503"] });
    expect((await api(DELETE_USER, ana)).body.error).toMatch(/escalation pool for business 1003$/);
  },
  "Which refusal comes first for a user who is the last representative and the last of a pool?": async ({
    api,
    control,
  }) => {
    await control("PATCH /data/users/503", { contactable: false });
    expect((await api(DELETE_USER, ana)).body.error).toMatch(/last customer representative/);
  },
  "Of which types are the UUID, the name and the content type of an attachment?": async (s) => {
    expect((await messageEvent(s)).data).toMatchObject({
      messageAttachmentUUID: ATTACHMENT.uuid,
      messageAttachmentContentType: ATTACHMENT.contentType,
      messageAttachmentName: ATTACHMENT.name,
    });
  },
  "Is there a catalogue of error codes?": async ({ api }) => {
    expect(Object.keys((await api("GET /api/webhooks/none")).body)).toEqual(["error"]);
    const { errors } = (await api("POST /graphql", { query: "none" })).body;
    expect(errors[0].code).toBe(40_000);
  },
  "Which version scheme and deprecation policy are there?": async ({ api, control }) => {
    const { headers } = await api(LEGACY, { url: HOOK.url });
    expect([...headers.keys()].filter((name) => /version|deprecat|sunset/.test(name))).toEqual([]);
    const warnings: { code: string }[] = (await control("GET /warnings")).body;
    expect(warnings.map(({ code }) => code)).toContain("deprecated-endpoint");
  },
};

it("answers each question once, and shows each answer", () => {
  expect(SETTLED.map(({ question }) => question)).toEqual(Object.keys(SHOWN));
  const asked = Object.values(BEHAVIOUR_TABLE).map(({ question }) => question);
  for (const { question } of SETTLED) expect(asked).not.toContain(question);
});

it.each(Object.entries(SHOWN))("%s", async (_, show) => show(await openSandbox()));
