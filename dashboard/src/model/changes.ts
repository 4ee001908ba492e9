import type { Change, Delivery, RequestRecord } from "./types";

/** For how many causes the page remembers what they changed. */
const MOST = 2_000;

/**
 * What calls changed, as seen on the stream. The stream tells what happened in one turn in one piece; a piece with one
 * cause tells what that cause changed. A piece with several is left alone: better nothing than something wrong.
 */
export class CausedChanges {
  readonly #byCause = new Map<string, readonly Change[]>();

  note(
    changes: readonly Change[],
    requests: readonly RequestRecord[],
    deliveries: readonly Delivery[],
  ): void {
    if (changes.length === 0) return;
    const causes = new Set<string>();
    for (const { causedBy } of deliveries) if (causedBy !== null) causes.add(causedBy);
    for (const { id, method, durationMs } of requests) {
      if (method !== "GET" && durationMs !== null) causes.add(id);
    }
    const [cause] = causes;
    if (cause === undefined || causes.size > 1) return;
    this.#byCause.set(cause, [...(this.#byCause.get(cause) ?? []), ...changes]);
    if (this.#byCause.size > MOST) this.#byCause.delete(this.#byCause.keys().next().value as string);
  }

  of(cause: string): readonly Change[] {
    return this.#byCause.get(cause) ?? [];
  }

  clear(): void {
    this.#byCause.clear();
  }
}
