import type { Session } from "../model/session";

/** How much of the past counts, in seconds of real time. */
export const SECONDS_SHOWN = 300;

interface Sample {
  /** Seconds of real time since it was added to the log. */
  readonly age: number;
  readonly ms: number;
  readonly ok: boolean;
}

/** The calls or deliveries of the last minutes that have ended. */
export function samplesOf(session: Session, kind: "requests" | "deliveries"): Sample[] {
  const log = session[kind];
  const now = performance.now();
  const ageOf = (id: string): number => (now - (log.arrivalOf(id) ?? Number.NEGATIVE_INFINITY)) / 1_000;
  const samples: Sample[] = [];
  for (const entry of log.entries) {
    if ("method" in entry) {
      const { id, durationMs, status } = entry;
      if (durationMs === null) continue;
      samples.push({ age: ageOf(id), ms: durationMs, ok: status !== null && status < 400 });
    } else {
      const last = entry.attempts.at(-1);
      if (last === undefined) continue;
      const { id, status } = entry;
      samples.push({
        age: ageOf(id),
        ms: last.durationMs,
        ok: status === "delivered" || status === "pending",
      });
    }
  }
  return samples.filter(({ age }) => age < SECONDS_SHOWN);
}
