import { useApp } from "../lib/context";
import { shortMs } from "../lib/format";
import { useTick } from "../lib/tick";
import { SECONDS_SHOWN, samplesOf } from "./samples";

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
