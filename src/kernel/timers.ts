/**
 * The platform's timers and clock, also while a test runner has put fakes in their place. Real time is what sockets and
 * waits go by: faked, nothing would come to an end. The bundle gives the packages in it these too (`scripts/bundle.mjs`).
 */

/** What `@sinonjs/fake-timers`, which vitest and Jest use, puts in place of a function: the real one stays on its clock. */
interface Fake {
  readonly clock?: Readonly<Record<string, unknown>>;
}

const kept = (present: unknown, name: string): unknown => (present as Fake | undefined)?.clock?.[`_${name}`];

function real<Name extends keyof typeof globalThis>(name: Name): (typeof globalThis)[Name] {
  const present = globalThis[name];
  return (kept(present, name) as (typeof globalThis)[Name] | undefined) ?? present;
}

export const setTimeout = real("setTimeout");
export const clearTimeout = real("clearTimeout");
export const setInterval = real("setInterval");
export const clearInterval = real("clearInterval");
export const setImmediate = real("setImmediate");
export const clearImmediate = real("clearImmediate");
export const queueMicrotask = real("queueMicrotask");
export const performance = real("performance");
const RealDate = real("Date");

export { RealDate as Date };

/** There is none in a browser, where the dashboard shows times with what is above. The bundle puts the export below in place of `process.nextTick`. */
type NextTick = typeof process.nextTick;
const present: NextTick | undefined = globalThis.process?.nextTick;
const tick = (kept(present, "nextTick") ?? present) as NextTick;
export const nextTick: NextTick = (...args: Parameters<NextTick>) => Reflect.apply(tick, process, args);
