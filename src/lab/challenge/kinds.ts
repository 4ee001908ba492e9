/** Every kind of challenge. */

import type { FaultInput } from "../../client/types.js";
import type { EventType } from "../../protocol/names.js";

/** A kind of event by its cause, which challenges are named after. */
export interface EventSubject {
  readonly name: string;
  /** Matches exactly its deliveries. */
  readonly match: NonNullable<FaultInput["match"]>;
  readonly legacy: boolean;
  /** Some are about messages by the system under test. */
  readonly isOwn: boolean;
  /** All are, so no system under test has to react. */
  readonly isOnlyOwn: boolean;
  readonly event: EventType;
}

/** The required answer to a copy: a status of 400 or more, or one below 300. */
export type CopyAnswer = "a refusal" | "a success";

type Effect = FaultInput["then"];

/** Affects the first call of an operation. */
interface OfOperation {
  readonly about: "operation";
  readonly effect: Effect;
  /** Also affects further calls for so long, ms: to repeat one earlier is a break. */
  readonly forMs?: number;
}

/** `next`: another event follows without a step waiting; `unanswered`: no message answers it. */
export type EventNeed = "next" | "unanswered" | "signature";

/** Affects every delivery of a kind of event, or every n-th attempt. */
interface OfEvent {
  readonly about: "event";
  readonly every?: number;
  readonly effect: (subject: EventSubject) => Effect;
  /** The events that it applies to; default: all. */
  readonly fits?: (subject: EventSubject) => boolean;
  /** Narrows the deliveries that it affects. */
  readonly match?: (subject: EventSubject) => NonNullable<FaultInput["match"]>;
  /** What the unchanged run must have shown of the event. */
  readonly needs?: EventNeed;
  /** Behaviour that it requires. */
  readonly behaviour?: Readonly<Record<string, unknown>>;
  /** The required answer to the copy that is sent before the delivery. */
  readonly copy?: CopyAnswer;
}

export type ChallengeKind = {
  readonly change: string;
  /** Why this happens in practice. */
  readonly why: string;
  /** How to survive it. */
  readonly remedy: string;
  /** How much longer expectations wait, ms: the remedy takes time. */
  readonly patienceMs?: number;
} & (
  | OfOperation
  | OfEvent
  | { readonly about: "ids"; readonly offset: number }
  | { readonly about: "templates"; readonly templates: "renamed" | "empty" }
  | { readonly about: "behaviour" }
);

/** How the system under test uses templates in an unchanged run. */
export interface TemplateUse {
  /** The conversation in which it listed or sent one first. */
  readonly thread: string;
  /** The path of the first step that a template satisfied, if any. */
  readonly step: string | undefined;
  /** Calls that were refused even then. */
  readonly refused: ReadonlySet<string>;
}

/** The difference to an unchanged run. */
export interface Change {
  readonly behaviour?: Readonly<Record<string, unknown>>;
  readonly faults: readonly FaultInput[];
  /** Added to the ids of threads and messages. */
  readonly offset: number;
  readonly templates?: { readonly are: "renamed" | "empty"; readonly use: TemplateUse };
  /** How much longer expectations wait, ms. */
  readonly patienceMs?: number;
  /** Steps that release what the faults hold back. */
  readonly releasedBy?: "any wait" | "waits for deliveries";
  /** The required answer to copies that are sent before deliveries. */
  readonly copy?: CopyAnswer;
}

export interface Challenge extends Change {
  /** `unavailable/sendMessageToCustomerThread`, `behaviour/ids.acceptNumbers=reject`, `ids-of-15-digits`. */
  readonly name: string;
  readonly kind: ChallengeKindName;
  readonly about: string;
}

export const UNCHANGED: Change = { faults: [], offset: 0 };

/** No message that exists. */
const FORGED = { messageId: 900_000_000_000_001 };

/** A forger's copy, with a message of its own. */
const forged =
  (signature: "bad" | "stale" | "ahead" | "altered" | "re-encoded") =>
  ({ event, legacy }: EventSubject): Effect => ({
    copy: {
      signature,
      payload: event === "transfer" ? {} : legacy ? FORGED : { data: FORGED },
    },
  });

const FORGERY = { about: "event", needs: "signature", copy: "a refusal" } as const;

/** The specification promises legacy webhooks exactly one POST. */
const isRepeated = ({ legacy }: EventSubject): boolean => !legacy;

/** What `Retry-After` asks for, and how early the caller's timer may be, ms. */
const RETRY_AFTER_MS = 1_000;
const TIMER_MS = 50;

const SLOW_MS = 600;
const LATE_MS = 40;
/** Well within the tolerance of signatures, ms. */
const SKEW_MS = 120_000;

const REFUSE =
  "Verify the signature over the raw bytes of the body before anything else; if it is wrong, respond with 401 and do nothing.";
const REMEMBER =
  "Store the message id before you handle the message, and respond to a second delivery of it with 200 immediately.";
const TOLERATE = "Accept timestamps up to five minutes before or after your own clock; they are in seconds.";
const KEEP_AS_TEXT = "Keep ids as text, from the event through your database and back.";

export const CHALLENGE_KINDS = {
  behaviour: {
    about: "behaviour",
    change: "a question that the specification leaves open is answered differently",
    why: "Undocumented behaviour may differ between accounts, and change without notice.",
    remedy: "Do not rely on undocumented behaviour; the entry of the behaviour table describes it.",
  },
  unavailable: {
    about: "operation",
    change: "the first call gets 503, and nothing changes",
    why: "While services are restarted, deployed or scaled, their proxies answer 503.",
    remedy: "Retry calls that got 502, 503 or 504 after a short delay, a few times at most.",
    effect: { status: 503, body: { error: "Service unavailable" } },
  },
  "rate-limited": {
    about: "operation",
    change: "the first call, and every further one within a second, gets 429 and `Retry-After: 1`",
    why: "APIs limit the calls per token; busy hours reach any limit.",
    remedy: "Retry a call that got 429 after the seconds of Retry-After, and no sooner.",
    effect: {
      status: 429,
      headers: { "Retry-After": String(RETRY_AFTER_MS / 1_000) },
      body: { error: "Too many requests" },
    },
    forMs: RETRY_AFTER_MS - TIMER_MS,
    patienceMs: 2 * RETRY_AFTER_MS,
  },
  "hang-up-before": {
    about: "operation",
    change: "the connection of the first call is closed before anything has changed",
    why: "Servers, proxies and networks close kept-alive connections at any moment.",
    remedy:
      "Retry a call whose connection was closed; before you retry a POST, check whether the first one took effect.",
    effect: { drop: "before" },
  },
  "hang-up-after": {
    about: "operation",
    change: "the connection of the first call is closed after the change, before the response",
    why: "A response can be lost although the call took effect; the caller cannot tell.",
    remedy: "After a POST without a response, check whether it took effect before you retry it.",
    effect: { drop: "after" },
  },
  slow: {
    about: "operation",
    change: `the response to the first call is ${SLOW_MS} ms late`,
    why: "Responses take longer under load, and other events do not wait for them.",
    remedy: "Do not depend on a call being finished before the next event comes; use generous timeouts.",
    effect: { delayMs: SLOW_MS },
    patienceMs: SLOW_MS,
  },
  malformed: {
    about: "operation",
    change: "the response to the first call is malformed JSON, although the call took effect",
    why: "Proxies respond with their own pages, and responses get truncated.",
    remedy: "Read a body only if you need it, and treat an unreadable one like a lost response.",
    effect: { malformed: true },
  },
  duplicated: {
    about: "event",
    change: "each delivery comes twice at the same time",
    why: "Webhooks are delivered at least once: senders retry when in doubt.",
    remedy: REMEMBER,
    fits: isRepeated,
    effect: () => ({ duplicate: 1 }),
  },
  "sent-again": {
    about: "event",
    change: "the response to the first attempt is lost, so the delivery is retried",
    why: "A sender whose connection breaks before it reads the response cannot know that the event arrived.",
    remedy: REMEMBER,
    fits: isRepeated,
    every: 2,
    behaviour: { "delivery.attempts": 3, "delivery.backoff": ["0s"] },
    effect: () => ({ answerLost: true }),
  },
  swapped: {
    about: "event",
    change: "a delivery changes places with the next one",
    why: "Order is not guaranteed: deliveries use several connections and queues.",
    remedy: "Order events by their timestamp, not by arrival, and read the current state where it matters.",
    needs: "next",
    effect: () => ({ reorder: true }),
  },
  late: {
    about: "event",
    change: `a delivery comes ${LATE_MS} ms after the response to the next one`,
    why: "A retried delivery may come minutes after later events.",
    remedy: "Before you act on an event, check with a GET that it still holds.",
    needs: "next",
    effect: () => ({ reorder: true, delayMs: LATE_MS }),
  },
  lost: {
    about: "event",
    change: "events about messages by the system under test, or about transfers, never come",
    why: "Delivery is not guaranteed: a receiver that restarts misses events.",
    remedy:
      "Continue when a call has succeeded, not when its event comes; take a thread's business from the message or from a GET.",
    fits: ({ event, isOwn }) => event === "transfer" || isOwn,
    match: ({ event }) => (event === "transfer" ? {} : { causedBy: { $regex: "^r" } }),
    needs: "unanswered",
    // The service takes it for delivered.
    effect: () => ({ status: 200 }),
  },
  "unknown-fields": {
    about: "event",
    change: "payloads have undocumented fields",
    why: "Services add fields without notice; this is not a breaking change.",
    remedy: "Read known fields and ignore all others: no strict schema, no `additionalProperties: false`.",
    effect: ({ legacy }) => ({
      payload: {
        undocumented: { nested: [1] },
        ...(legacy ? {} : { data: { undocumented: { nested: [1] } } }),
      },
    }),
  },
  "unknown-event": {
    about: "event",
    change: "each delivery is preceded by one with an undocumented event type",
    why: "Services add event types, and send them to webhooks that did not subscribe to them.",
    remedy: "Respond to an unknown event type with 200, and do nothing.",
    fits: ({ legacy }) => !legacy,
    copy: "a success",
    effect: () => ({ copy: { payload: { eventType: "undocumented", data: null } } }),
  },
  "bad-signature": {
    change: "each delivery is preceded by a forged one, signed with an unknown secret",
    why: "The address of a webhook is not a secret: anyone can send anything to it.",
    remedy: REFUSE,
    ...FORGERY,
    effect: forged("bad"),
  },
  "altered-signature": {
    change: "each delivery is preceded by a forged one whose signature differs in one character",
    why: "A comparison that stops early, or covers only part of it, lets forgeries through.",
    remedy: `${REFUSE} Compare all of it, in constant time.`,
    ...FORGERY,
    effect: forged("altered"),
  },
  "reserialized-body": {
    change: "each delivery is preceded by a forged one whose body differs from the signed bytes",
    why: "A signature over re-serialized JSON does not cover the bytes that were sent.",
    remedy: `${REFUSE} Do not verify it over re-serialized JSON.`,
    ...FORGERY,
    effect: forged("re-encoded"),
  },
  "stale-signature": {
    change: "each delivery is preceded by one that was signed ten minutes ago",
    why: "Anyone who recorded a delivery can replay it with its valid signature.",
    remedy: `${REFUSE} Refuse a timestamp that is more than five minutes from your clock.`,
    ...FORGERY,
    effect: forged("stale"),
  },
  "ahead-signature": {
    change: "each delivery is preceded by one dated ten minutes in the future",
    why: "With a timestamp in the future, a recorded delivery stays valid for as long as an attacker wants.",
    remedy: `${REFUSE} Refuse a timestamp that is more than five minutes from your clock, in either direction.`,
    ...FORGERY,
    effect: forged("ahead"),
  },
  "clock-behind": {
    about: "event",
    change: "the clock that signs is two minutes behind",
    why: "Clocks differ between machines: a tolerance of five minutes is usual.",
    remedy: TOLERATE,
    needs: "signature",
    effect: () => ({ skewMs: -SKEW_MS }),
  },
  "clock-ahead": {
    about: "event",
    change: "the clock that signs is two minutes ahead",
    why: "Clocks differ between machines: a tolerance of five minutes is usual.",
    remedy: TOLERATE,
    needs: "signature",
    effect: () => ({ skewMs: SKEW_MS }),
  },
  "ids-beyond-31-bits": {
    about: "ids",
    change: "conversations have ids greater than 2^31, as messages have in all runs",
    why: "Ids grow: a signed 32-bit integer ends at 2147483647.",
    remedy: KEEP_AS_TEXT,
    offset: 3_000_000_000,
  },
  "ids-of-15-digits": {
    about: "ids",
    change: "conversations have ids of 15 digits",
    why: "Ids are digits of any length: floats print long ones with an exponent, or lose digits.",
    remedy: KEEP_AS_TEXT,
    offset: 900_000_000_000_000,
  },
  "templates-renamed": {
    about: "templates",
    change: "all templates have another contentSid, but the same titles",
    why: "A changed template is approved again with a new contentSid, and each account has its own.",
    remedy: "List the thread's templates before you send one, and find yours by title.",
    templates: "renamed",
  },
  "templates-empty": {
    about: "templates",
    change: "there are no templates",
    why: "New accounts have no templates, and approvals are withdrawn.",
    remedy: "If your template is not in the list, send nothing, and notify a colleague.",
    templates: "empty",
  },
} as const satisfies Readonly<Record<string, ChallengeKind>>;
export type ChallengeKindName = keyof typeof CHALLENGE_KINDS;

/** Former names, still accepted in options, scenarios and files. */
const FORMER = new Map([
  ["twice", "duplicated"],
  ["re-encoded", "reserialized-body"],
]);

/** Joins the names of two challenges that are tried together. */
export const AND = " + ";

/** A name or pattern with current names of kinds in place of former ones. */
export const currentName = (name: string): string =>
  name
    .split(AND)
    .map((one) => {
      const [kind = "", ...subject] = one.split("/");
      return [FORMER.get(kind) ?? kind, ...subject].join("/");
    })
    .join(AND);

/** Whether a name is that of a kind or fits a pattern, in which `*` stands for anything. */
export const fitsAny = (patterns: readonly string[], name: string): boolean =>
  patterns.map(currentName).some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`).test(name) || name.startsWith(`${pattern}/`);
  });

/** The name of a challenge without what it is about; of a pair both. */
export const kindOfName = (name: string): string => name.replace(/\/.*?(?= \+ |$)/g, "");

/** The kind that a pattern names, unless it may name several. */
export function kindOfPattern(pattern: string): string | undefined {
  const [kind = ""] = currentName(pattern).split("/");
  return kind.includes("*") ? undefined : kind;
}
