/** Real time, for sockets, waits and expiry. The world's own time is in `clock.ts`. */

import { runSafely } from "./errors.js";
import { clearTimeout, performance, Date as RealDate, setImmediate, setTimeout } from "./timers.js";

/** Milliseconds since 1970. */
export const wallNow = (): number => RealDate.now();

/** Milliseconds from an arbitrary origin, with fractions, never decreasing: for measuring durations. */
export const monotonicNow = (): number => performance.now();

/** How long ago an instant of `monotonicNow` was, in milliseconds, rounded to this many decimals. */
export const elapsedSince = (started: number, decimals: number): number =>
  Math.round((monotonicNow() - started) * 10 ** decimals) / 10 ** decimals;

export interface Later {
  cancel(): void;
}

/** The platform's longest timer, about 24.8 days; longer ones are cut to it. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const timerMs = (ms: number): number => Math.min(Math.max(0, ms), MAX_TIMER_MS);

/** Calls `run` once after `ms` of real time. `background` timers do not keep the process alive. */
export function later(ms: number, run: () => void, { background = false } = {}): Later {
  const timer = setTimeout(run, timerMs(ms));
  if (background) timer.unref();
  return { cancel: () => clearTimeout(timer) };
}

/** Resolves after `ms` of real time. @throws an `AbortError` if the signal is aborted first */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = later(ms, () => {
      forget?.();
      resolve();
    });
    const forget =
      signal &&
      onAbort(signal, () => {
        timer.cancel();
        reject(new DOMException("The operation was aborted", "AbortError"));
      });
  });

const ending: (() => void)[] = [];

/** An error of one callback must not delay the others, so it is thrown in its own turn. */
function throwLater(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

function endTurn(): void {
  for (const run of ending.splice(0)) runSafely(throwLater, run);
}

/** Calls `run` at the end of this turn of the event loop: after all input that arrived together, and before `soon`. */
export function atTurnEnd(run: () => void): void {
  if (ending.length === 0) setImmediate(endTurn);
  ending.push(run);
}

/** Calls `run` as soon as the event loop gets to it, after pending input and output. */
export const soon = (run: () => void): void =>
  void setImmediate(() => {
    endTurn();
    run();
  });

/** Resolves when everything that was already due in the event loop has run. */
export const nextTurn = (): Promise<void> => new Promise(soon);

/** For how long a loop may make everybody else wait. */
const TURN_MS = 20;

/** The items one by one; whenever that has taken long, everybody else has a turn. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let began = monotonicNow();
  for (const item of items) {
    yield item;
    if (monotonicNow() - began <= TURN_MS) continue;
    await nextTurn();
    began = monotonicNow();
  }
}

/** Whether `work` has settled within `ms`. */
export const within = (ms: number, work: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = later(ms, () => resolve(false));
    const end = () => {
      timer.cancel();
      resolve(true);
    };
    work.then(end, end);
  });

/** The result of `work`. Input that arrived while the process was busy is in time. @throws Error if it takes longer than `ms` */
export const inTime = <T>(ms: number, work: Promise<T>, message: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const refuse = () => reject(new Error(message));
    const timer = later(ms, () => soon(refuse));
    work.finally(timer.cancel).then(resolve, reject);
  });

/** The end of the year 9999, ms: later instants have no ISO form with a four-digit year. */
export const LAST_INSTANT = 253_402_300_799_999;

/** The last instant with an ISO form, ms. A running clock, and its timers, may go beyond the year 9999. */
export const LAST_WRITABLE = 8_640_000_000_000_000;

export const isoOf = (ms: number): string => new RealDate(ms).toISOString();

/** A calendar date, optionally with a time from 00:00 to 23:59:59.999 and `Z`, an offset, or neither for UTC. */
const ISO_FORM =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * The instant of an ISO 8601 text or a number of milliseconds, in milliseconds; NaN for anything else. A date without a time is
 * its first moment in UTC. Nonexistent days, 24:00 and leap seconds are invalid.
 */
export function instantOf(value: unknown): number {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : Number.NaN;
  const [, date = "", time = "00:00", zone = "Z"] = (typeof value === "string" && ISO_FORM.exec(value)) || [];
  const midnight = RealDate.parse(date);
  const exists = !Number.isNaN(midnight) && isoOf(midnight).startsWith(date);
  return exists ? RealDate.parse(`${date}T${time}${zone}`) : Number.NaN;
}

/** The instant of an HTTP header's date, in milliseconds; NaN for anything else. */
export const httpInstantOf = (text: string): number => RealDate.parse(text);

/** Whether an instant is in the years 1970 to 9999, as for every sandbox clock. */
export const isInRange = (instant: number): boolean => instant >= 0 && instant <= LAST_INSTANT;

/**
 * Our own listeners of each signal: of more than ten of its own, the platform warns. In a list, because a set that
 * takes and drops one after the other keeps them alive until the next full garbage collection.
 */
const listeners = new WeakMap<AbortSignal, (() => void)[]>();

/** Calls `listener`, which must not throw, when the signal is aborted, or at once if it already is, until the returned function is called. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  const known = listeners.get(signal) ?? [];
  if (!listeners.has(signal)) {
    listeners.set(signal, known);
    const end = () => {
      for (let next = known.pop(); next !== undefined; next = known.pop()) next();
    };
    signal.addEventListener("abort", end, { once: true });
  }
  known.push(listener);
  return () => {
    const at = known.lastIndexOf(listener);
    if (at >= 0) known.splice(at, 1);
  };
}
