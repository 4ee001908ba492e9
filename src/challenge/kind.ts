/** How a kind of challenge is declared. */
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
export type Effect = FaultInput["then"];

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
