/** Why a customer has no reply: the sentence for each state of the logs. */
import { expect, it } from "vitest";
import type { DeliveryRecord, RequestRecord, Webhook } from "../../src/client/types.js";
import { numberOf } from "../../src/kernel/objects.js";
import { type Facts, whyUnanswered } from "../../src/server/unanswered.js";
import { tokenProblem } from "../../src/server/why-no-reply.js";
import { attempt, delivery, poll, request, THREAD } from "../support/entries.js";

interface Asked {
  /** The control call that wrote it. */
  readonly cause: string;
  /** The call before it. */
  readonly after: string | null;
  readonly message: string;
}
/** What the logs tell; the customer has asked once, if not said otherwise. */
interface Told {
  readonly asked?: readonly Asked[];
  readonly requests?: readonly RequestRecord[];
  readonly deliveries?: readonly DeliveryRecord[];
}
const asked = (cause: string, after: string | null, message: string): Asked => ({ cause, after, message });

const url = "http://127.0.0.1:3000/hook";
const known = { id: "1", hookId: "crm", organizationId: "200", url, extraHeaders: [], legacy: false };
const CRM: Webhook = { ...known, enabled: true, subscribedEvents: ["messages"] };
const EVENT = "event for webhook crm";
const CLOSED = "The messaging window is closed: send a template";
const REFUSED = { status: 400, response: { error: CLOSED } };
const WAS_REFUSED = "Your program's call was refused:";
const TO_MARIA = "Your program wrote to Maria Lopez (9002) instead";
const IGNORED = "The event was delivered (200), and no call has come since.";
const sent = (rest: Parameters<typeof delivery>[3], ...requests: RequestRecord[]): Told => ({
  deliveries: [delivery("d1", "c1", "1", rest)],
  requests,
});
const FAILED = { status: "failed", attempts: [attempt(500)] } as const;
const ANSWERED = "Your program answered the webhook with";
const BROKEN = `${ANSWERED} 500`;
const TIMED_OUT = "timed out after 800 ms, waiting for a response";
const HIT = { ...attempt(200), fault: "f1" };
const STUB = { ...HIT, stubbed: true as const };
const MOVED = { webhooks: [{ ...CRM, url: "http://127.0.0.1:4000/hook" }] };
const EXPIRED = "`acme-token` has expired: see tokens.lifetime.";
const NOT_FOUND = { status: 404, response: { error: "Customer thread not found" } };
/** A call that wrote to another thread. */
const wrote = (id: string, customerThreadId: string, rest: Partial<RequestRecord> = {}) =>
  request(id, { body: { customerThreadId }, ...rest });
/** The customer asks in vain, and again. */
const AGAIN: Told = { asked: [asked("c1", null, "1"), asked("c2", "r1", "2")] };
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
const SLOW = { faults: [{ id: "f1", on: "delivery", then: { delayMs: 1 }, seen: 1, fired: 1 }] } as const;
const page = (html: string) => failing({ responseBody: `<!DOCTYPE html>\n<title>Error</title>\n${html}` });
const off: Webhook = { ...CRM, enabled: false };
const deaf: Webhook = { ...CRM, id: "2", hookId: "bot", subscribedEvents: [] };
const INTERNAL = request("r1", { body: { customerThreadId: "9001", text: "x", internal: true } });
const PROBLEMS = {
  body: [{ property: "@.text", message: "is missing" }],
  headers: [{ property: "token", message: "is unknown" }],
};

const DUE: readonly (readonly [why: string, told: Told, around?: Partial<Facts>])[] = [
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
  ["Your program has not answered the webhook yet; timeout at 10 s.", sent(waits(null))],
  [`The ${EVENT} waits for delivery d1.`, two(earlier({ ...FAILED, status: "pending" }), waits(null))],
  [`Your program did not respond at ${url}: ${TIMED_OUT}.`, failing({ status: null, error: TIMED_OUT })],
  [`Your program could not be reached at ${url}: connection refused.`, failing(attempt(null))],
  [`${BROKEN}; it will be retried.`, failing({}, "pending")],
  [`${BROKEN}: TypeError: no.`, failing({ responseBody: "TypeError: no\n  at bot.js" })],
  [`${BROKEN}: TypeError: no 'id'.`, page("<body>\n<pre>TypeError: no &#39;id&#39;<br>at bot.js</pre>")],
  [`${BROKEN}: Internal Server Error.`, page("<style>p {\n}</style><h1>Internal Server Error</h1>\n<p>The")],
  [`${ANSWERED} 200, which delivery.success does not list.`, failing({ status: 200, responseBody: "{}" })],
  [`Fault f1 hit the ${EVENT}: 401: forged.`, failing({ status: 401, fault: "f1", responseBody: "forged" })],
  [`Fault f1 delays the ${EVENT}.`, sent(waits(null)), SLOW],
  [
    "Your program has not answered the webhook yet; timeout at 10 s.",
    two(earlier({ attempts: [HIT] }), waits(null)),
    SLOW,
  ],
  ["Your program's call r1 has no response yet: fault f1 delays it.", sent({}, { ...OPEN, fault: "f1" })],
  ["Your program's call r1 has no response yet.", sent({}, OPEN)],
  ["Fault f1 changed the response to your program's call r1.", sent({}, poll("r1", { fault: "f1" }))],
  [`${WAS_REFUSED} 401 Invalid API token. ${EXPIRED}`, refused({ error: "Invalid API token" }, 401)],
  [`Fault f1 answered, in place of your program, the ${EVENT}: 200.`, sent({ attempts: [STUB] })],
  [`${BROKEN}. That was the earlier URL of crm. Replay the event, or write again.`, sent(FAILED), MOVED],
  [`${BROKEN}.`, sent(FAILED, request("r1", { ...REFUSED, by: "scenario" }))],
  ["The event was delivered (200); 2 calls since, none with a reply.", sent({}, poll("r1"), poll("r2"))],
  ["Your program's message is internal: the customer does not see it.", sent({}, INTERNAL, poll("r2"))],
  [`${WAS_REFUSED} 400 @.text is missing; token is unknown.`, refused(PROBLEMS)],
  [`${WAS_REFUSED} 400 ${CLOSED}.`, sent({}, request("r1", REFUSED), poll("r2"))],
  [`${WAS_REFUSED} closed without an answer.`, sent({}, request("r1", { status: null, response: null }))],
  ["Fault f1 answered your program's call with 503.", sent({}, request("r1", { status: 503, fault: "f1" }))],
  // What became of an earlier message is no news.
  [IGNORED, { deliveries: [delivery("d1", "c1", "1", FAILED), delivery("d2", "c2", "1")] }],
  [IGNORED, { ...AGAIN, deliveries: [delivery("d1", "c1", "1", FAILED), delivery("d2", "c2", "2")] }],
  [IGNORED, { ...AGAIN, requests: [request("r1", REFUSED)], deliveries: [delivery("d2", "c2", "2")] }],
  // A bot that answers elsewhere.
  [`${TO_MARIA}: 400 ${CLOSED}.`, sent({}, wrote("r1", "9002", REFUSED))],
  // Having read the thread as it should.
  [`${TO_MARIA}.`, sent({}, poll("r1"), wrote("r2", "9002"))],
  [
    "Your program wrote to thread 12345 instead, which does not exist: 404 Customer thread not found.",
    sent({}, wrote("r1", "12345", NOT_FOUND)),
  ],
  [
    "The event was delivered (200); 1 call since, none for this customer.",
    {
      deliveries: [delivery("d1", "c1", "1"), delivery("d2", "c2", "7", { threadId: "9002" })],
      requests: [wrote("r1", "9002")],
    },
  ],
  [IGNORED, { ...sent({}, wrote("r1", "9002")), asked: [asked("c1", "r1", "1")] }],
];

it.each(DUE.map(([why, told, around = {}]) => ({ why, told, around })))("an answer is due: $why", (row) => {
  const { asked: questions = [asked("c1", null, "1")], requests = [], deliveries = [] } = row.told;
  const rankOf = (cause: string | null) => {
    if (cause?.startsWith("r")) return numberOf(cause);
    return numberOf(questions.find((one) => one.cause === cause)?.after) + 0.5;
  };
  const facts: Facts = {
    thread: THREAD,
    asked: new Set(questions.map((one) => one.message)),
    since: rankOf(questions.at(-1)?.cause ?? null),
    webhooks: [CRM],
    requests,
    deliveries,
    rankOf,
    organization: "Acme Retail",
    faults: [],
    customerOf: (id) => ({ "9001": "Alan Johnson", "9002": "Maria Lopez" })[id],
    tokenProblem: () => "",
    timeoutMs: 10_000,
    inOrder: true,
    stray: () => undefined,
    ...row.around,
  };
  expect(whyUnanswered(facts).text).toBe(row.why);
});

it.each([
  [null, undefined, "The call has no token; use `acme-token`."],
  ["acme-tokne", null, "Unknown token `acme-tokne`; use `acme-token`."],
  ["globex-token", "Globex", "`globex-token` is a token of Globex; use `acme-token`."],
  ["acme-token", undefined, ""],
] as const)("a call with the token %s of %s: %s", (token, owner, problem) => {
  expect(tokenProblem(token, owner, "acme-token")).toBe(problem);
});
