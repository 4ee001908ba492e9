import { useApp } from "../lib/context";
import { shortMs } from "../lib/format";
import { useTick } from "../lib/tick";
import type { Session } from "../model/session";

/** How many calls or deliveries there were in the last minutes of real time, and how long they took. */
export function TrafficSummary({ kind }: { kind: "requests" | "deliveries" }) {
  const { session } = useApp();
  useTick(true);
  const samples = samplesOf(session, kind);
  const sorted = samples.map(({ ms }) => ms).sort((one, other) => one - other);
  const minutes = SECONDS_SHOWN / 60;
  const failed = samples.filter(({ ok }) => !ok).length;
  const log = session[kind];
  const oldest = log.arrivalOf(log.entries[0]?.id ?? "") ?? Number.NEGATIVE_INFINITY;
  const isCut = log.isCut && performance.now() - oldest < SECONDS_SHOWN * 1_000;
  const median = shortMs(sorted[Math.floor(sorted.length / 2)] ?? 0);
  return (
    <p class="traffic">
      {samples.length === 0
        ? `No ${kind} in the last ${minutes} minutes`
        : `${isCut ? "more than " : ""}${samples.length.toLocaleString("en")} in ${minutes} min, ${failed} failed, median ${median}, slowest ${shortMs(sorted.at(-1) ?? 0)}`}
    </p>
  );
}

/** How much of the past counts, in seconds of real time. */
const SECONDS_SHOWN = 300;

interface Sample {
  /** Seconds of real time since it was added to the log. */
  readonly age: number;
  readonly ms: number;
  readonly ok: boolean;
}

/** The calls or deliveries of the last minutes that have ended. */
function samplesOf(session: Session, kind: "requests" | "deliveries"): Sample[] {
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
