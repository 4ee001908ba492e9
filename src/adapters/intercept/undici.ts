import { runInThisContext } from "node:vm";
import { PATCHED, type Way } from "./way.js";

/** Where each undici, Node's and those of packages, looks up its global dispatcher, by interface version. */
const [LEGACY, CURRENT] = [
  Symbol.for("undici.globalDispatcher.1"),
  Symbol.for("undici.globalDispatcher.2"),
] as const;
/** The first undici whose dispatcher serves callers of both versions, and the first that looks up the current one. */
const SERVES_BOTH = 7;
const USES_CURRENT = 8;

type Dispatch = (options: { readonly origin?: string | URL }, handler: object) => boolean;
type Fetch = (input: unknown, init?: object) => Promise<Response>;

/** Makes `fetch`, and the dispatchers shared by all undicis of the process, send calls to intercepted hosts to the simulator. */
export function redirectFetch(way: Way): void {
  // Under Jest, `globalThis` is that of a test file; Node's undici looks outside it.
  const main: typeof globalThis = runInThisContext("globalThis");
  // Node loads its own undici when one of its classes is first accessed.
  void main.Response;
  const version = Number.parseInt(process.versions.undici ?? "", 10);
  const share = (from: object, name: symbol, to: object, as = name) => {
    const value: unknown = Reflect.get(from, name);
    if (value !== undefined && Reflect.get(to, as) === undefined)
      Object.defineProperty(to, as, { value, writable: true, configurable: true });
  };
  if (version >= SERVES_BOTH) share(main, LEGACY, main, CURRENT);
  for (const name of [LEGACY, CURRENT]) {
    share(main, name, globalThis);
    redirect(Reflect.get(globalThis, name), way);
  }
  const { fetch } = globalThis as { readonly fetch?: Fetch };
  const dispatcher: unknown = Reflect.get(main, version >= USES_CURRENT ? CURRENT : LEGACY);
  if (fetch === undefined || PATCHED in fetch) return;
  // Even where the program has chosen another dispatcher.
  const patched: Fetch = (input, init) => {
    const text = String(Object(input).url ?? input);
    if (!URL.canParse(text) || !way.takes(new URL(text))) return fetch(input, init);
    const get = (target: object, key: PropertyKey) =>
      key === "dispatcher" ? dispatcher : Reflect.get(target, key);
    return fetch(input, new Proxy(init ?? {}, { get }));
  };
  Object.assign(globalThis, { fetch: Object.assign(patched, { [PATCHED]: true }) });
}

function redirect(dispatcher: { dispatch?: Dispatch } | undefined, way: Way): void {
  const dispatch = dispatcher?.dispatch;
  if (dispatcher === undefined || dispatch === undefined || PATCHED in dispatch) return;
  const redirected: Dispatch = (options, handler) => {
    const { origin } = options;
    return origin === undefined || !way.takes(new URL(origin))
      ? dispatch.call(dispatcher, options, handler)
      : dispatch.call(dispatcher, { ...options, origin: way.simulator.origin }, handler);
  };
  dispatcher.dispatch = Object.assign(redirected, { [PATCHED]: true });
}
