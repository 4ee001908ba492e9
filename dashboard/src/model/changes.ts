import type { Change, Delivery, RequestRecord } from "./types";

/** For how many causes the page remembers what they changed. */
const MAX_CHANGES = 2_000;

/** What one event of the stream told. */
export type StreamUpdate =
  | { readonly changes: readonly Change[] }
  | { readonly request: RequestRecord }
  /** `fresh`: the page did not know of it before. */
  | { readonly delivery: Delivery; readonly fresh: boolean };

/**
 * What calls changed, as seen on the stream. A state change stands beside the deliveries that it led to and the call
 * that it came from; where more than one could be the cause it is left alone: better nothing than something wrong.
 */
export class CausedChanges {
  readonly #byCause = new Map<string, readonly Change[]>();

  /** Takes in what one piece of the stream told, in its order. */
  note(told: readonly StreamUpdate[]): void {
    let start = 0;
    for (const [at, one] of told.entries()) {
      if (!("changes" in one)) continue;
      const next = told.findIndex((other, index) => index > at && "changes" in other);
      const end = next === -1 ? told.length : next;
      const [cause, another] = causesIn(told.slice(at + 1, end), told.slice(start, end));
      if (cause !== undefined && another === undefined) this.#add(cause, one.changes);
      start = at + 1;
    }
  }

  #add(cause: string, changes: readonly Change[]): void {
    this.#byCause.set(cause, [...(this.#byCause.get(cause) ?? []), ...changes]);
    if (this.#byCause.size > MAX_CHANGES) this.#byCause.delete(this.#byCause.keys().next().value as string);
  }

  of(cause: string): readonly Change[] {
    return this.#byCause.get(cause) ?? [];
  }

  clear(): void {
    this.#byCause.clear();
  }
}

/** The causes of new deliveries after a change; where there are none, the calls around it that changed something. */
function causesIn(after: readonly StreamUpdate[], around: readonly StreamUpdate[]): string[] {
  const causes = new Set<string>();
  for (const one of after)
    if ("delivery" in one && one.fresh && one.delivery.causedBy !== null) causes.add(one.delivery.causedBy);
  if (causes.size > 0) return [...causes];
  for (const one of around) {
    if (!("request" in one)) continue;
    const { id, method, status } = one.request;
    if (method !== "GET" && status !== null && status < 300) causes.add(id);
  }
  return [...causes];
}
