/** What the simulator counts itself, read from its metrics. */
import type { Transport } from "../client/transport.js";

/** Counts, by operation and status class or by outcome. */
export type Counts = Readonly<Record<string, number>>;

export interface SimulatorFigures {
  /** Such as `sendMessageToCustomerThread 2xx`. */
  readonly calls: Counts;
  readonly deliveries: Counts;
  readonly pending: number;
  /** Event loop lag since somebody asked last, ms. */
  readonly lag: { readonly p50: number; readonly p99: number; readonly max: number };
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Prometheus text as samples. */
export const samplesIn = (text: string): Sample[] =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, label = "", text = ""]) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });

/** @throws SimError */
export async function simulatorFigures(server: Transport): Promise<SimulatorFigures> {
  const samples = samplesIn(await server.call<string>("GET", "/metrics"));
  const of = (name: string) => samples.filter((sample) => sample.name === `messaging_sim_${name}`);
  const counts = (name: string, key: (labels: Sample["labels"]) => string): Counts =>
    Object.fromEntries(of(name).map(({ labels, value }) => [key(labels), value]));
  const lagAt = (percentile: string) =>
    1_000 * (of("event_loop_lag_seconds").find(({ labels }) => labels.percentile === percentile)?.value ?? 0);
  return {
    calls: counts("requests_total", ({ operation, status }) => `${operation} ${status}`),
    deliveries: counts("deliveries_total", ({ status = "" }) => status),
    pending: of("deliveries_pending")[0]?.value ?? 0,
    lag: { p50: lagAt("50"), p99: lagAt("99"), max: lagAt("100") },
  };
}

/** What was counted between two looks; what is 0 is left out. */
export const countsSince = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after).flatMap(([key, value]) => {
      const more = value - (before[key] ?? 0);
      return more === 0 ? [] : [[key, more]];
    }),
  );
