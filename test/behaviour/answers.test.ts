/** The answers of the behaviour table, and the refusals with one fixed answer: each is met by a call, which names what decided it. */
import { describe, expect, it } from "vitest";
import { ANSWERS } from "../../src/service/behaviour/answers.js";
import type { BehaviourKey, RefusalAnswerKey } from "../../src/service/behaviour/table.js";
import { type ServiceRefusalKey, serviceRefusal } from "../../src/service/domain/refusals.js";
import {
  begin,
  DELETE_USER,
  DETAILS,
  HOOK,
  HOOKS,
  LEGACY,
  SEND,
  send,
  UPDATE_PROFILE,
} from "../conformance/support.js";
import { request, talk } from "../hostile/raw.js";
import { openSandbox, startSimulator } from "../support/simulator.js";
import {
  api,
  type Call,
  create,
  given,
  locked,
  move,
  PHONE,
  profile,
  remove,
  start,
  thread,
  write,
} from "./calls.js";

/** What each answer of the table answers: the call that leads to it. */
const ANSWER_CALLS: Record<keyof typeof ANSWERS, Call> = {
  "auth.missing": api(DETAILS, undefined, null),
  "auth.invalid": api(DETAILS, undefined, "no"),
  "users.deleteForbidden": api(DELETE_USER, {}, "acme-no-delete"),
  "profile.notFound": api(profile("none")),
  "threads.notFound": api(thread("1")),
  "threads.notAccessible": api(thread("9005")),
  "webhooks.notFound": api(`GET ${HOOKS}none`),
  "templates.unknown": write({ contentSid: "none" }),
  "window.closedError": write({ customerThreadId: "9002", text: "Hi" }),
  "widget.businessOffline": start({ whatsapp: PHONE }, { businessId: "1003" }),
  "widget.noSender": start({ whatsapp: PHONE }, { businessId: "1002" }),
  "threadStatus.transitionError": given({ "threadStatus.transitions": {} }, move("resolved")),
  "permissions.requiredError": given(
    { "permissions.required": { listWebhooks: "hooks:read" } },
    api(`GET ${HOOKS}`),
  ),
  "profile.notEditableError": given({ "profile.notEditable": "refuse" }, async (s) => {
    await locked(s);
    return s.api(UPDATE_PROFILE, { company: "Initrode" });
  }),
  "limits.textLengthError": given({ "limits.textLength": 3 }, write({ text: "long" })),
  "limits.webhooksError": given({ "limits.webhooks": 1 }, create()),
  "webhooks.deleteResponse": api(`POST ${HOOKS}crm/delete`),
  "profile.updateResponse": api(UPDATE_PROFILE, {}),
  "sendMessage.response": write({ text: "Hi" }),
  "threadStatus.response": move("resolved"),
  "hookUrl.response": api(LEGACY, { url: HOOK.url }),
  "limits.rateError": given({ "limits.rate": { requests: 1, per: "1h" } }, async (s) => {
    await s.api(DETAILS);
    return s.api(DETAILS);
  }),
};
/** What the placeholders of a refusal hold after its call. */
const MET: Partial<Record<keyof typeof ANSWERS, Readonly<Record<string, unknown>>>> = {
  "profile.notFound": { customerId: "none" },
  "profile.notEditableError": { customerId: "cust_001" },
  "threads.notFound": { customerThreadId: "1" },
  "threads.notAccessible": { customerThreadId: "9005" },
  "webhooks.notFound": { hookId: "none" },
  "templates.unknown": { contentSid: "none", customerThreadId: "9001" },
  "window.closedError": { customerThreadId: "9002" },
  "widget.businessOffline": { businessId: "1003" },
  "widget.noSender": { businessId: "1002" },
  "threadStatus.transitionError": { customerThreadId: "9001", from: "waiting", to: "resolved" },
  "limits.textLengthError": { property: "@.text", limit: 3, length: 4 },
};

/** Answers before a sandbox is known. */
const OF_SERVER: readonly string[] = ["auth.missing", "auth.invalid"];

/** A body of the table as it comes, with any text for a placeholder. */
const filled = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (_, value: unknown) => {
    if (typeof value !== "string" || !value.includes("${")) return value;
    const parts = value.split(/\$\{\w+\}/).map((part) => part.replace(/[.*+?()[\]{}|\\^$]/g, "\\$&"));
    return expect.stringMatching(new RegExp(`^${parts.join("[^$]+")}$`));
  });

describe.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])("%s", (key) => {
  const met = MET[key] ?? {};
  const placeholders = Object.fromEntries(Object.keys(met).map((name) => [name, `\${${name}}`]));

  it.each([
    ["of the table", ANSWERS[key].default, {}],
    [
      "that is given",
      { status: 418, body: { given: [key], ...met } },
      { [key]: { status: 418, body: { given: [key], ...placeholders } } },
    ],
  ])("answers with the status and body %s, and says that it did", async (_, expected, behaviour) => {
    const isOwn = OF_SERVER.includes(key);
    const caller = isOwn ? await startSimulator({ set: behaviour }) : await openSandbox({ behaviour });
    const { status, body, headers } = await ANSWER_CALLS[key](caller);
    expect([status, body]).toEqual([expected.status, filled(expected.body)]);
    expect(headers.get("x-sim-behaviour")).toBe(key);
  });
});

it("fills placeholders with values of the call and its results", async () => {
  const text = "sent ${message.text} to ${request.customerThreadId}";
  const body = { id: "${message.id}", text, none: "${message.nothing}" };
  const s = await openSandbox({ behaviour: { "sendMessage.response": { status: 201, body } } });
  const answer = await send(s, { text: "Hi" });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({ id: expect.stringMatching(/^\d+$/), text: "sent Hi to 9001", none: null });
});

it("answers with an error if the placeholders of a body hold too much", async () => {
  const body = { texts: Array(4).fill("${request.text}"), all: "${request}" };
  const s = await openSandbox({ behaviour: { "sendMessage.response": { status: 201, body } } });
  expect((await send(s, { text: "x".repeat(400_000) })).body.all.text).toHaveLength(400_000);
  const { status, body: error } = await send(s, { text: "x".repeat(900_000) });
  expect([status, error]).toEqual([
    201,
    { error: "the placeholders of sendMessage.response hold more than 4 MiB" },
  ]);
});

it.each([
  ["a message", write({ text: null })],
  ["a conversation that begins", start({ sms: PHONE, locale: null })],
])("null in a field of %s is refused, and the refusal names body.nullFields", async (_, call) => {
  const { status, headers } = await call(await openSandbox());
  expect([status, headers.get("x-sim-behaviour")]).toEqual([400, "body.nullFields"]);
});

/** The refusals with one fixed answer, but for those of overload and of a failing store: a call that meets each. */
const FIXED = {
  "users.notFound": remove("nobody@acme.example"),
  "users.lastRepresentative": remove("bruno@acme.example"),
  "users.lastInPool": remove("ana@acme.example"),
  "users.deleteSelfError": given({ "users.deleteSelf": "refuse" }, remove("ana@acme.example")),
  "widget.foreignBusiness": start({ sms: PHONE }, { businessId: "2001" }),
  "http.unknownPath": api("GET /nowhere"),
  "http.wrongMethod": api("DELETE /api/webhooks"),
  "http.unknownHost": async ({ url }) => {
    const { answers } = await talk(url, [request(DETAILS, { host: "evil.example", origin: "null" })]);
    const [{ status, head, body } = { status: 0, head: "", body: "null" }] = answers;
    const lines = head.split("\r\n").slice(1);
    const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
    return { status, headers, body: JSON.parse(body) };
  },
  "http.unknownEncoding": ({ api: send }) => send(SEND, "{}", { headers: { "content-encoding": "zstd" } }),
  "limits.bodyError": api(SEND, { text: "x".repeat(1_100_000) }),
} as const satisfies Record<
  Exclude<ServiceRefusalKey, RefusalAnswerKey | "limits.overloadError" | "store.unavailable">,
  Call
>;
/** The policies that decide that a call is refused, where its answer is fixed. */
const DECIDED: Partial<Record<keyof typeof FIXED, BehaviourKey>> = {
  "users.deleteSelfError": "users.deleteSelf",
  "limits.bodyError": "limits.bodyBytes",
};

it.each(Object.entries(FIXED))("the refusal %s has one answer", async (name, call) => {
  const key = name as keyof typeof FIXED;
  const { answer } = serviceRefusal(key);
  const { status, body, headers } = await call(await openSandbox());
  expect([status, body]).toEqual([answer.status, filled(answer.body)]);
  expect(headers.get("x-sim-behaviour")).toBe(DECIDED[key] ?? null);
});

it("an unknown business is refused like one of another organization", async () => {
  const s = await openSandbox();
  const [unknown, foreign] = [
    await begin(s, { sms: PHONE }, { businessId: "7777" }),
    await FIXED["widget.foreignBusiness"](s),
  ];
  expect([unknown.status, unknown.body]).toEqual([foreign.status, foreign.body]);
});

it.each([
  ["a missing field", api(DELETE_USER, {})],
  ["a wrong type", start({ sms: 1 })],
  ["no e-mail address by either pattern", start({ email: "x" })],
] as const)("the documented refusal of %s names no entry", async (_, call) => {
  const { status, headers } = await call(await openSandbox());
  expect([status, headers.get("x-sim-behaviour")]).toEqual([400, null]);
});
