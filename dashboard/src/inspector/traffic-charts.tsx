import { useApp } from "../lib/context";
import { shortMs } from "../lib/format";
import { useTick } from "../lib/tick";
import { buckets, SECONDS_SHOWN, samplesOf } from "./samples";

const WIDTH = 600;
const HEIGHT = 44;

/** How many calls or deliveries there were in the last minutes of real time, and how long they took. */
export function TrafficCharts({ kind }: { kind: "requests" | "deliveries" }) {
  const { session } = useApp();
  useTick(true);
  const samples = samplesOf(session, kind);
  const bars = buckets(samples);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const slowest = Math.max(1, ...samples.map(({ ms }) => ms));
  const width = WIDTH / bars.length;
  const failed = samples.filter(({ ok }) => !ok).length;
  const sorted = samples.map(({ ms }) => ms).sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  const summary =
    samples.length === 0
      ? `No ${kind} in the last ${SECONDS_SHOWN / 60} minutes`
      : `${samples.length} in ${SECONDS_SHOWN / 60} min, ${failed} failed, median ${shortMs(median ?? 0)}, slowest ${shortMs(slowest)}`;
  return (
    <figure class="traffic">
      <figcaption>{summary}</figcaption>
      <div class="traffic-charts" aria-hidden="true">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {bars.map(({ count, failed: bad }, at) => {
            const full = (count / most) * (HEIGHT - 2);
            const red = (bad / most) * (HEIGHT - 2);
            return count === 0 ? null : (
              <g key={at}>
                <rect
                  class="bar"
                  x={at * width + 1}
                  y={HEIGHT - full}
                  width={width - 2}
                  height={full - red}
                />
                <rect class="bar bad" x={at * width + 1} y={HEIGHT - red} width={width - 2} height={red} />
              </g>
            );
          })}
          <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        </svg>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {samples.slice(-400).map(({ id, age, ms, ok }) => (
            <line
              key={id}
              class={ok ? "lat" : "lat bad"}
              x1={WIDTH - (age / SECONDS_SHOWN) * WIDTH}
              x2={WIDTH - (age / SECONDS_SHOWN) * WIDTH}
              y1={HEIGHT - 2}
              y2={HEIGHT - 3 - scale(ms, slowest) * (HEIGHT - 6)}
            />
          ))}
          <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        </svg>
        <span>rate</span>
        <span>latency</span>
      </div>
    </figure>
  );
}

/** The height of a latency, 0 to 1. Latencies differ by orders of magnitude: square roots bring them together. */
const scale = (ms: number, slowest: number): number => Math.sqrt(ms / slowest);
