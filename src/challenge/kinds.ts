/** What is tried with a system under test: every kind of challenge, once (contract section 10). */
import type { FaultInput } from "../client/types.js";

/** A kind of event, by who caused it, as challenges are named after it. */
export interface EventSubject {
  readonly name: string;
  /** Fits its deliveries, and no others. */
  readonly match: NonNullable<FaultInput["match"]>;
  readonly legacy: boolean;
  /** Some of them are about what the system under test wrote itself. */
  readonly isOwn: boolean;
  /** None of them is about anything else: no system under test has to react to one. */
  readonly isOnlyOwn: boolean;
  readonly event: "message" | "transfer";
}

interface Said {
  /** What is different from the unchanged run. */
  readonly change: string;
  /** Why this happens to integrations. */
  readonly why: string;
  /** What a system under test does that holds. */
  readonly remedy: string;
  /** An earlier name, which options, scenarios and files may still use. */
  readonly formerly?: string;
  /** A system under test that holds may be so much slower, ms: expectations wait longer. */
  readonly patienceMs?: number;
}

/** What must be answered to a copy: `a refusal` is a status from 400 on, `a success` one below 300. */
export type CopyAnswer = "a refusal" | "a success";

/** What a fault does to a call or delivery. */
type Effect = FaultInput["then"];

/** Happens to the first call of an operation. */
interface OfOperation extends Said {
  readonly about: "operation";
  readonly effect: Effect;
  /** It happens to all further calls of the next so many ms too: to repeat one of them earlier is a break. */
  readonly forMs?: number;
}

/** `next`: an event came after it on which nothing had waited; `unanswered`: no message was sent because of it. */
export type EventNeed = "next" | "unanswered" | "signature";

/** Happens to every delivery of a kind of event, or to each n-th attempt. */
interface OfEvent extends Said {
  readonly about: "event";
  readonly every?: number;
  readonly effect: (subject: EventSubject) => Effect;
  /** The events that it makes sense for; left out: all. */
  readonly fits?: (subject: EventSubject) => boolean;
  /** The deliveries of these that it happens to, as a match; left out: all. */
  readonly match?: (subject: EventSubject) => NonNullable<FaultInput["match"]>;
  /** What the unchanged run must have shown of the event. */
  readonly needs?: EventNeed;
  /** What must hold beside it for it to happen. */
  readonly behaviour?: Readonly<Record<string, unknown>>;
  /** What the copy that is sent before the delivery must be answered with. */
  readonly copy?: CopyAnswer;
}

/** Gives conversations and messages other ids. */
interface OfIds extends Said {
  readonly about: "ids";
  /** What is added to each. */
  readonly offset: number;
}

/** Changes the templates, where the system under test lists or sends some. */
interface OfTemplates extends Said {
  readonly about: "templates";
  readonly templates: "renamed" | "empty";
}

/** Answers a question that the specification leaves open in another way. */
interface OfBehaviour extends Said {
  readonly about: "behaviour";
}

export type ChallengeKind = OfOperation | OfEvent | OfIds | OfTemplates | OfBehaviour;

/** How a system under test used templates in an unchanged run. */
export interface TemplateUse {
  /** The conversation in which it listed or sent one first. */
  readonly thread: string;
  /** The step that was met by one, where a step was: its path in the scenario. */
  readonly step: string | undefined;
  /** What was refused even so. */
  readonly refused: ReadonlySet<string>;
}

/** What is different in the world around a system under test. */
export interface Change {
  readonly behaviour?: Readonly<Record<string, unknown>>;
  readonly faults: readonly FaultInput[];
  /** Added to the ids of threads and messages. */
  readonly offset: number;
  /** Other templates, or none: `use` is how the unchanged run used them. */
  readonly templates?: { readonly are: "renamed" | "empty"; readonly use: TemplateUse };
  /** Expectations wait so much longer, ms. */
  readonly patienceMs?: number;
  /** A step that waits for this lets go what the faults hold back. */
  readonly releasedBy?: "any wait" | "waits for deliveries";
  /** What must be answered to a copy that is sent before a delivery. */
  readonly copy?: CopyAnswer;
}

/** One change, with a name. */
export interface Challenge extends Change {
  /** `unavailable/sendMessageToCustomerThread`, `behaviour/ids.acceptNumbers=reject`, `ids-of-15-digits`. */
  readonly name: string;
  readonly kind: ChallengeKindName;
  /** What it is about, in a line. */
  readonly about: string;
}

/** The world as the scenario says. */
export const UNCHANGED: Change = { faults: [], offset: 0 };

/** Another message than any that there is, as far as a payload can say so. */
const FORGED = { messageId: 900_000_000_000_001 };

/** The copy that a forger would send: with a message of its own. */
const forged =
  (signature: "bad" | "stale" | "ahead" | "altered" | "re-encoded") =>
  ({ event, legacy }: EventSubject): Effect => ({
    copy: {
      signature,
      payload: event === "transfer" ? {} : legacy ? FORGED : { data: FORGED },
    },
  });

/** Of a legacy webhook the specification says that it gets one POST. */
const isRepeated = ({ legacy }: EventSubject): boolean => !legacy;

/** How long `Retry-After` asks to wait, ms, and how much earlier than that a timer of the caller may be. */
const RETRY_AFTER_MS = 1_000;
const TIMER_MS = 50;

/** How long an answer takes that is slow, and a delivery that comes late, ms. */
const SLOW_MS = 600;
const LATE_MS = 40;
/** Well within the tolerance of signatures, ms. */
const SKEW_MS = 120_000;

const REFUSE =
  "Verify the signature over the raw bytes of the body before anything else, and answer 401 without acting.";
const REMEMBER =
  "Remember the message id before you begin to handle it, and answer a second delivery of it with 200 at once.";
const TOLERATE =
  "Take signatures from up to five minutes before and after your own clock; mind the unit, which is seconds.";
const KEEP_AS_TEXT = "Keep ids as text, from the event through your database and back.";

export const CHALLENGE_KINDS = {
  behaviour: {
    about: "behaviour",
    change: "a question that the specification leaves open is answered in another way",
    why: "What the specification does not promise may differ from account to account, and change without notice.",
    remedy:
      "Rely on nothing that the specification does not state: the entry of the behaviour table says what.",
  },
  unavailable: {
    about: "operation",
    change: "the first call is answered with 503, and nothing changes",
    why: "Services restart, are deployed and scaled; their proxies answer 503 in the meantime.",
    remedy: "Repeat calls that were answered with 502, 503 or 504 after a short while, a few times at most.",
    effect: { status: 503, body: { error: "Service unavailable" } },
  },
  "rate-limited": {
    about: "operation",
    change: "the first call, and each one in the second after it, is answered with 429 and `Retry-After: 1`",
    why: "APIs bound how many calls a token may make; a busy hour reaches every bound.",
    remedy:
      "Repeat a call that was answered with 429 when the seconds of Retry-After are over, and no sooner.",
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
    why: "Connections that were kept open are closed by servers, proxies and networks at any moment.",
    remedy:
      "Repeat a call whose connection broke; before a repeated POST, look whether the first has had its effect.",
    effect: { drop: "before" },
  },
  "hang-up-after": {
    about: "operation",
    change: "the connection of the first call is closed after the change, before the answer",
    why: "An answer can be lost although its call has had its effect; the caller cannot tell.",
    remedy: "After a POST without an answer, look whether it has had its effect before you send it again.",
    effect: { drop: "after" },
  },
  slow: {
    about: "operation",
    change: `the first call is answered ${SLOW_MS} ms later`,
    why: "Answers take longer under load, and what else happens meanwhile does not wait for them.",
    remedy: "Let nothing depend on a call being over before the next event comes; let time-outs be generous.",
    effect: { delayMs: SLOW_MS },
    patienceMs: SLOW_MS,
  },
  malformed: {
    about: "operation",
    change: "the answer to the first call is broken JSON, although the call has had its effect",
    why: "Proxies answer with pages of their own, and answers get cut off.",
    remedy:
      "Read a body only where you need it, and treat one that cannot be read like an answer that was lost.",
    effect: { malformed: true },
  },
  duplicated: {
    about: "event",
    formerly: "twice",
    change: "each delivery comes twice at the same moment",
    why: "Webhooks are delivered at least once: senders repeat what they are not sure of.",
    remedy: REMEMBER,
    fits: isRepeated,
    effect: () => ({ duplicate: 1 }),
  },
  "sent-again": {
    about: "event",
    change: "the answer to the first attempt is lost, so the delivery is sent again",
    why: "A sender whose connection breaks before it has read the answer cannot know that the event has arrived.",
    remedy: REMEMBER,
    fits: isRepeated,
    every: 2,
    behaviour: { "delivery.attempts": 3, "delivery.backoff": ["0s"] },
    effect: () => ({ answerLost: true }),
  },
  swapped: {
    about: "event",
    change: "a delivery changes places with the next one",
    why: "Nothing promises an order: deliveries go over several connections and through several queues.",
    remedy:
      "Order by the timestamp in the event, not by arrival, and read the current state where it matters.",
    needs: "next",
    effect: () => ({ reorder: true }),
  },
  late: {
    about: "event",
    change: `a delivery comes only when the next one was answered, and ${LATE_MS} ms have passed`,
    why: "A delivery that has to be repeated comes minutes after what happened since.",
    remedy: "Check with a GET that what an event says still holds before you act on it.",
    needs: "next",
    effect: () => ({ reorder: true, delayMs: LATE_MS }),
  },
  lost: {
    about: "event",
    change: "the events about what the system under test wrote itself, or about transfers, never come",
    why: "Nothing promises that an event comes: a receiver that is restarted for a moment misses what is sent meanwhile.",
    remedy:
      "Go on when a call has succeeded, not when its event comes; read where a thread is from the message or with a GET.",
    fits: ({ event, isOwn }) => event === "transfer" || isOwn,
    match: ({ event }) => (event === "transfer" ? {} : { causedBy: { $regex: "^r" } }),
    needs: "unanswered",
    // The service takes it for delivered.
    effect: () => ({ status: 200 }),
  },
  "unknown-fields": {
    about: "event",
    change: "payloads have fields that nobody documented",
    why: "Services add fields without notice; that is no breaking change.",
    remedy:
      "Read the fields that you know, and ignore all others: no strict schema, no `additionalProperties: false`.",
    effect: ({ legacy }) => ({
      payload: {
        undocumented: { nested: [1] },
        ...(legacy ? {} : { data: { undocumented: { nested: [1] } } }),
      },
    }),
  },
  "unknown-event": {
    about: "event",
    change: "before each delivery comes one with an event type that nobody documented",
    why: "Services add event types, and send them to webhooks that never asked for them.",
    remedy: "Answer 200 to an event type that you do not know, and do nothing.",
    fits: ({ legacy }) => !legacy,
    copy: "a success",
    effect: () => ({ copy: { payload: { eventType: "undocumented", data: null } } }),
  },
  "bad-signature": {
    about: "event",
    change: "before each delivery comes a forged one, signed with a secret that nobody has",
    why: "The address of a webhook is no secret: anybody can send it what they like.",
    remedy: REFUSE,
    needs: "signature",
    copy: "a refusal",
    effect: forged("bad"),
  },
  "altered-signature": {
    about: "event",
    change: "before each delivery comes a forged one whose signature is wrong by one character",
    why: "A comparison that stops early, or compares only a part, lets forgeries through.",
    remedy: `${REFUSE} Compare all of it, in constant time.`,
    needs: "signature",
    copy: "a refusal",
    effect: forged("altered"),
  },
  "reserialized-body": {
    about: "event",
    formerly: "re-encoded",
    change: "before each delivery comes a forged one whose body is other bytes than those that were signed",
    why: "A signature over JSON that was read and written again is no signature of what was sent.",
    remedy: `${REFUSE} Do not sign what a JSON parser made of it.`,
    needs: "signature",
    copy: "a refusal",
    effect: forged("re-encoded"),
  },
  "stale-signature": {
    about: "event",
    change: "before each delivery comes one that was signed ten minutes ago",
    why: "Who has recorded a delivery can send it again, with its right signature.",
    remedy: `${REFUSE} Refuse a timestamp that is more than five minutes from your clock.`,
    needs: "signature",
    copy: "a refusal",
    effect: forged("stale"),
  },
  "ahead-signature": {
    about: "event",
    change: "before each delivery comes one that is signed for ten minutes from now",
    why: "A timestamp in the future makes a recorded delivery usable for as long as its maker likes.",
    remedy: `${REFUSE} Refuse a timestamp that is more than five minutes from your clock, in either direction.`,
    needs: "signature",
    copy: "a refusal",
    effect: forged("ahead"),
  },
  "clock-behind": {
    about: "event",
    change: "the clock that signs is two minutes behind",
    why: "The clocks of two machines differ: a tolerance of five minutes is usual.",
    remedy: TOLERATE,
    needs: "signature",
    effect: () => ({ skewMs: -SKEW_MS }),
  },
  "clock-ahead": {
    about: "event",
    change: "the clock that signs is two minutes ahead",
    why: "The clocks of two machines differ: a tolerance of five minutes is usual.",
    remedy: TOLERATE,
    needs: "signature",
    effect: () => ({ skewMs: SKEW_MS }),
  },
  "ids-beyond-31-bits": {
    about: "ids",
    change: "conversations have ids greater than 2^31, as messages have in all runs",
    why: "Ids grow: a signed integer of 32 bits ends at 2147483647.",
    remedy: KEEP_AS_TEXT,
    offset: 3_000_000_000,
  },
  "ids-of-15-digits": {
    about: "ids",
    change: "conversations have ids of 15 digits",
    why: "Ids are promised as digits, with no bound: floats print long ones with an exponent, or lose their last digits.",
    remedy: KEEP_AS_TEXT,
    offset: 900_000_000_000_000,
  },
  "templates-renamed": {
    about: "templates",
    change: "all templates have another contentSid; their titles stay",
    why: "A template that is changed is approved anew, under another contentSid, and each account has its own.",
    remedy: "List the templates of the thread before you send one, and find yours by its title.",
    templates: "renamed",
  },
  "templates-empty": {
    about: "templates",
    change: "there are no templates",
    why: "New accounts have no templates, and approvals are withdrawn.",
    remedy: "Do without a template where yours is not in the list: send nothing, and tell a colleague.",
    templates: "empty",
  },
} as const satisfies Readonly<Record<string, ChallengeKind>>;
export type ChallengeKindName = keyof typeof CHALLENGE_KINDS;

const FORMER: ReadonlyMap<string, string> = new Map(
  Object.entries<ChallengeKind>(CHALLENGE_KINDS).flatMap(([name, { formerly }]) =>
    formerly === undefined ? [] : [[formerly, name]],
  ),
);

/** Stands between the names of two challenges that are tried at once. */
export const AND = " + ";

/** A name or pattern with the names of today. */
export const currentName = (name: string): string =>
  name
    .split(AND)
    .map((one) => {
      const [kind = "", ...subject] = one.split("/");
      return [FORMER.get(kind) ?? kind, ...subject].join("/");
    })
    .join(AND);

const fits = (pattern: string, name: string): boolean => {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name) || name.startsWith(`${pattern}/`);
};

export const fitsAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => fits(currentName(pattern), name));

/** The kind that a name is of. */
export const kindOfName = (name: string): string =>
  name
    .split(AND)
    .map((one) => one.split("/")[0])
    .join(AND);

/** The kind that a pattern names; undefined where it may name several. */
export function kindOfPattern(pattern: string): string | undefined {
  const [kind = ""] = currentName(pattern).split("/");
  return kind.includes("*") ? undefined : kind;
}
