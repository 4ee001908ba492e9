/** When customers begin: a fixed number at once (closed model), or at a fixed rate (open model). */
import { later, monotonicNow, onAbort } from "../../kernel/realtime.js";

type Model = { readonly customers: number } | { readonly perSecond: number };

export interface Schedule {
  readonly model: Model;
  /** How long new customers arrive, ms. */
  readonly forMs: number;
  /** How long of that time the number of customers, or the rate, grows to its full value, ms. */
  readonly rampMs: number;
}

interface Arrivals {
  /** Plays one customer to its end. `due`: when its first message is due; default: as soon as possible. */
  play(due: number | undefined): Promise<void>;
  isFull(): boolean;
  turnAway(): void;
  /** Once it has passed, nobody arrives. */
  readonly finish: Finish;
}

/** Lets customers arrive until the finish. Resolves once all have ended. */
export const arrive = ({ model, forMs, rampMs }: Schedule, arrivals: Arrivals): Promise<void> =>
  "customers" in model
    ? customersAtOnce(model.customers, rampMs, arrivals)
    : atRate(model.perSecond, forMs, rampMs, arrivals);

/** How long after its begin a load is over, ms. */
export const overAfterMs = ({ model, forMs }: Schedule): number =>
  "customers" in model ? forMs : AHEAD_MS + forMs;

async function customersAtOnce(count: number, rampMs: number, arrivals: Arrivals): Promise<void> {
  const { finish } = arrivals;
  const one = async (place: number) => {
    await finish.pause((rampMs * place) / count);
    while (!finish.passed) await arrivals.play(undefined);
  };
  await Promise.all(Array.from({ length: count }, (_, place) => one(place)));
}

/** How long before a customer is due its thread is created. */
const AHEAD_MS = 500;

async function atRate(perSecond: number, forMs: number, rampMs: number, arrivals: Arrivals): Promise<void> {
  const { finish } = arrivals;
  const started = monotonicNow() + AHEAD_MS;
  const under = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for (let arrival = 0; !finish.passed && failure === undefined; arrival += 1) {
    const afterMs = arrivalMs(arrival, perSecond, rampMs);
    const due = started + afterMs;
    const ahead = afterMs < forMs ? due - AHEAD_MS - monotonicNow() : Number.POSITIVE_INFINITY;
    if (ahead > 0) await finish.pause(Math.min(ahead, 2 ** 31));
    if (finish.passed) break;
    if (arrivals.isFull()) {
      arrivals.turnAway();
      continue;
    }
    const played: Promise<void> = arrivals
      .play(due)
      .catch((error) => {
        failure ??= { error };
      })
      .finally(() => under.delete(played));
    under.add(played);
  }
  await Promise.all(under);
  if (failure !== undefined) throw failure.error;
}

/** When the n-th arrival is due, ms: the rate grows evenly during the ramp, then stays. */
export function arrivalMs(arrival: number, perSecond: number, rampMs: number): number {
  const perMs = perSecond / 1_000;
  const inRamp = (perMs * rampMs) / 2;
  return arrival < inRamp ? Math.sqrt((2 * rampMs * arrival) / perMs) : rampMs + (arrival - inRamp) / perMs;
}

/** The end of the load: nothing new begins after it. */
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
