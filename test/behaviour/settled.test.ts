/** What is settled without an entry is what the simulator does. */
import { expect, it } from "vitest";
import { SETTLED } from "../../scripts/docs/settled.js";
import { BEHAVIOUR_TABLE } from "../../src/service/behaviour/table.js";
import { PROOFS } from "../conformance/proofs/index.js";
import type { Proof } from "../conformance/row.js";
import {
  begin,
  DELETE_USER,
  graphql,
  HOOK,
  HOOKS,
  hooks,
  inbound,
  received,
  save,
  send,
  TEMPLATES,
  transferEvent,
} from "../conformance/support.js";
import { type Caller, openSandbox } from "../support/simulator.js";

/** Begins a conversation through the widget route, and gives its thread. */
const begun = async (s: Caller, user: object, more?: object) =>
  (await begin(s, user, more)).body.customerThreadId;

const ana = { email: "ana@acme.example" };

/** For each question: what shows the answer, or the rows of the conformance page whose proofs do. */
const SHOWN: Readonly<Record<string, Proof | readonly string[]>> = {
  "Which values may type, channel and customerChannel have?": ["profile.openTypes", "thread.channelValues"],
  "What is the type of a new customer, and of one without a type in message events?": async (s) => {
    const shown = async () => (await received(s)).at(-1).body.data.customerType;
    await begun(s, { sms: "+15550100" });
    expect(await shown()).toBe("prospect");
    await s.control("PATCH /data/customers/cust_001", { type: null });
    await inbound(s);
    expect(await shown()).toBe("prospect");
  },
  "Which other fields does a thread have?": ["thread.otherFields"],
  "What is the response to an id of another organization?": [
    "auth.threads",
    "auth.foreign",
    "widgetErrors.business",
    "auth.webhooks",
  ],
  "Which profiles may a token read and change?": ["auth.profiles"],
  "What are the status and the messaging window of a new conversation?": async (s) => {
    const id = await begun(s, { whatsapp: "+15550100" });
    const { status, isMessagingWindowOpen } = (await s.control(`GET /data/threads/${id}`)).body;
    expect([status, isMessagingWindowOpen]).toEqual(["waiting", true]);
  },
  "What is the response to a template of another organization?": ["auth.templates"],
  "May a template be an internal message?": ["send.internalTemplate"],
  "Which threads have templates?": ["templates.which"],
  "What is the response to a token that deletes its own user, if it may not?": async (s) => {
    await s.control("PATCH /behaviour", { "users.deleteSelf": "refuse" });
    const { status, body } = await s.api(DELETE_USER, ana);
    expect([status, body]).toEqual([403, { error: "A token cannot delete its own user" }]);
  },
  "What happens to a deleted user's tokens and places in escalation pools?": async ({ api, control }) => {
    await control("PATCH /data/businesses/1001", { escalationPool: ["501", "503"] });
    expect((await api(DELETE_USER, ana)).status).toBe(200);
    const state = (await control("GET /state")).body;
    expect(state.tokens.map(({ id }: { id: string }) => id)).toEqual(["acme-no-delete", "globex-token"]);
    expect(state.businesses[0].escalationPool).toEqual(["503"]);
    expect(state.messages.some((one: { employeeUserId: string }) => one.employeeUserId === "501")).toBe(true);
    expect((await api("GET /api/webhooks/")).headers.get("x-sim-behaviour")).toBe("auth.invalid");
  },
  "Which pool does the refusal name if the user is the last member of several?": async ({ api, control }) => {
    const another = { id: "999", organizationId: "200", name: "Acme Nice", escalationPool: ["501"] };
    await control("POST /data/businesses", another);
    expect((await api(DELETE_USER, ana)).body.error).toMatch(/escalation pool for business 999$/);
    await control("PATCH /data/businesses/999", { escalationPool: ["503"] });
    expect((await api(DELETE_USER, ana)).body.error).toMatch(/escalation pool for business 1001$/);
  },
  "Which refusal comes first for a user who is the last representative and the last of a pool?": async (
    s,
  ) => {
    await s.control("PATCH /data/users/503", { contactable: false });
    expect((await s.api(DELETE_USER, ana)).body.error).toMatch(/last customer representative/);
  },
  "What are the types of the attachment fields?": ["messageData.attachment"],
  "What is the value of messageExternalId?": ["legacyEvents.externalId"],
  "Which employee does a transfer name if the call names none?": async (s) => {
    await s.control("PATCH /data/users/501", { businessIds: ["1001", "1002"] });
    const user = {
      organizationId: "200",
      email: "ida@acme.example",
      displayName: "Ida",
      businessIds: ["1002"],
    };
    await s.control("POST /data/users", { id: "1000", ...user });
    expect((await transferEvent(s)).data.employeeUserId).toBe(501);
  },
  "What is businessParticipationId?": async (s) => {
    const first = (await transferEvent(s)).data.businessParticipationId;
    await s.control("POST /threads/9001/transfer", { businessId: "1001" });
    expect([first, (await received(s)).at(-1).body.data.businessParticipationId]).toEqual([1, 2]);
  },
  "What is the response to an unknown path, method, content encoding or host?": [
    "version.paths",
    "calls.otherMethods",
    "limits.encoding",
  ],
  "Is there a catalogue of error codes?": ["errors.codes"],
  "Are there a version scheme and a deprecation policy?": ["version.scheme", "legacy.warning"],
  "Which threads may a token's user access?": ["auth.ownThreads"],
  "May the token that started a conversation use its thread after a transfer to another business?": async (
    s,
  ) => {
    const customerThreadId = await begun(s, { sms: "+15550100" });
    await s.control(`POST /threads/${customerThreadId}/transfer`, { businessId: "1002" });
    expect((await send(s, { customerThreadId, text: "Hi" })).status).toBe(200);
    await s.control("PATCH /behaviour", { "widget.threadAccess": "business" });
    expect((await send(s, { customerThreadId, text: "Hi" })).status).toBe(403);
  },
  "Which customers are searched for the contact?": async (s) => {
    const customerOf = async (s: Caller, businessId: string) => {
      const id = await begun(s, { email: "alan@customer.example" }, { businessId });
      return (await s.control(`GET /data/threads/${id}`)).body.customerId;
    };
    expect(await customerOf(s, "1003")).toBe("cust_001");
    const asGlobex: Caller["api"] = (line, body) => s.api(line, body, { token: "globex-token" });
    expect(await customerOf({ ...s, api: asGlobex }, "2001")).not.toBe("cust_001");
  },
  "Does locale replace the locale of an existing customer?": async (s) => {
    for (const locale of ["de-DE", "fr-FR"]) await begun(s, { sms: "+15550100", locale });
    expect((await s.control("GET /data/customers")).body.at(-1).locale).toBe("de-DE");
  },
  "Which texts are valid as locale and hookId?": async (s) => {
    for (const [index, locale] of ["fr-FR", "", "no locale at all"].entries()) {
      await begun(s, { sms: `+1555019${index}`, locale });
      expect((await s.control("GET /data/customers")).body.at(-1).locale).toBe(locale);
    }
    expect((await save(s, { hookId: "any text/at all" })).hookId).toBe("any text/at all");
    expect((await graphql(s, "save-hook-mutation", { hookId: "", url: HOOK.url })).status).toBe(400);
  },
  "Who sees a message without internal?": ["send.internalOptional"],
  "Is a legacy webhook still legacy after an update through the other endpoints?": [
    "legacyEvents.messages",
    "legacyEvents.once",
  ],
  "What is the order of lists?": async (s) => {
    const ids = ["z", "a", "m"];
    for (const hookId of ids) await save(s, { hookId });
    await s.api(`POST ${HOOKS}a/update`, { enabled: false });
    const idsOf = (list: { hookId: string }[]) => list.map(({ hookId }) => hookId);
    expect(idsOf(await hooks(s))).toEqual(["crm", ...ids]);
    const got = await graphql(s, "get-hook-query", { hookId: ["m", "z"] });
    expect(idsOf(got.body.data.hook)).toEqual(["z", "m"]);
    await s.control("POST /data/templates", { id: "HX0", organizationId: "200", title: "a", text: "a" });
    expect((await s.api(TEMPLATES)).body.templates.at(-1).contentSid).toBe("HX0");
  },
  "What does an event that subscribedEvents lists twice do?": async ({ api }) => {
    const { body } = await api(`POST ${HOOKS}`, { ...HOOK, subscribedEvents: ["messages", "messages"] });
    expect(body.subscribedEvents).toEqual(["messages"]);
  },
  "What is sent of a header that extraHeaders repeat, or that every delivery has?": ["webhook.sameHeaders"],
  "What is the flag of a delete that names no webhook?": ["graphql.emptyLists"],
  "What is the response to a body that is too large, and to a call that the simulator cannot handle or save?":
    async ({ api, control }) => {
      await control("PATCH /behaviour", { "limits.bodyBytes": 10 });
      const { status, body } = await api(DELETE_USER, ana);
      expect([status, body]).toEqual([413, { error: "Request body is larger than 10 bytes" }]);
    },
  "What does a rate limit count?": async ({ api, control }) => {
    await control("PATCH /behaviour", { "limits.rate": { requests: 1, per: "1h" } });
    const ask = async (token: string) => (await api("GET /api/webhooks/", undefined, { token })).status;
    expect([await ask("acme-token"), await ask("acme-token"), await ask("acme-no-delete")]).toEqual([
      200, 429, 200,
    ]);
  },
};

it("answers each question once, and shows each answer", () => {
  expect(SETTLED.map(({ question }) => question)).toEqual(Object.keys(SHOWN));
  const asked = Object.values(BEHAVIOUR_TABLE).map(({ question }) => question);
  for (const { question } of SETTLED) expect(asked).not.toContain(question);
});

it.each(Object.entries(SHOWN))("%s", async (_, shown) => {
  if (typeof shown === "function") return shown(await openSandbox());
  const proven = Object.values(PROOFS).flatMap(Object.keys);
  expect(proven).toEqual(expect.arrayContaining([...shown]));
});
