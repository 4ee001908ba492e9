import { describe, expect, it } from "vitest";
import type { Message, RequestRecord, Webhook } from "../../../dashboard/src/model/types";
import { controlNote } from "../../../dashboard/src/story/control-note";
import { elapsedBetween } from "../../../dashboard/src/story/elapsed";
import { selfAnswers } from "../../../dashboard/src/story/self-answers";
import { entriesOf, turnsOf } from "../../../dashboard/src/story/turns";
import type { Surroundings } from "../../../src/client/unanswered.js";
import { whyUnanswered } from "../../../src/client/unanswered.js";
import type { Told } from "./story";
import {
  ANSWER,
  answer,
  attempt,
  change,
  control,
  delivery,
  inbound,
  message,
  NOW,
  poll,
  QUESTION,
  request,
  sourcesOf,
  wordsOf,
} from "./story";

const DAY_MS = 86_400_000;

const CASES: Readonly<Record<string, readonly [told: Told, ...turns: string[]]>> = {
  "nobody has written": [{ messages: [] }],
  "a turn for each question that has an answer": [
    { messages: [QUESTION, ANSWER, message("3", "Q2"), answer("4", "A2"), answer("5", "A3")] },
    "Q A",
    "Q2 A2 A3",
  ],
  "a second question without an answer to the first is in its turn, and the answer counts from the first": [
    {
      messages: [
        QUESTION,
        message("2", "Q2", { timestamp: NOW + 5_000 }),
        answer("3", "A", { timestamp: NOW + 6_000 }),
      ],
    },
    "Q Q2 A after 6000",
  ],
  "a question of this run does not wait for one of before": [
    { messages: [QUESTION, message("2", "Q2"), ANSWER], controls: [inbound("c1", null, "2")] },
    "Q",
    "Q2 A",
  ],
  "what employees alone see is no answer": [
    { messages: [QUESTION, answer("2", "note", { invisible: true }), answer("3", "A")] },
    "Q note A",
  ],
  "a call stands before the message that it wrote, not before one that was written by hand": [
    {
      messages: [answer("1", "A"), answer("2", "A")],
      requests: [request("r1")],
      wrote: { 1: "r1" },
      controls: [control("c1", "r1", "POST /threads/9001/employee-message", { response: { id: "2" } })],
    },
    "r1 A A",
  ],
  "a call that took long stands before the message that it wrote, calls of meanwhile where they were": [
    {
      messages: [message("1", "Q"), answer("2", "late")],
      controls: [inbound("c1", "r1", "1")],
      requests: [request("r1"), poll("r2")],
      wrote: { 2: "r1" },
    },
    "Q r1 late r2",
  ],
  "control calls stand between the calls that they were made between": [
    {
      requests: [poll("r1"), poll("r2", { status: 503, fault: "f1" })],
      controls: [
        control("c1", "r1", "POST /clock/advance", { by: "page", body: { by: "25h" } }),
        control("c2", "r1", "POST /faults", {
          response: { id: "f1", on: "request", then: { status: 503 }, times: 2, seen: 0, fired: 0 },
        }),
        control("c3", "r2", "DELETE /faults/f1", { by: "scenario" }),
      ],
    },
    "Q r1 (clock advanced by 25h; by hand) (fault f1 armed: answer 503 on the next 2 requests; through the control API) r2 (fault f1 disarmed; by a scenario)",
  ],
  "changes of the thread stand after what caused them, with their cause": [
    {
      messages: [QUESTION, ANSWER],
      controls: [inbound("c1", null, "1")],
      requests: [request("r1")],
      wrote: { 2: "r1" },
      deliveries: [delivery("d1", "c1", "1"), delivery("d2", "r1", "2")],
      changes: [
        change("c1", "window opened"),
        change("r1", "status waiting → replied"),
        change(null, "window closed", { afterRequest: "r1" }),
      ],
    },
    "Q (window opened; by hand) d1 r1 A (status waiting → replied; by call r1) (window closed; time passed) d2",
  ],
  "what falls due while a call moves the clock stands after that call, what time alone brings before the next one":
    [
      {
        controls: [
          inbound("c1", null, "1"),
          control("c2", null, "POST /clock/advance", { body: { by: "25h" }, by: "page" }),
          control("c3", null, "PUT /clock", { at: NOW + 2 * DAY_MS, body: { frozen: true }, by: "page" }),
        ],
        changes: [
          change(null, "window closed", { at: NOW + DAY_MS, afterControl: "c1" }),
          change(null, "window closed again", { at: NOW + 2 * DAY_MS, afterControl: "c2" }),
        ],
      },
      "Q (clock advanced by 25h; by hand) (window closed; time passed) (window closed again; time passed) (clock frozen; by hand)",
    ],
  "a change that is known is told once, one of before the page was opened by its call": [
    {
      controls: [
        control("c1", null, "POST /threads/9001/window", { body: { open: false } }),
        control("c2", null, "POST /threads/9001/window", { body: { open: true } }),
        control("c3", null, "POST /threads/9002/window", { body: { open: true } }),
      ],
      changes: [change("c2", "window opened")],
    },
    "Q (window closed; through the control API) (window opened; through the control API)",
  ],
  "a replay stands where it was made, a delivery whose cause is forgotten after its message": [
    {
      messages: [QUESTION, ANSWER],
      controls: [control("c9", "r5", "POST /deliveries/d1/replay", { by: "page" })],
      requests: [request("r5")],
      wrote: { 2: "r5" },
      deliveries: [delivery("d1", "c1", "1"), delivery("d2", "c9", "1")],
    },
    "Q d1 r5 A (delivery d1 replayed; by hand) d2",
  ],
  "attempts, faults and statuses that differ do not fold": [
    {
      requests: [poll("r1"), poll("r2", { status: 503 }), poll("r3", { fault: "f1" }), poll("r4")],
      deliveries: [
        delivery("d1", "c1", "1"),
        delivery("d2", "c1", "1", { attempts: [attempt(500), attempt(500), attempt(200)] }),
      ],
    },
    "Q d1 d2 r4×2 r2 r3",
  ],
  "calls of other threads stay out, unless they were refused before they named one": [
    {
      requests: [
        poll("r1", { query: { customerThreadId: "9002" } }),
        poll("r2", { query: {} }),
        poll("r3", { query: {}, status: 401 }),
        poll("r4", { query: {}, status: 401, by: "scenario" }),
      ],
    },
    "Q r3",
  ],
};

describe("a conversation in turns", () => {
  it.each(Object.entries(CASES))("%s", (_, [told, ...turns]) => {
    expect(wordsOf(told)).toEqual(turns);
  });

  it("tells no secrets of what was set", () => {
    const told = wordsOf({
      controls: [
        control("c1", null, "PATCH /data/webhooks/1", { body: { url: "http://a:SECRET@h/?key=SECRET" } }),
        control("c2", null, "PATCH /behaviour", { body: { "delivery.signature": { secret: "SECRET" } } }),
        control("c3", null, "POST /connect", { body: { url: "http://a:SECRET@h/?key=SECRET" } }),
      ],
    });
    expect(told.join()).toContain("webhook 1 changed: url");
    expect(told.join()).toContain("webhooks connected to http://a:••••ET@h/?key=••••ET");
    expect(told.join()).not.toContain("SECRET");
  });

  it("keeps a question that is unanswered with all that came of it", () => {
    const came = { deliveries: [delivery("d1", "c1", "1")], requests: [poll("r1")] };
    const [turn] = turnsOf(sourcesOf({ controls: [inbound("c1", null, "1")], ...came }));
    expect(turn?.unanswered?.message).toBe(QUESTION);
    expect(turn?.unanswered?.events.map(({ entry }) => entry.id)).toEqual(["d1", "r1"]);
  });
});

const crm = { id: "1", hookId: "crm", organizationId: "200", url: "http://127.0.0.1:3000/hook" };
const CRM: Webhook = {
  ...crm,
  enabled: true,
  subscribedEvents: ["messages"],
  extraHeaders: [],
  legacy: false,
};
const REFUSED = { status: 400, response: { error: "The messaging window is closed: send a template" } };
const CLOSED = "Your bot's call was refused: 400 The messaging window is closed: send a template.";
const IGNORED = "The event was delivered (200), and no call has come since.";
const sent = (rest: Parameters<typeof delivery>[3], ...requests: RequestRecord[]): Told => ({
  deliveries: [delivery("d1", "c1", "1", rest)],
  requests,
});
const FAILED = { status: "failed", attempts: [attempt(500)] } as const;
const BROKEN = "Your bot answered the webhook with 500";
const MOVED = { url: "http://127.0.0.1:4000/hook" };
const NOT_FOUND = { status: 404, response: { error: "Customer thread not found" } };
/** A call that wrote to another thread. */
const wrote = (id: string, customerThreadId: string, rest: Partial<RequestRecord> = {}) =>
  request(id, { body: { customerThreadId }, ...rest });
/** The customer asks in vain, and again. */
const AGAIN: Told = {
  messages: [QUESTION, message("2", "Hello?")],
  controls: [inbound("c1", null, "1"), inbound("c2", "r1", "2")],
};
/** The event hangs, or is blocked. */
const waits = (reason: string | null, status: "pending" | "blocked" = "pending") =>
  ({ status, attempts: [], reason }) as const;
const HELD = "held by fault f1";
const SINK = "sink:demo";
const BLOCKED = waits("no", "blocked");
/** Two deliveries: of an earlier message or webhook, and of the question. */
const two = (first: ReturnType<typeof delivery>, rest: Parameters<typeof delivery>[3] = {}): Told => ({
  deliveries: [first, delivery("d2", "c1", "1", rest)],
});
const failing = (attempted: object, status: "failed" | "pending" = "failed") =>
  sent({ status, attempts: [{ ...attempt(500), ...attempted }] });
const refused = (response: object, status = 400) => sent({}, request("r1", { status, response }));
const OPEN = request("r1", { durationMs: null, status: null });
const BOOM = { ...attempt(500), responseBody: "boom" };
const slow = (on: "request" | "delivery") =>
  ({ faults: [{ id: "f1", on, then: { delayMs: 1 }, seen: 1, fired: 1 }] }) as const;
const page = (html: string) => failing({ responseBody: `<!DOCTYPE html>\n<title>Error</title>\n${html}` });
const off: Webhook = { ...CRM, enabled: false };
const deaf: Webhook = { ...CRM, id: "2", hookId: "bot", subscribedEvents: [] };
const body = { customerThreadId: "9001", text: "x", internal: true };
const PROBLEMS = {
  body: [{ property: "@.text", message: "is missing" }],
  headers: [{ property: "token", message: "is unknown" }],
};

/** What turns.gate.test.ts and story.gate.test.ts show in a page has no line here. */
const DUE: readonly (readonly [why: string, told: Told, around?: Partial<Surroundings>])[] = [
  ["Acme Retail has no webhook to send the event to.", {}, { webhooks: [] }],
  ["No webhook is subscribed to messages: bot.", {}, { webhooks: [deaf] }],
  ["The log has no event for this message.", {}],
  // Of several webhooks, one got the event.
  [`${BROKEN}: boom.`, two(delivery("d1", "c1", "1", { webhookId: "2" }), { ...FAILED, attempts: [BOOM] })],
  [
    "The event was delivered (200), and no call has come since; webhook bot is disabled.",
    sent({}),
    { webhooks: [CRM, { ...off, id: "2", hookId: "bot" }] },
  ],
  [
    "The event went to the built-in receiver sink:demo only: webhook crm is disabled, webhook bot is not subscribed to messages.",
    sent({ url: SINK, webhookId: "3" }),
    { webhooks: [off, deaf] },
  ],
  [
    "The event for webhook crm is blocked: no.",
    two(delivery("d1", "c1", "1", { url: SINK, webhookId: "2" }), BLOCKED),
  ],
  ["The event for webhook crm is blocked: no.", sent(BLOCKED)],
  [`The event for webhook crm is ${HELD}.`, sent(waits(HELD))],
  [
    "Your bot has kept the webhook open for 6 s; timeout at 10 s.",
    sent(waits(null)),
    { openFor: () => 6_400, timeoutMs: 10_000 },
  ],
  [
    "The event for webhook crm waits for delivery d1.",
    two(delivery("d1", "c0", "0", { ...FAILED, status: "pending" }), waits(null)),
  ],
  [
    "Your bot did not respond at http://127.0.0.1:3000/hook: timed out after 800 ms, waiting for a response.",
    failing({ status: null, error: "timed out after 800 ms, waiting for a response" }),
  ],
  [
    "Your bot could not be reached at http://127.0.0.1:3000/hook: connection refused.",
    failing(attempt(null)),
  ],
  [`${BROKEN}; it will be retried.`, failing({}, "pending")],
  [`${BROKEN}: TypeError: no.`, failing({ responseBody: "TypeError: no\n  at bot.js" })],
  [`${BROKEN}: TypeError: no 'id'.`, page("<body>\n<pre>TypeError: no &#39;id&#39;<br>at bot.js</pre>")],
  [`${BROKEN}: Internal Server Error.`, page("<style>p {\n}</style><h1>Internal Server Error</h1>\n<p>The")],
  [
    "Your bot answered the webhook with 200, which delivery.success does not list.",
    failing({ status: 200, responseBody: "{}" }),
  ],
  ["Fault f1 hit the event for webhook crm: 503.", failing({ status: 503, fault: "f1" })],
  [
    "Fault f1 hit the event for webhook crm: 401: signature mismatch.",
    failing({ status: 401, fault: "f1", responseBody: "signature mismatch" }),
  ],
  ["Fault f1 delays the event for webhook crm.", sent(waits(null)), slow("delivery")],
  [
    "Webhook crm has not answered yet.",
    two(delivery("d1", "c0", "0", { attempts: [{ ...attempt(200), fault: "f1" }] }), waits(null)),
    slow("delivery"),
  ],
  ["Your bot's call r1 has no response yet: fault f1 delays it.", sent({}, OPEN), slow("request")],
  ["Your bot's call r1 has no response yet.", sent({}, OPEN)],
  ["Fault f1 changed the response to your bot's call r1.", sent({}, poll("r1", { fault: "f1" }))],
  [
    "Your bot's call was refused: 401 Invalid API token. `acme-token` has expired: see tokens.lifetime.",
    refused({ error: "Invalid API token" }, 401),
  ],
  [
    "Fault f1 answered, in place of your bot, the event for webhook crm: 200.",
    sent({ attempts: [{ ...attempt(200), fault: "f1", stubbed: true }] }),
  ],
  [
    `${BROKEN}. That was the earlier URL of crm. Replay the event, or write again.`,
    sent(FAILED),
    { webhooks: [{ ...CRM, ...MOVED }] },
  ],
  [`${BROKEN}.`, sent(FAILED, request("r1", { ...REFUSED, by: "scenario" }))],
  ["The event was delivered (200); 2 calls since, none with a reply.", sent({}, poll("r1"), poll("r2"))],
  [
    "Your bot's message is internal: the customer does not see it.",
    sent({}, request("r1", { body }), poll("r2")),
  ],
  ["Your bot's call was refused: 400 @.text is missing; token is unknown.", refused(PROBLEMS)],
  [CLOSED, sent({}, request("r1", REFUSED), poll("r2"))],
  [
    "Your bot's call was refused: closed without an answer.",
    sent({}, request("r1", { status: null, response: null })),
  ],
  ["Fault f1 answered your bot's call with 503.", sent({}, request("r1", { status: 503, fault: "f1" }))],
  // What became of an earlier message is no news.
  [IGNORED, { deliveries: [delivery("d1", "c1", "1", FAILED), delivery("d2", "c2", "1")] }],
  ...([FAILED, waits(HELD)] as const).map(
    (earlier) =>
      [
        IGNORED,
        { ...AGAIN, deliveries: [delivery("d1", "c1", "1", earlier), delivery("d2", "c2", "2")] },
      ] as const,
  ),
  [IGNORED, { ...AGAIN, requests: [request("r1", REFUSED)], deliveries: [delivery("d2", "c2", "2")] }],
  // A bot that answers elsewhere.
  [
    "Your bot wrote to Maria Lopez (9002) instead: 400 The messaging window is closed: send a template.",
    sent({}, wrote("r1", "9002", REFUSED)),
  ],
  // Having read the thread as it should.
  ["Your bot wrote to Maria Lopez (9002) instead.", sent({}, poll("r1"), wrote("r2", "9002"))],
  [
    "Your bot used `s1.acme-token` of sandbox s1. The key for this conversation is `s1.acme-token`.",
    sent({}, poll("r1")),
    { stray: { after: "d1", sandbox: "s1", call: request("r1", { token: "s1.acme-token" }) } },
  ],
  [
    "Your bot wrote to Alan Johnson (14001) instead, through the widget's route.",
    sent(
      {},
      request("r1", {
        operation: "sendMessageToBusiness",
        body: {},
        response: { customerThreadId: "14001" },
      }),
    ),
  ],
  [
    "Your bot wrote to thread 12345 instead, which does not exist: 404 Customer thread not found.",
    sent({}, wrote("r1", "12345", NOT_FOUND)),
  ],
  [
    "The event was delivered (200); 1 call since, none for this customer.",
    {
      deliveries: [delivery("d1", "c1", "1"), delivery("d2", "c2", "7", { threadId: "9002" })],
      requests: [wrote("r1", "9002")],
    },
  ],
  [IGNORED, { ...sent({}, wrote("r1", "9002")), controls: [inbound("c1", "r1", "1")] }],
  [IGNORED, sent({}), { stray: { after: "d0", sandbox: "default", call: request("r1") } }],
];

describe("why an answer is due", () => {
  it.each(DUE.map(([why, told, around = {}]) => ({ why, told, around })))("$why", ({ why, told, around }) => {
    const all = { controls: [inbound("c1", null, "1")], ...told };
    const { requests = [], deliveries = [] } = all;
    const unanswered = turnsOf(sourcesOf(all)).at(-1)?.unanswered;
    const places = new Map(all.controls.map(controlNote).map(({ id, rank }) => [id, rank]));
    const known: Surroundings = {
      webhooks: [CRM],
      requests,
      deliveries,
      rankOf: (cause) => places.get(cause ?? "") ?? (cause?.startsWith("r") ? Number(cause.slice(1)) : 0),
      organization: "Acme Retail",
      faults: [],
      customerOf: (id) => ({ "9001": "Alan Johnson", "9002": "Maria Lopez", "14001": "Alan Johnson" })[id],
      tokenProblem: (token) => (token === "x" ? "No token is called `x`." : ""),
      apiKey: "s1.acme-token",
      openFor: () => undefined,
      timeoutMs: undefined,
      inOrder: true,
      stray: undefined,
    };
    expect(unanswered && whyUnanswered(entriesOf(unanswered), { ...known, ...around }).text).toBe(why);
  });
});

it.each([
  ["by a running clock, exactly", [1_000, 50], [2_400, 1_500], { ms: 1_400, isReal: true }],
  ["in real time, where the clock stood still", [1_000, 50], [1_000, 1_550], { ms: 1_500, isReal: true }],
  ["in real time, where the clock moved", [1_000, 50], [90_001_000, 1_550], { ms: 1_500, isReal: true }],
  ["by the clock, where nobody saw it", [1_000], [9_000], { ms: 8_000, isReal: false }],
  ["unknown on a frozen clock", [1_000], [1_000], undefined],
] as const)("the time between two events is told %s", (_, [from, heardFrom], [to, heardTo], expected) => {
  expect(elapsedBetween({ time: from, heard: heardFrom }, { time: to, heard: heardTo })).toEqual(expected);
});

const answers = (count: number): Message[] =>
  Array.from({ length: count }, (_, at) => answer(`${2 + at}`, "A"));
const byCalls = (messages: readonly Message[]) =>
  Object.fromEntries(messages.filter(({ fromCustomer }) => !fromCustomer).map(({ id }) => [id, `r${id}`]));

it.each<[string, readonly Message[], boolean, number | undefined]>([
  ["a bot that writes one message after the other", [QUESTION, ...answers(7)], true, 7],
  ["a few messages", [QUESTION, ...answers(4)], true, undefined],
  ["employees who write by hand", [QUESTION, ...answers(7)], false, undefined],
  ["a customer who has written since", [QUESTION, ...answers(7), message("20", "Stop")], true, undefined],
  ["nobody", [], true, undefined],
])("counts, for a bot that answers itself, messages of %s", (_, messages, isByApi, expected) => {
  const turns = turnsOf(sourcesOf({ messages, wrote: isByApi ? byCalls(messages) : {} }));
  expect(selfAnswers(turns.at(-1))).toBe(expected);
});
