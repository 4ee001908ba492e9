import { deliveryOutcome, requestOutcome } from "./outcome";
import type { DeliveryRecord, RequestRecord } from "./types";

/** A call of the simulated API, or a delivery. */
export type TrafficEntry =
  | { readonly kind: "request"; readonly entry: RequestRecord }
  | { readonly kind: "delivery"; readonly entry: DeliveryRecord };

/** Calls or deliveries that are alike, as a polling client makes them: the newest stands for all. */
export interface Fold {
  readonly newest: TrafficEntry;
  /** The ids of all, oldest first. */
  readonly ids: readonly string[];
}

/** Folds entries that went to the same place and ended alike, in the order in which the first of each stood. */
export function fold(entries: readonly TrafficEntry[]): Fold[] {
  const folds = new Map<string, { newest: TrafficEntry; ids: string[] }>();
  for (const one of entries) {
    const key = likeness(one);
    const known = folds.get(key);
    if (known === undefined) folds.set(key, { newest: one, ids: [one.entry.id] });
    else {
      known.newest = one;
      known.ids.push(one.entry.id);
    }
  }
  return [...folds.values()];
}

/** Equal for entries that are folded into one. */
function likeness(one: TrafficEntry): string {
  if (one.kind === "request") {
    const { by, method, path, status } = one.entry;
    return `r ${by} ${method} ${path} ${status} ${requestOutcome(one.entry).tone}`;
  }
  const { hookId, eventType, status, reason, attempts } = one.entry;
  return `d ${hookId} ${eventType} ${status} ${reason} ${attempts.at(-1)?.status} ${deliveryOutcome(one.entry).tone}`;
}
