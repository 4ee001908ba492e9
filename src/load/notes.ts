/** Says in words where the figures are not those of the system under test. */
import { BOUNDS } from "../kernel/bounds.js";
import type { LoadReport } from "./report.js";
import { msText } from "./report.js";

/** Lag above this share of the median latency is a part of it that counts. */
const SHARE = 0.25;
/** Less lag than this is what an idle process has too, ms. */
const IDLE_LAG_MS = 2;

type Seen = Pick<LoadReport, "lag" | "sending" | "pendingPeak" | "conversations"> & {
  readonly p50: number | null;
  /** How often what the generator hears of broke off. */
  readonly breaks: number;
  /** Whether deliveries of a webhook go one after the other. */
  readonly isOrdered: boolean;
};

export function notesOn({
  lag,
  sending,
  pendingPeak,
  conversations,
  p50,
  breaks,
  isOrdered,
}: Seen): string[] {
  const notes: string[] = [];
  const isOwn = (p99: number) => p50 !== null && p99 > IDLE_LAG_MS && p99 > SHARE * p50;
  const late = (whose: string, p99: number, advice: string) =>
    `The latencies are ${whose} own in part: in the middle second its event loop came up to ${msText(p99)} late (99th percentile), ` +
    `and half of the replies took ${msText(p50)} or less. ${advice}`;
  const { simulator, generator, sameProcess } = lag;
  if (sameProcess && isOwn(Math.max(simulator.p99, generator.p99)))
    notes.push(
      late("the simulator's and the generator's", Math.max(simulator.p99, generator.p99), ONE_PROCESS),
    );
  if (!sameProcess && isOwn(simulator.p99)) notes.push(late("the simulator's", simulator.p99, LESS));
  if (!sameProcess && isOwn(generator.p99)) notes.push(late("the generator's", generator.p99, SEVERAL));
  if (sending.p50 !== null && isOwn(sending.p50))
    notes.push(
      `Messages were late: half of them took ${msText(sending.p50)} or more from when they were due until the simulator had taken ` +
        `them, and half of the replies took ${msText(p50)} or less, that time included. ${sameProcess ? ONE_PROCESS : LESS}`,
    );
  const atOnce = isOrdered ? 1 : BOUNDS.webhookConcurrency.limit;
  if (pendingPeak > 2 * atOnce)
    notes.push(
      `Deliveries waited in the simulator: up to ${pendingPeak} were on their way, of which each webhook gets ${atOnce} at once. ` +
        (isOrdered
          ? "The behaviour delivery.order: none sends them as they come."
          : "A program that answers its webhook before it does its work gets them sooner."),
    );
  if (conversations.turnedAway > 0)
    notes.push(
      `${conversations.turnedAway} arrivals were turned away: there were ${conversations.peak} customers already.`,
    );
  if (breaks > 0)
    notes.push(
      `The event stream of the simulator broke off ${breaks} times: replies of that time were missed.`,
    );
  return notes;
}

const LESS = "Have fewer customers, or give the simulator a core of its own.";
const ONE_PROCESS =
  "Have fewer customers, or start the simulator as a process of its own (messaging-sim serve) and name it with --url; on Node 20 " +
  "and 22 NODE_OPTIONS=--max-semi-space-size=64 saves a tenth of the work or more.";
const SEVERAL = "Have fewer customers, or several generators.";
