import { costOf } from "../kernel/cost.js";
import type { Difference } from "../kernel/matching.js";
import type { Delivery } from "./deliveries.js";
import type { JournalEntry } from "./journal.js";
import type { Literal } from "./literals.js";
import { literalsOf, pathLiteral } from "./literals.js";
import { ENTRY_BYTES } from "./log.js";
import type { DeliveryMatch, RequestMatch } from "./match.js";
import { deliveryDifferences, requestDifferences } from "./match.js";

/** How far an entry must be for a match to be decided: it has come in as a whole, or it is over. */
export type Stage = "in" | "over";
const IN: readonly Stage[] = ["in"];
const OVER: readonly Stage[] = ["over"];
const BOTH: readonly Stage[] = ["in", "over"];
const NEITHER: readonly Stage[] = [];

/** What waits, verifications and near misses need to know about the entries of a log. */
export interface TrafficKind<E extends { readonly id: string }, M> {
  /** Where an entry is not what a match asks for; empty when it matches. */
  differences(match: M, entry: E): Difference[];
  /** The stage at which it can be said whether an entry matches. */
  stageOf(match: M): Stage;
  hasReached(entry: E, stage: Stage): boolean;
  /** The stages that an entry may have reached with its latest change. */
  reachedStages(entry: E): readonly Stage[];
  /** The plain values that an entry must have in order to match: one list for each way in which it can. */
  literals(match: M): readonly (readonly Literal<E>[])[];
  /** What an entry costs, estimated in bytes. */
  cost(entry: E): number;
  /** How much a difference in a field counts when it is told which entry is nearest; 1 for all others. */
  readonly weights: Readonly<Record<string, number>>;
}

export const REQUESTS: TrafficKind<JournalEntry, RequestMatch> = {
  differences: requestDifferences,
  stageOf: ({ status, succeeded }) => (status === undefined && succeeded === undefined ? "in" : "over"),
  hasReached: ({ received, open }, stage) => !open || (received && stage === "in"),
  reachedStages: ({ received, open }) => (open ? (received ? IN : NEITHER) : received ? OVER : BOTH),
  literals: ({ path, token: _either, ...rest }) => [
    [...pathLiteral(path), ...literalsOf<JournalEntry>(rest)],
  ],
  cost: (entry) => ENTRY_BYTES + entry.cost,
  weights: { path: 16, operation: 16, method: 8, token: 2 },
};

export const DELIVERIES: TrafficKind<Delivery, DeliveryMatch> = {
  differences: deliveryDifferences,
  stageOf: () => "in",
  hasReached: () => true,
  reachedStages: () => IN,
  literals: ({ webhookId, ...rest }) => {
    const common = literalsOf<Delivery>(rest);
    if (typeof webhookId !== "string") return [common];
    return [
      [...common, ...literalsOf<Delivery>({ webhookId })],
      [...common, ...literalsOf<Delivery>({ hookId: webhookId })],
    ];
  },
  cost: ({ body }) => ENTRY_BYTES + costOf(body),
  weights: { eventType: 8, webhookId: 8, hookId: 8, threadId: 4 },
};
