import type { Customer, Message, Thread, Webhook } from "../world/records.js";

/** A message was sent or received (specification: "Subscription keys"). */
export interface MessageEvent {
  readonly eventType: "message";
  /** When it happened, ms. */
  readonly at: number;
  readonly organizationId: string;
  readonly thread: Thread;
  readonly customer: Customer | undefined;
  readonly message: Message;
  /** Fields given by hand, which override those of the records. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A conversation was reassigned to another business. */
export interface TransferEvent {
  readonly eventType: "transfer";
  readonly at: number;
  readonly organizationId: string;
  readonly thread: Thread;
  readonly previousBusinessId: string;
  readonly newBusinessId: string;
  readonly newBusinessName: string;
  readonly employeeUserId: string;
  readonly participationId: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type DomainEvent = MessageEvent | TransferEvent;

/** The subscription that each event needs. */
export const SUBSCRIPTION_OF = { message: "messages", transfer: "transfers" } as const;

export interface Notification {
  readonly webhook: Webhook;
  readonly event: DomainEvent;
  /** The JSON body, in the form for this webhook. */
  readonly body: Readonly<Record<string, unknown>>;
}
