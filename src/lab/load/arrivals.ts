/** When customers begin: a fixed number at once (closed model), or at a fixed rate (open model). */
import { BOUNDS } from "../../kernel/bounds.js";
import { later, MAX_TIMER_MS, monotonicNow, onAbort } from "../../kernel/realtime.js";
import type { Tally } from "./tally.js";

export interface Schedule {
  readonly model: { readonly customers: number } | { readonly perSecond: number };
  /** How long new customers arrive, ms. */
  readonly forMs: number;
  /** How long of that time the number of customers, or the rate, grows to its full value, ms. */
  readonly rampMs: number;
  readonly tally: Tally;
  /** Once it has passed, no customer arrives. */
  readonly finish: Finish;
}

/** Plays one customer to its end. `due`: when its first message is due; default: as soon as possible. */
type Play = (due?: number) => Promise<void>;

/** Lets customers arrive until the finish. Resolves once all have ended. */
export const arrive = (schedule: Schedule, play: Play): Promise<void> =>
  "customers" in schedule.model
    ? customersAtOnce(schedule.model.customers, schedule, play)
    : atRate(schedule.model.perSecond, schedule, play);

/** How long after its start a load is over, ms. */
export const overAfterMs = ({ model, forMs }: Schedule): number =>
  "customers" in model ? forMs : AHEAD_MS + forMs;

async function customersAtOnce(count: number, { rampMs, finish }: Schedule, play: Play): Promise<void> {
  const one = async (place: number) => {
    await finish.pause((rampMs * place) / count);
    while (!finish.passed) await play();
  };
  await Promise.all(Array.from({ length: count }, (_, place) => one(place)));
}

/** How long before a customer is due its thread is created. */
const AHEAD_MS = 500;

async function atRate(perSecond: number, schedule: Schedule, play: Play): Promise<void> {
  const { forMs, rampMs, tally, finish } = schedule;
  const started = monotonicNow() + AHEAD_MS;
  const playing = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for (let arrival = 0; ; arrival += 1) {
    const afterMs = arrivalMs(arrival, perSecond, rampMs);
    const due = started + afterMs;
    const aheadMs = afterMs < forMs ? due - AHEAD_MS - monotonicNow() : MAX_TIMER_MS;
    // Even the shortest timer takes a millisecond, in which several may be due.
    if (aheadMs > 0) await finish.pause(aheadMs);
    if (finish.passed) break;
    if (tally.alive >= BOUNDS.loadCustomers.limit) {
      tally.turnedAway += 1;
      continue;
    }
    const played: Promise<void> = play(due)
      .catch((error) => {
        failures.push(error);
        finish.come();
      })
      .finally(() => playing.delete(played));
    playing.add(played);
  }
  await Promise.all(playing);
  if (failures.length > 0) throw failures[0];
}

/** When the n-th arrival is due, ms: the rate grows evenly during the ramp, then stays. */
export function arrivalMs(arrival: number, perSecond: number, rampMs: number): number {
  const perMs = perSecond / 1_000;
  const inRamp = (perMs * rampMs) / 2;
  return arrival < inRamp ? Math.sqrt((2 * rampMs * arrival) / perMs) : rampMs + (arrival - inRamp) / perMs;
}

/** The end of something, such as of the load: nothing new begins after it. */
export class Finish {
  readonly #controller = new AbortController();

  get passed(): boolean {
    return this.#controller.signal.aborted;
  }

  come(): void {
    this.#controller.abort();
  }

  /** Lets real time pass. @returns false if the finish came first */
  pause(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = later(ms, () => {
        forget();
        resolve(true);
      });
      const forget = onAbort(this.#controller.signal, () => {
        timer.cancel();
        resolve(false);
      });
    });
  }
}
