/** The table of challenges: what each changes, when it applies, why it happens in practice, and what holds against it. */

import type { FaultInput } from "../../client/types.js";
import type { EventType } from "../../kernel/names.js";
import { isKeyOf } from "../../kernel/objects.js";
import { alternativesOf } from "../../service/behaviour/alternatives.js";
import { answerSchema } from "../../service/behaviour/entry.js";
import type { BehaviourKey } from "../../service/behaviour/table.js";
import { BEHAVIOUR_TABLE } from "../../service/behaviour/table.js";

type Match = NonNullable<FaultInput["match"]>;
type Effect = FaultInput["then"];

/** A kind of event by its cause, which challenges are named after, that the system under test got in an unchanged run. */
export interface ObservedEvent {
  readonly name: string;
  /** Matches exactly its deliveries. */
  readonly match: Match;
  readonly legacy: boolean;
  readonly event: EventType;
  /** Some are about what the system under test did. */
  readonly isOwn: boolean;
  readonly isSigned: boolean;
}

/** What the system under test does in an unchanged run. */
export interface Observed {
  /** The operations that it called. */
  readonly operations: readonly string[];
  readonly events: readonly ObservedEvent[];
  /** The scenario expects a reply to a transfer. */
  readonly answersTransfers: boolean;
  /** The behaviour entries that its calls and deliveries consulted. */
  readonly keys: readonly BehaviourKey[];
  /** It listed or sent templates. */
  readonly usesTemplates: boolean;
}

/** The difference to an unchanged run. */
export interface Change {
  readonly behaviour?: Readonly<Partial<Record<BehaviourKey, unknown>>>;
  readonly fault?: FaultInput;
  /** Added to the ids of threads. */
  readonly offset?: number;
  readonly renamesTemplates?: boolean;
  /** How much longer expectations wait, ms: the remedy takes time. */
  readonly patienceMs?: number;
  /** The required answer to the copy that precedes each delivery: a status of 400 or more, or one below 300. */
  readonly answer?: "a refusal" | "a success";
}

/** One change for a subject, if there are several; or why it is not tried. */
type Case = Change & { readonly subject?: string; readonly about?: string; readonly notTried?: string };

interface Row {
  readonly change: string;
  /** What follows the name, for the reference. */
  readonly each?: string;
  /** Why this happens in practice. */
  readonly why: string;
  /** How to survive it. */
  readonly remedy: string;
  readonly appliesTo: (observed: Observed) => readonly Case[];
}

/** Affects the first call of each operation. */
const perOperation = (then: Effect, patienceMs = 0) => ({
  each: "`/OPERATION`, for each operation that was called",
  appliesTo: ({ operations }: Observed): Case[] =>
    operations.map((operation) => ({
      subject: operation,
      fault: { on: "request", match: { operation, by: "client" }, times: 1, then },
      patienceMs,
    })),
});

const EACH_EVENT = "`/EVENT`, for each kind of event that was sent";

/** Affects every delivery of each kind of event. What repeats deliveries leaves out legacy webhooks, which are promised exactly one POST. */
const perEvent = (
  effect: (event: ObservedEvent) => Effect,
  { repeats = false, ...more }: { readonly repeats?: boolean } & Pick<Change, "answer"> = {},
) => ({
  each: EACH_EVENT,
  appliesTo: ({ events }: Observed): Case[] =>
    events
      .filter(({ legacy }) => !(repeats && legacy))
      .map((event) => ({
        subject: event.name,
        fault: { on: "delivery", match: event.match, then: effect(event) },
        ...more,
      })),
});

/** Adds to the ids of threads. */
const ids = (offset: number) => ({ appliesTo: (): Case[] => [{ offset }] });

/** No message that exists. */
const FORGED = { messageId: 900_000_000_000_001 };

const UNSIGNED = "has no effect: deliveries are not signed (behaviour delivery.signature is null)";

const RATE_LIMITED = { status: 429, headers: { "Retry-After": "1" }, body: { error: "Too many requests" } };
const SLOW_MS = 600;
const LATE_MS = 40;

const REMEMBER =
  "Store the message id before you handle the message, and respond to a second delivery of it with 200 immediately.";
const KEEP_AS_TEXT = "Keep ids as text, from the event through your database and back.";

/** Values that stand for all others of an entry with an open range, by their labels. Of other such entries none is tried. */
const OPEN_VALUES: Partial<Record<BehaviourKey, Readonly<Record<string, unknown>>>> = {
  "window.channels": { none: [] },
  "window.duration": { "24h": "24h" },
  "webhooks.graphqlEvents": { all: ["messages", "transfers"] },
};

/** The other values of an entry that are tried, by their labels. An answer keeps its status, which separates success from refusal. */
export function otherValues(key: BehaviourKey): Readonly<Record<string, unknown>> {
  const { schema, default: preset } = BEHAVIOUR_TABLE[key];
  if (schema === answerSchema) {
    const { status } = preset as { readonly status: number };
    return { "other-body": { status, body: { undocumented: true } } };
  }
  const alternatives = alternativesOf({ schema, default: preset });
  if (alternatives === undefined) return OPEN_VALUES[key] ?? {};
  return Object.fromEntries(alternatives.map((value) => [String(value), value]));
}

export const CHALLENGES = {
  behaviour: {
    change: "a question that the specification leaves open is answered differently",
    each: "`/KEY=VALUE`, for each entry that was consulted",
    why: "Undocumented behaviour may differ between accounts, and change without notice.",
    remedy: "Do not rely on undocumented behaviour; the entry of the behaviour table describes it.",
    appliesTo: ({ keys }) =>
      keys.flatMap((key) => {
        const { question, section } = BEHAVIOUR_TABLE[key];
        const about = `${question} (specification: ${section})`;
        return Object.entries(otherValues(key)).map(([label, value]) => ({
          ...{ subject: `${key}=${label}`, about },
          behaviour: { [key]: value },
        }));
      }),
  },
  unavailable: {
    change: "the first call gets 503, and nothing changes",
    why: "While services are restarted, deployed or scaled, their proxies answer 503.",
    remedy: "Retry calls that got 502, 503 or 504 after a short delay, a few times at most.",
    ...perOperation({ status: 503, body: { error: "Service unavailable" } }),
  },
  "rate-limited": {
    change: "the first call gets 429 and `Retry-After: 1`, and nothing changes",
    why: "APIs limit the calls per token; busy hours reach any limit.",
    remedy: "Retry a call that got 429 after the seconds of Retry-After, and no sooner.",
    ...perOperation(RATE_LIMITED, 1_000),
  },
  "hang-up-before": {
    change: "the connection of the first call is closed before anything has changed",
    why: "Servers, proxies and networks close kept-alive connections at any moment.",
    remedy:
      "Retry a call whose connection was closed; before you retry a POST, check whether the first one took effect.",
    ...perOperation({ drop: "before" }),
  },
  "hang-up-after": {
    change: "the connection of the first call is closed after the change, before the response",
    why: "A response can be lost although the call took effect; the caller cannot tell.",
    remedy: "After a POST without a response, check whether it took effect before you retry it.",
    ...perOperation({ drop: "after" }),
  },
  slow: {
    change: `the response to the first call is ${SLOW_MS} ms late`,
    why: "Responses take longer under load, and other events do not wait for them.",
    remedy: "Do not depend on a call being finished before the next event comes; use generous timeouts.",
    ...perOperation({ delayMs: SLOW_MS }, SLOW_MS),
  },
  malformed: {
    change: "the response to the first call is malformed JSON, although the call took effect",
    why: "Proxies respond with their own pages, and responses get truncated.",
    remedy: "Read a body only if you need it, and treat an unreadable one like a lost response.",
    ...perOperation({ malformed: true }),
  },
  duplicated: {
    change: "each delivery comes twice at the same time",
    why: "Webhooks are delivered at least once: senders retry when in doubt.",
    remedy: REMEMBER,
    ...perEvent(() => ({ duplicate: 1 }), { repeats: true }),
  },
  "sent-again": {
    change: "each delivery is sent again after its response",
    why: "A sender whose connection breaks before it reads the response cannot know that the event arrived.",
    remedy: REMEMBER,
    ...perEvent(() => ({ copy: true }), { repeats: true }),
  },
  swapped: {
    change: "a delivery changes places with the next one",
    why: "Order is not guaranteed: deliveries use several connections and queues.",
    remedy: "Order events by their timestamp, not by arrival, and read the current state where it matters.",
    ...perEvent(() => ({ reorder: true })),
  },
  late: {
    change: `a delivery comes ${LATE_MS} ms after the response to the next one`,
    why: "A retried delivery may come minutes after later events.",
    remedy: "Before you act on an event, check with a GET that it still holds.",
    ...perEvent(() => ({ reorder: true, delayMs: LATE_MS })),
  },
  lost: {
    change: "events about messages by your program, or about transfers, never come",
    why: "Delivery is not guaranteed: a receiver that restarts misses events.",
    remedy:
      "Continue when a call has succeeded, not when its event comes; take a thread's business from the message or from a GET.",
    each: EACH_EVENT,
    appliesTo: ({ events, answersTransfers }) =>
      events
        .filter(({ event, isOwn }) => event === "transfer" || isOwn)
        .map(({ name: subject, event, match }) => {
          if (event === "transfer" && answersTransfers)
            return {
              subject,
              notTried:
                "the scenario expects a reply to it: let the customer write after it, and expect a reply to that",
            };
          const caused: Match = event === "transfer" ? match : { ...match, causedBy: { $regex: "^r" } };
          // The service takes it for delivered.
          return { subject, fault: { on: "delivery", match: caused, then: { status: 200 } } };
        }),
  },
  "unknown-fields": {
    change: "payloads have undocumented fields",
    why: "Services add fields without notice; this is not a breaking change.",
    remedy: "Read known fields and ignore all others: no strict schema, no `additionalProperties: false`.",
    ...perEvent(({ legacy }) => ({
      payload: {
        undocumented: { nested: [1] },
        ...(legacy ? {} : { data: { undocumented: { nested: [1] } } }),
      },
    })),
  },
  "unknown-event": {
    change: "each delivery is preceded by one with an undocumented event type",
    why: "Services add event types, and send them to webhooks that did not subscribe to them.",
    remedy: "Respond to an unknown event type with 200, and do nothing.",
    ...perEvent(() => ({ copy: true, payload: { eventType: "undocumented", data: null } }), {
      repeats: true,
      answer: "a success",
    }),
  },
  "bad-signature": {
    change: "each delivery is preceded by a forged one, signed with an unknown secret",
    why: "The address of a webhook is not a secret: anyone can send anything to it.",
    remedy:
      "Verify the signature over the raw bytes of the body before anything else; if it is wrong, respond with 401 and do nothing.",
    each: EACH_EVENT,
    appliesTo: ({ events }) =>
      events.map(({ name: subject, event, match, legacy, isSigned }) => {
        if (!isSigned) return { subject, notTried: UNSIGNED };
        const payload = event !== "transfer" && { payload: legacy ? FORGED : { data: FORGED } };
        const then: Effect = { copy: true, signature: "bad", ...payload };
        return { subject, fault: { on: "delivery", match, then }, answer: "a refusal" };
      }),
  },
  "ids-32": {
    change: "conversations have ids greater than 2^31, as messages have in all runs",
    why: "Ids grow: a signed 32-bit integer ends at 2147483647.",
    remedy: KEEP_AS_TEXT,
    ...ids(3_000_000_000),
  },
  "ids-53": {
    change: "conversations have ids of 15 digits",
    why: "Ids are digits of any length: floats print long ones with an exponent, or lose digits.",
    remedy: KEEP_AS_TEXT,
    ...ids(900_000_000_000_000),
  },
  "templates-renamed": {
    change: "all templates have another contentSid, but the same titles",
    why: "A changed template is approved again with a new contentSid, and each account has its own.",
    remedy: "List the thread's templates before you send one, and find yours by title.",
    appliesTo: ({ usesTemplates }) => (usesTemplates ? [{ renamesTemplates: true }] : []),
  },
} as const satisfies Readonly<Record<string, Row>>;
type ChallengeKind = keyof typeof CHALLENGES;

export const CHALLENGE_ROWS: Readonly<Record<ChallengeKind, Row>> = CHALLENGES;

export interface Challenge extends Change {
  /** `unavailable/sendMessageToCustomerThread`, `behaviour/ids.acceptNumbers=reject`, `ids-53`. */
  readonly name: string;
  readonly kind: ChallengeKind;
  readonly about: string;
  /** Why the scenario gives no opportunity for it. */
  readonly notTried?: string;
}

/** All relevant challenges, in table order. */
export const challengesFor = (observed: Observed): Challenge[] =>
  Object.entries(CHALLENGE_ROWS).flatMap(([key, { appliesTo, change }]) => {
    const kind = key as ChallengeKind;
    return appliesTo(observed).map(({ subject, about, ...more }) => ({
      name: subject === undefined ? kind : `${kind}/${subject}`,
      kind,
      about: about ?? (subject === undefined ? change : `${subject}: ${change}`),
      ...more,
    }));
  });

/** Whether a name is that of a kind or fits a pattern, in which `*` stands for anything. */
export const fitsAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`).test(name) || name.startsWith(`${pattern}/`);
  });

/** The name of a challenge without what it is about. */
export const kindOfName = (name: string): string => name.replace(/\/.*/, "");

/** The unknown kind that a pattern names, if it names one. */
export function unknownKind(pattern: string): string | undefined {
  const kind = kindOfName(pattern);
  return kind.includes("*") || isKeyOf(CHALLENGES, kind) ? undefined : kind;
}
