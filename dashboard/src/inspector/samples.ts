import type { Session } from "../model/session";

/** How much of the past the charts show, in seconds of real time. */
export const SECONDS_SHOWN = 300;
const BARS = 60;

interface Sample {
  readonly id: string;
  /** Seconds of real time since it was added to the log. */
  readonly age: number;
  readonly ms: number;
  readonly ok: boolean;
}

/** The calls or deliveries of the last minutes that have ended. */
export function samplesOf(session: Session, kind: "requests" | "deliveries"): Sample[] {
  const log = session[kind];
  const now = performance.now();
  const ageOf = (id: string, at: number | undefined): number => {
    const arrived = log.arrivals.get(id);
    if (arrived !== undefined) return (now - arrived) / 1_000;
    // The age by a running clock is the real age of an entry from before the page was opened.
    return session.clock.frozen || at === undefined
      ? Number.POSITIVE_INFINITY
      : (session.clock.now() - at) / 1_000;
  };
  const samples: Sample[] = [];
  for (const entry of log.entries.slice(-5_000)) {
    if ("method" in entry) {
      const { id, at, durationMs, status } = entry;
      if (durationMs === null) continue;
      samples.push({ id, age: ageOf(id, at), ms: durationMs, ok: status !== null && status < 400 });
    } else {
      const last = entry.attempts.at(-1);
      if (last === undefined) continue;
      const { id, status } = entry;
      samples.push({
        id,
        age: ageOf(id, last.at),
        ms: last.durationMs,
        ok: status === "delivered" || status === "pending",
      });
    }
  }
  return samples.filter(({ age }) => age >= 0 && age < SECONDS_SHOWN);
}

/** Samples counted into bars of equal time, oldest first. */
export function buckets(samples: readonly Sample[]): { count: number; failed: number }[] {
  const bars = Array.from({ length: BARS }, () => ({ count: 0, failed: 0 }));
  for (const { age, ok } of samples) {
    const bar = bars[BARS - 1 - Math.floor((age / SECONDS_SHOWN) * BARS)];
    if (bar === undefined) continue;
    bar.count += 1;
    if (!ok) bar.failed += 1;
  }
  return bars;
}
