/** Real time: what sockets, waits and time-to-live go by. The world's own time is `clock.ts`. */
import type { OnError } from "./errors.js";
import { runSafely } from "./errors.js";
import { clearTimeout, performance, Date as RealDate, setImmediate, setTimeout } from "./timers.js";

/** Milliseconds since 1970. */
export const wallNow = (): number => RealDate.now();

/** Milliseconds from an arbitrary origin, with fractions, never going back: for measuring how long something took. */
export const monotonicNow = (): number => performance.now();

/** How long ago an instant of `monotonicNow` was, in milliseconds, rounded to so many decimals. */
export const elapsedSince = (started: number, decimals: number): number =>
  Math.round((monotonicNow() - started) * 10 ** decimals) / 10 ** decimals;

export interface Later {
  cancel(): void;
}

/** The longest time that a timer of the platform takes, about 24.8 days; a longer one is cut to it. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

const timerMs = (ms: number): number => Math.min(Math.max(0, ms), MAX_TIMER_MS);

/** Calls `run` once after `ms` of real time. `background` timers do not keep the process alive. */
export function later(ms: number, run: () => void, { background = false } = {}): Later {
  const timer = setTimeout(run, timerMs(ms));
  if (background) timer.unref();
  return { cancel: () => clearTimeout(timer) };
}

/** Resolves after `ms` of real time. @throws an `AbortError` when the signal is aborted first */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      timer.cancel();
      reject(new DOMException("The operation was aborted", "AbortError"));
    };
    const timer = later(ms, () => {
      signal?.removeEventListener("abort", end);
      resolve();
    });
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });

const ending: (() => void)[] = [];

/** What one run throws must not keep those behind it waiting: it is thrown in a turn of its own. */
const throwLater: OnError = (error) =>
  void setImmediate(() => {
    throw error;
  });

function endTurn(): void {
  if (ending.length > 0) for (const run of ending.splice(0)) runSafely(throwLater, run);
}

/**
 * Calls `run` at the end of this turn of the event loop: once all input that came together is
 * worked through, and before anything that `soon` and `nextTurn` go on with.
 */
export function atTurnEnd(run: () => void): void {
  if (ending.length === 0) setImmediate(endTurn);
  ending.push(run);
}

/** Calls `run` as soon as the event loop gets to it, after input and output that is waiting. */
export const soon = (run: () => void): void =>
  void setImmediate(() => {
    endTurn();
    run();
  });

/** Resolves when everything that was already due in the event loop has run. */
export const nextTurn = (): Promise<void> => new Promise(soon);

/** Whether `work` is over, well or not, after `ms` at the latest. */
export const within = (ms: number, work: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = later(ms, () => resolve(false));
    const end = () => {
      timer.cancel();
      resolve(true);
    };
    work.then(end, end);
  });

/**
 * What `work` comes to. What has come in while the process was busy is in time: it is read before the time is over.
 *
 * @throws Error with `message` where it takes longer than `ms`
 */
export const inTime = <T>(ms: number, work: Promise<T>, message: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const refuse = () => reject(new Error(message));
    const timer = later(ms, () => soon(refuse));
    work.finally(timer.cancel).then(resolve, reject);
  });

/** The end of the year 9999, ms: later ones have no ISO form with four digits. */
export const LAST_INSTANT = 253_402_300_799_999;

/** The last instant that has an ISO form at all, ms. A clock that runs on, and what it puts off, may get beyond the year 9999. */
export const LAST_WRITABLE = 8_640_000_000_000_000;

export const isoOf = (ms: number): string => new RealDate(ms).toISOString();

/** A date of the calendar, and with it a time from 00:00 to 23:59:59.999 with `Z`, an offset, or neither for UTC. */
const ISO_FORM =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * The instant that an ISO 8601 text or a number of milliseconds names, in milliseconds; NaN for anything else. A date alone is
 * its first moment in UTC. There are no days that a month does not have, no 24:00, and no leap seconds.
 */
export function instantOf(value: unknown): number {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : Number.NaN;
  const [, date = "", time = "00:00", zone = "Z"] = (typeof value === "string" && ISO_FORM.exec(value)) || [];
  const midnight = RealDate.parse(date);
  const exists = !Number.isNaN(midnight) && isoOf(midnight).startsWith(date);
  return exists ? RealDate.parse(`${date}T${time}${zone}`) : Number.NaN;
}

/** The instant of a date in a header of HTTP, in milliseconds; NaN for anything else. */
export const httpInstantOf = (text: string): number => RealDate.parse(text);

/** Whether an instant lies in the years 1970 to 9999, as every clock of a sandbox does. */
export const isInRange = (instant: number): boolean => instant >= 0 && instant <= LAST_INSTANT;

/** What each signal calls when it is aborted: the platform's own listeners cost far more to come and go. */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `listener`, which must not throw, when the signal is aborted, at once if it is already, until the returned function is called. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  const known = listeners.get(signal) ?? listenTo(signal);
  known.add(listener);
  return () => known.delete(listener);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  listeners.set(signal, all);
  const end = () => {
    for (const listener of all) listener();
    all.clear();
  };
  signal.addEventListener("abort", end, { once: true });
  return all;
}
