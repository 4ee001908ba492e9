import type { Difference } from "../kernel/matching.js";
import type { Delivery } from "./deliveries.js";
import type { JournalEntry } from "./journal.js";
import type { Literal } from "./literals.js";
import { literalsOf, pathLiteral } from "./literals.js";
import type { DeliveryMatch, RequestMatch } from "./match.js";
import { deliveryDifferences, requestDifferences } from "./match.js";

/** What waiting, verifying and looking for near misses have to know about one of the two logs. */
export interface TrafficKind<E extends { readonly id: string }, M> {
  /** Where an entry is not what a match asks for; empty when it matches. */
  differences(match: M, entry: E): Difference[];
  /** Whether it can be said by now if the entry matches: what the match reads of it has come in. */
  isDecided(match: M, entry: E): boolean;
  /** The plain values that an entry must have in order to match: one list for each way in which it can. */
  literals(match: M): readonly (readonly Literal<E>[])[];
  /** How much a difference in a field counts when it is told which entry is nearest; 1 for all others. */
  readonly weights: Readonly<Record<string, number>>;
}

export const REQUESTS: TrafficKind<JournalEntry, RequestMatch> = {
  differences: requestDifferences,
  isDecided: ({ status }, entry) => entry.received && (status === undefined || !entry.open),
  literals: ({ path, token: _either, ...rest }) => [
    [...pathLiteral(path), ...literalsOf<JournalEntry>(rest)],
  ],
  weights: { path: 16, operation: 16, method: 8, token: 2 },
};

export const DELIVERIES: TrafficKind<Delivery, DeliveryMatch> = {
  differences: deliveryDifferences,
  isDecided: () => true,
  literals: ({ webhookId, ...rest }) => {
    const common = literalsOf<Delivery>(rest);
    if (typeof webhookId !== "string") return [common];
    return [
      [...common, ...literalsOf<Delivery>({ webhookId })],
      [...common, ...literalsOf<Delivery>({ hookId: webhookId })],
    ];
  },
  weights: { eventType: 8, webhookId: 8, hookId: 8, threadId: 4 },
};
