import { expect, it } from "vitest";
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
const BY_PAGE = { by: "page" } as const;
const CONTROL = "through the control API";
const ASKED = inbound("c1", null, "1");
const SENT = delivery("d1", "c1", "1");
const REPLIED = { messages: [QUESTION, ANSWER], requests: [request("r1")], wrote: { 2: "r1" } };

const CASES: readonly (readonly [fact: string, told: Told, ...turns: string[]])[] = [
  ["nobody has written", { messages: [] }],
  [
    "a turn for each question that has an answer",
    { messages: [QUESTION, ANSWER, message("3", "Q2"), answer("4", "A2"), answer("5", "A3")] },
    "Q A",
    "Q2 A2 A3",
  ],
  [
    "a second question without an answer to the first is in its turn, and the answer counts from the first",
    { messages: [QUESTION, message("2", "Q2"), answer("3", "A", { timestamp: NOW + 6_000 })] },
    "Q Q2 A after 6000",
  ],
  [
    "a question of this run does not wait for one of before",
    { messages: [QUESTION, message("2", "Q2"), ANSWER], controls: [inbound("c1", null, "2")] },
    "Q",
    "Q2 A",
  ],
  [
    "what employees alone see is no answer",
    { messages: [QUESTION, answer("2", "note", { invisible: true }), answer("3", "A")] },
    "Q note A",
  ],
  [
    "a call stands before the message that it wrote, not before one that was written by hand",
    {
      ...REPLIED,
      messages: [ANSWER, answer("3", "By hand")],
      controls: [control("c1", "r1", "POST /threads/9001/employee-message", { response: { id: "3" } })],
    },
    "r1 A By hand",
  ],
  [
    "a call that took long stands before the message that it wrote, calls of meanwhile where they were",
    { ...REPLIED, controls: [inbound("c1", "r1", "1")], requests: [request("r1"), poll("r2")] },
    "Q r1 A r2",
  ],
  [
    "control calls stand between the calls that they were made between",
    {
      requests: [poll("r1"), poll("r2", { status: 503, fault: "f1" })],
      controls: [
        control("c1", "r1", "POST /clock/advance", { ...BY_PAGE, body: { by: "25h" } }),
        control("c2", "r1", "POST /faults", {
          response: { id: "f1", on: "request", then: { status: 503 }, times: 2, seen: 0, fired: 0 },
        }),
        control("c3", "r2", "DELETE /faults/f1", { by: "scenario" }),
      ],
    },
    `Q r1 (clock advanced by 25h; by hand) (fault f1 armed: answer 503 on the next 2 requests; ${CONTROL}) r2 (fault f1 disarmed; by a scenario)`,
  ],
  [
    "changes of the thread stand after what caused them, with their cause",
    {
      ...REPLIED,
      controls: [ASKED],
      deliveries: [SENT, delivery("d2", "r1", "2")],
      changes: [
        change("c1", "window opened"),
        change("r1", "status waiting → replied"),
        change(null, "window closed", { afterRequest: "r1" }),
      ],
    },
    "Q (window opened; by hand) d1 r1 A (status waiting → replied; by call r1) (window closed; time passed) d2",
  ],
  [
    "what falls due while a call moves the clock stands after that call, what time alone brings before the next one",
    {
      controls: [
        ASKED,
        control("c2", null, "POST /clock/advance", { ...BY_PAGE, body: { by: "25h" } }),
        control("c3", null, "PUT /clock", { ...BY_PAGE, at: NOW + 2 * DAY_MS, body: { frozen: true } }),
      ],
      changes: [
        change(null, "closed", { at: NOW + DAY_MS, afterControl: "c1" }),
        change(null, "again", { at: NOW + 2 * DAY_MS, afterControl: "c2" }),
      ],
    },
    "Q (clock advanced by 25h; by hand) (closed; time passed) (again; time passed) (clock frozen; by hand)",
  ],
  [
    "a change that is known is told once, one of before the page was opened by its call",
    {
      controls: [
        control("c1", null, "POST /threads/9001/window", { body: { open: false } }),
        control("c2", null, "POST /threads/9001/window", { body: { open: true } }),
        control("c3", null, "POST /threads/9002/window", { body: { open: true } }),
      ],
      changes: [change("c2", "window opened")],
    },
    `Q (window closed; ${CONTROL}) (window opened; ${CONTROL})`,
  ],
  [
    "a replay stands where it was made, a delivery whose cause is forgotten after its message",
    {
      ...REPLIED,
      controls: [control("c9", "r1", "POST /deliveries/d1/replay", BY_PAGE)],
      deliveries: [SENT, delivery("d2", "c9", "1")],
    },
    "Q d1 r1 A (delivery d1 replayed; by hand) d2",
  ],
  [
    "attempts, faults and statuses that differ do not fold",
    {
      requests: [poll("r1"), poll("r2", { status: 503 }), poll("r3", { fault: "f1" }), poll("r4")],
      deliveries: [SENT, delivery("d2", "c1", "1", { attempts: [500, 500, 200].map(attempt) })],
    },
    "Q d1 d2 r4×2 r2 r3",
  ],
  [
    "calls of other threads stay out, unless they were refused before they named one",
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
];

it.each(CASES.map(([fact, told, ...turns]) => ({ fact, told, turns })))("turns: $fact", ({ told, turns }) => {
  expect(wordsOf(told)).toEqual(turns);
});

it("a conversation tells no secrets of what was set", () => {
  const body = { url: "http://a:SECRET@h/?key=SECRET" };
  const controls = [
    control("c1", null, "PATCH /data/webhooks/1", { body }),
    control("c2", null, "PATCH /behaviour", { body: { "delivery.signature": { secret: "SECRET" } } }),
    control("c3", null, "POST /connect", { body }),
  ];
  const [told] = wordsOf({ controls });
  expect(told).toContain("webhook 1 changed: url");
  expect(told).toContain("webhooks connected to http://a:••••ET@h/?key=••••ET");
  expect(told).not.toContain("SECRET");
});

it("a conversation keeps a question that is unanswered with all that came of it", () => {
  const [turn] = turnsOf(sourcesOf({ controls: [ASKED], deliveries: [SENT], requests: [poll("r1")] }));
  expect(turn?.unanswered?.message).toBe(QUESTION);
  expect(turn?.unanswered?.events.map(({ entry }) => entry.id)).toEqual(["d1", "r1"]);
});

const url = "http://127.0.0.1:3000/hook";
const known = { id: "1", hookId: "crm", organizationId: "200", url, extraHeaders: [], legacy: false };
const CRM: Webhook = { ...known, enabled: true, subscribedEvents: ["messages"] };
const EVENT = "event for webhook crm";
const CLOSED = "The messaging window is closed: send a template";
const REFUSED = { status: 400, response: { error: CLOSED } };
const WAS_REFUSED = "Your bot's call was refused:";
const TO_MARIA = "Your bot wrote to Maria Lopez (9002) instead";
const IGNORED = "The event was delivered (200), and no call has come since.";
const sent = (rest: Parameters<typeof delivery>[3], ...requests: RequestRecord[]): Told => ({
  deliveries: [delivery("d1", "c1", "1", rest)],
  requests,
});
const FAILED = { status: "failed", attempts: [attempt(500)] } as const;
const ANSWERED = "Your bot answered the webhook with";
const BROKEN = `${ANSWERED} 500`;
const TIMED_OUT = "timed out after 800 ms, waiting for a response";
const HIT = { ...attempt(200), fault: "f1" };
const STUB = { ...HIT, stubbed: true as const };
const MOVED = { webhooks: [{ ...CRM, url: "http://127.0.0.1:4000/hook" }] };
const HANGING = { openFor: () => 6_400, timeoutMs: 10_000 };
const EXPIRED = "`acme-token` has expired: see tokens.lifetime.";
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
const earlier = (rest: Parameters<typeof delivery>[3]) => delivery("d1", "c0", "0", rest);
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
const INTERNAL = request("r1", { body: { customerThreadId: "9001", text: "x", internal: true } });
const BEGUN = { operation: "sendMessageToBusiness", body: {}, response: { customerThreadId: "14001" } };
const WIDGET = request("r1", BEGUN);
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
    "Webhook crm still points to sink:demo, a built-in receiver; webhook crm is disabled; webhook bot is not subscribed to messages.",
    sent({ url: SINK, webhookId: "3" }),
    { webhooks: [off, deaf] },
  ],
  [`The ${EVENT} is blocked: no.`, two(delivery("d1", "c1", "1", { url: SINK, webhookId: "2" }), BLOCKED)],
  [`The ${EVENT} is ${HELD}.`, sent(waits(HELD))],
  ["Your bot has not answered the webhook for 6 s; timeout at 10 s.", sent(waits(null)), HANGING],
  [`The ${EVENT} waits for delivery d1.`, two(earlier({ ...FAILED, status: "pending" }), waits(null))],
  [`Your bot did not respond at ${url}: ${TIMED_OUT}.`, failing({ status: null, error: TIMED_OUT })],
  [`Your bot could not be reached at ${url}: connection refused.`, failing(attempt(null))],
  [`${BROKEN}; it will be retried.`, failing({}, "pending")],
  [`${BROKEN}: TypeError: no.`, failing({ responseBody: "TypeError: no\n  at bot.js" })],
  [`${BROKEN}: TypeError: no 'id'.`, page("<body>\n<pre>TypeError: no &#39;id&#39;<br>at bot.js</pre>")],
  [`${BROKEN}: Internal Server Error.`, page("<style>p {\n}</style><h1>Internal Server Error</h1>\n<p>The")],
  [`${ANSWERED} 200, which delivery.success does not list.`, failing({ status: 200, responseBody: "{}" })],
  [`Fault f1 hit the ${EVENT}: 401: forged.`, failing({ status: 401, fault: "f1", responseBody: "forged" })],
  [`Fault f1 delays the ${EVENT}.`, sent(waits(null)), slow("delivery")],
  ["Webhook crm has not answered yet.", two(earlier({ attempts: [HIT] }), waits(null)), slow("delivery")],
  ["Your bot's call r1 has no response yet: fault f1 delays it.", sent({}, OPEN), slow("request")],
  ["Your bot's call r1 has no response yet.", sent({}, OPEN)],
  ["Fault f1 changed the response to your bot's call r1.", sent({}, poll("r1", { fault: "f1" }))],
  [`${WAS_REFUSED} 401 Invalid API token. ${EXPIRED}`, refused({ error: "Invalid API token" }, 401)],
  [`Fault f1 answered, in place of your bot, the ${EVENT}: 200.`, sent({ attempts: [STUB] })],
  [`${BROKEN}. That was the earlier URL of crm. Replay the event, or write again.`, sent(FAILED), MOVED],
  [`${BROKEN}.`, sent(FAILED, request("r1", { ...REFUSED, by: "scenario" }))],
  ["The event was delivered (200); 2 calls since, none with a reply.", sent({}, poll("r1"), poll("r2"))],
  ["Your bot's message is internal: the customer does not see it.", sent({}, INTERNAL, poll("r2"))],
  [`${WAS_REFUSED} 400 @.text is missing; token is unknown.`, refused(PROBLEMS)],
  [`${WAS_REFUSED} 400 ${CLOSED}.`, sent({}, request("r1", REFUSED), poll("r2"))],
  [`${WAS_REFUSED} closed without an answer.`, sent({}, request("r1", { status: null, response: null }))],
  ["Fault f1 answered your bot's call with 503.", sent({}, request("r1", { status: 503, fault: "f1" }))],
  // What became of an earlier message is no news.
  [IGNORED, { deliveries: [delivery("d1", "c1", "1", FAILED), delivery("d2", "c2", "1")] }],
  [IGNORED, { ...AGAIN, deliveries: [delivery("d1", "c1", "1", FAILED), delivery("d2", "c2", "2")] }],
  [IGNORED, { ...AGAIN, requests: [request("r1", REFUSED)], deliveries: [delivery("d2", "c2", "2")] }],
  // A bot that answers elsewhere.
  [`${TO_MARIA}: 400 ${CLOSED}.`, sent({}, wrote("r1", "9002", REFUSED))],
  // Having read the thread as it should.
  [`${TO_MARIA}.`, sent({}, poll("r1"), wrote("r2", "9002"))],
  [
    "Your bot used `s1.acme-token` of sandbox s1. The key for this conversation is `s1.acme-token`.",
    sent({}, poll("r1")),
    { stray: { after: "d1", sandbox: "s1", call: request("r1", { token: "s1.acme-token" }) } },
  ],
  ["Your bot wrote to Alan Johnson (14001) instead, through the widget's route.", sent({}, WIDGET)],
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

it.each(DUE.map(([why, told, around = {}]) => ({ why, told, around })))("an answer is due: $why", (row) => {
  const told = { controls: [ASKED], requests: [], deliveries: [], ...row.told };
  const unanswered = turnsOf(sourcesOf(told)).at(-1)?.unanswered;
  const places = new Map(told.controls.map(controlNote).map(({ id, rank }) => [id, rank]));
  const around: Surroundings = {
    webhooks: [CRM],
    requests: told.requests,
    deliveries: told.deliveries,
    rankOf: (cause) => places.get(cause ?? "") ?? (cause?.startsWith("r") ? Number(cause.slice(1)) : 0),
    organization: "Acme Retail",
    faults: [],
    customerOf: (id) => ({ "9001": "Alan Johnson", "9002": "Maria Lopez", "14001": "Alan Johnson" })[id],
    tokenProblem: () => "",
    apiKey: "s1.acme-token",
    timeoutMs: undefined,
    inOrder: true,
    ...row.around,
  };
  expect(unanswered && whyUnanswered(entriesOf(unanswered), around).text).toBe(row.why);
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

const ids = ["2", "3", "4", "5", "6", "7", "8"];
const answers = ids.map((id) => answer(id, "A"));

it.each<[string, readonly Message[], boolean, number | undefined]>([
  ["a bot that writes one message after the other", [QUESTION, ...answers], true, 7],
  ["a few messages", [QUESTION, ...answers.slice(3)], true, undefined],
  ["employees who write by hand", [QUESTION, ...answers], false, undefined],
  ["a customer who has written since", [QUESTION, ...answers, message("20", "Stop")], true, undefined],
  ["nobody", [], true, undefined],
])("counts, for a bot that answers itself, messages of %s", (_, messages, isByApi, expected) => {
  const wrote = Object.fromEntries(isByApi ? ids.map((id) => [id, `r${id}`]) : []);
  expect(selfAnswers(turnsOf(sourcesOf({ messages, wrote })).at(-1))).toBe(expected);
});
