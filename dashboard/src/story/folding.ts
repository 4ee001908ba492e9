import type { DeliveryRecord, RequestRecord } from "../model/types";

/** A call of the simulated API, a delivery, or something else that happened. */
export type StoryEvent =
  | { readonly kind: "request"; readonly entry: RequestRecord }
  | { readonly kind: "delivery"; readonly entry: DeliveryRecord }
  | {
      readonly kind: "note";
      readonly entry: { readonly id: string };
      readonly text: string;
      /** What made it happen: `by hand`, `by call r5`, `time passed`. */
      readonly cause: string;
    };

/** Calls or deliveries that are alike, as a polling client makes them: the newest stands for all. */
export interface Fold {
  readonly newest: StoryEvent;
  /** The ids of all, oldest first. */
  readonly ids: readonly string[];
}

/** What entries are told apart by, as far as it was needed before: an entry that changes is another object. */
export type Likenesses = WeakMap<StoryEvent["entry"], string>;

/** Folds entries that went to the same place and ended alike, in the order in which the first of each stood. */
export function fold(events: readonly StoryEvent[], known: Likenesses): Fold[] {
  const folds = new Map<string, { newest: StoryEvent; ids: string[] }>();
  for (const one of events) {
    const key = known.get(one.entry) ?? likeness(one);
    known.set(one.entry, key);
    const alike = folds.get(key);
    if (alike === undefined) folds.set(key, { newest: one, ids: [one.entry.id] });
    else {
      alike.newest = one;
      alike.ids.push(one.entry.id);
    }
  }
  return [...folds.values()];
}

/** Equal for entries that are folded into one. */
function likeness(one: StoryEvent): string {
  if (one.kind === "note") return `n ${one.entry.id}`;
  if (one.kind === "request") {
    const { by, method, path, status, fault, durationMs, warnings } = one.entry;
    return `r ${by} ${method} ${path} ${status} ${durationMs === null} ${warnings.length > 0} ${fault}`;
  }
  const { hookId, eventType, status, reason, attempts } = one.entry;
  const last = attempts.at(-1);
  return `d ${hookId} ${eventType} ${status} ${reason} ${attempts.length} ${last?.status} ${last?.fault}`;
}
