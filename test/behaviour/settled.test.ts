/** What is settled without an entry is what the simulator does. */
import { expect, it } from "vitest";
import { SETTLED } from "../../scripts/docs/settled.js";
import { BEHAVIOUR_TABLE } from "../../src/behaviour/table.js";
import type { Running } from "../support/simulator.js";
import { startSimulator } from "../support/simulator.js";

const SEND = "POST /api/send-message-to-customer-thread";
const DELETE_USER = "POST /api/user/delete-by-email";
const DETAILS = "GET /api/get-customer-thread-details?customerThreadId=9001";

/** Begins a conversation through the widget route, and gives its thread. */
const begin = async ({ api }: Running, user: object, more: object = {}, token = "acme-token") =>
  (
    await api(
      "POST /api/widget/send-message-to-business",
      { businessId: "1001", message: "Hi", user, ...more },
      { token },
    )
  ).body.customerThreadId;

const ana = { email: "ana@acme.example" };

/** For each question: what shows the answer. */
const SHOWN: Readonly<Record<string, (simulator: Running) => Promise<void>>> = {
  "Which values may type, channel and customerChannel have?": async ({ api, control }) => {
    await control("PATCH /data/customers/cust_001", { type: "anything", channel: "PIGEON_POST" });
    await control("PATCH /data/threads/9001", { channel: "PIGEON_POST" });
    const { body } = await api("GET /api/customers/cust_001/profile");
    expect([body.type, body.channel]).toEqual(["anything", "PIGEON_POST"]);
    const details = await api("GET /api/get-customer-thread-details?customerThreadId=9001");
    expect(details.body.customerChannel).toBe("PIGEON_POST");
  },
  "Which other fields has a thread?": async ({ api }) => {
    const { body } = await api("GET /api/get-customer-thread-details?customerThreadId=9001");
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
  "Of which types are the UUID, the name and the content type of an attachment?": async ({ control }) => {
    const attachment = { uuid: "u1", contentType: "text/plain", name: "a.txt", contentLength: 7 };
    await control("POST /threads/9001/inbound", { text: "Hi", attachment });
    await control("POST /wait", { for: "idle" });
    expect((await control("GET /deliveries")).body.at(-1).body.data).toMatchObject({
      messageAttachmentUUID: "u1",
      messageAttachmentContentType: "text/plain",
      messageAttachmentName: "a.txt",
    });
  },
  "Is there a catalogue of error codes?": async ({ api }) => {
    expect(Object.keys((await api("GET /api/webhooks/none")).body)).toEqual(["error"]);
    const { errors } = (await api("POST /graphql", { query: "none" })).body;
    expect(errors[0].code).toBe(40_000);
  },
  "Which version scheme and deprecation policy are there?": async ({ api, control }) => {
    const { headers } = await api("POST /api/update-hook-url", { url: "https://bot.example" });
    expect([...headers.keys()].filter((name) => /version|deprecat|sunset/.test(name))).toEqual([]);
    const warnings: { code: string }[] = (await control("GET /warnings")).body;
    expect(warnings.map(({ code }) => code)).toContain("deprecated-endpoint");
  },
  "Which threads may a token's user access?": async ({ api, control }) => {
    const statuses = async () =>
      [await api(DETAILS), await api(DETAILS.replace("9001", "9005"))].map(({ status }) => status);
    expect(await statuses()).toEqual([200, 403]);
    await control("PATCH /data/users/501", { businessIds: ["1002"] });
    expect(await statuses()).toEqual([403, 200]);
    await control("POST /threads/9001/transfer", { businessId: "1002" });
    expect(await statuses()).toEqual([200, 200]);
  },
  "May who began a conversation use its thread after a transfer to another business?": async (s) => {
    const id = await begin(s, { sms: "+15550100" });
    await s.control(`POST /threads/${id}/transfer`, { businessId: "1002" });
    expect((await s.api(SEND, { customerThreadId: id, text: "Hi" })).status).toBe(200);
    await s.control("PATCH /behaviour", { "widget.threadAccess": "business" });
    expect((await s.api(SEND, { customerThreadId: id, text: "Hi" })).status).toBe(403);
  },
  "Among whose customers is the contact looked for?": async (s) => {
    const customerOf = async (businessId: string, token: string) => {
      const id = await begin(s, { email: "alan@customer.example" }, { businessId }, token);
      return (await s.control(`GET /data/threads/${id}`)).body.customerId;
    };
    expect(await customerOf("1003", "acme-token")).toBe("cust_001");
    expect(await customerOf("2001", "globex-token")).not.toBe("cust_001");
  },
  "Which texts are a locale and a hookId?": async (s) => {
    for (const locale of ["fr-FR", "", "no locale at all"]) {
      await begin(s, { sms: "+15550199", locale });
      await s.control("PATCH /behaviour", { "widget.knownLocale": "update" });
      expect((await s.control("GET /data/customers")).body.at(-1).locale).toBe(locale);
    }
    const save = (hookId: string) =>
      s.api("POST /graphql", {
        query: "save-hook-mutation",
        variables: { hookId, url: "https://bot.example" },
      });
    expect((await save("any text/at all")).body.data.saveHook.hookId).toBe("any text/at all");
    expect((await save("")).status).toBe(400);
  },
  "Who sees a message that leaves internal out?": async ({ api, control }) => {
    await api(SEND, { customerThreadId: "9001", text: "Hi" });
    expect((await control("GET /state")).body.messages.at(-1).invisible).toBe(false);
    expect((await api(SEND, { customerThreadId: "9002", text: "Hi" })).status).toBe(400);
  },
  "What is a legacy webhook that is edited through the other endpoints?": async ({ api, control }) => {
    await control("PATCH /behaviour", { "delivery.attempts": 3, "delivery.backoff": [0] });
    await api("POST /api/update-hook-url", { url: "https://bot.example" });
    const { hookId } = (await api("GET /api/webhooks/")).body.at(-1);
    await api(`POST /api/webhooks/${hookId}/update`, { subscribedEvents: ["messages", "transfers"] });
    const variables = { hookId, url: "sink:legacy" };
    await api("POST /graphql", {
      query: "save-hook-mutation",
      variables: { ...variables, url: "https://b.example" },
    });
    await control(`PATCH /data/webhooks/${hookId}`, { url: "sink:legacy" });
    await control("PUT /sinks/legacy", { status: 500 });
    await control("POST /threads/9001/inbound", { text: "Hi" });
    await control("POST /threads/9001/transfer", { businessId: "1002" });
    await control("POST /wait", { for: "idle" });
    const got: { body: object }[] = (await control("GET /sinks/legacy/received")).body;
    expect(got.map(({ body }) => "eventType" in body)).toEqual([false]);
  },
  "In which order are lists?": async ({ api, control }) => {
    const ids = ["z", "a", "m"];
    for (const hookId of ids)
      await api("POST /graphql", {
        query: "save-hook-mutation",
        variables: { hookId, url: "https://bot.example" },
      });
    await api("POST /api/webhooks/a/update", { enabled: false });
    const listed: { hookId: string }[] = (await api("GET /api/webhooks/")).body;
    expect(listed.map(({ hookId }) => hookId)).toEqual(["crm", ...ids]);
    const { hook } = (
      await api("POST /graphql", { query: "get-hook-query", variables: { hookId: ["m", "z"] } })
    ).body.data;
    expect(hook.map(({ hookId }: { hookId: string }) => hookId)).toEqual(["z", "m"]);
    await control("POST /data/templates", { id: "HX0", organizationId: "200", title: "a", text: "a" });
    const { templates } = (await api("GET /api/get-whatsapp-templates?customerThreadId=9001")).body;
    expect(templates.at(-1).contentSid).toBe("HX0");
  },
  "What does a rate limit count?": async ({ api, control }) => {
    await control("PATCH /behaviour", { "limits.rate": { requests: 1, per: "1h" } });
    const ask = async (token: string) => (await api("GET /api/webhooks/", undefined, { token })).status;
    expect([await ask("acme-token"), await ask("acme-token"), await ask("acme-readonly")]).toEqual([
      200, 429, 200,
    ]);
  },
};

it("answers each question once, and shows each answer", () => {
  expect(SETTLED.map(({ question }) => question)).toEqual(Object.keys(SHOWN));
  const asked = Object.values(BEHAVIOUR_TABLE).map(({ question }) => question);
  for (const { question } of SETTLED) expect(asked).not.toContain(question);
});

it.each(Object.entries(SHOWN))("%s", async (_, show) => show(await startSimulator()));
