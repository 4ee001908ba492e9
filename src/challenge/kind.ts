/** How a kind of challenge is declared. */
import type { FaultInput } from "../client/types.js";

/** A kind of event, by who caused it, as challenges are named after it. */
export interface EventSubject {
  readonly name: string;
  /** Fits its deliveries, and no others. */
  readonly match: NonNullable<FaultInput["match"]>;
  readonly legacy: boolean;
  readonly event: "message" | "transfer";
}

interface Said {
  /** What is different from the unchanged run. */
  readonly change: string;
  /** Why this happens to integrations. */
  readonly why: string;
  /** What a system under test does that holds. */
  readonly remedy: string;
}

/** What must be answered to a copy: `a refusal` is a status from 400 on, `a success` one below 300. */
export type CopyAnswer = "a refusal" | "a success";

/** What a fault does to a call or delivery. */
export type Effect = FaultInput["then"];

/** Happens to the first call of an operation. */
interface OfOperation extends Said {
  readonly about: "operation";
  readonly effect: Effect;
}

/** Happens to every delivery of a kind of event, or to each n-th attempt. */
interface OfEvent extends Said {
  readonly about: "event";
  readonly every?: number;
  readonly effect: (subject: EventSubject) => Effect;
  /** `next`: an event must come after it on which nothing waits. */
  readonly needs?: "next" | "signature" | "eventType";
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

/** Answers a question that the specification leaves open in another way. */
interface OfBehaviour extends Said {
  readonly about: "behaviour";
}

export type ChallengeKind = OfOperation | OfEvent | OfIds | OfBehaviour;
