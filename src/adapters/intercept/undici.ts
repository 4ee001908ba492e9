import { codeOf, isHangUp, type Way } from "./way.js";

/** Where each undici, Node's and those of packages, looks up its global dispatcher, by interface version. */
const DISPATCHERS = ["undici.globalDispatcher.1", "undici.globalDispatcher.2"].map((name) =>
  Symbol.for(name),
);
const [LEGACY, CURRENT] = DISPATCHERS as [symbol, symbol];
/** The first undici whose dispatcher serves callers of both versions. */
const SERVES_BOTH = 7;

/** The callbacks of a call, in either version. */
const FAILURES: ReadonlySet<unknown> = new Set(["onError", "onResponseError"]);

type Dispatch = (options: { readonly origin?: string | URL }, handler: object) => boolean;

/** Makes the dispatchers shared by all undicis of the process send calls to intercepted hosts to the simulator. */
export function redirectDispatchers(way: Way): void {
  // Node loads its own undici when one of its classes is first accessed.
  void globalThis.Response;
  const current = Reflect.get(globalThis, CURRENT) === undefined;
  if (current && Number.parseInt(process.versions.undici ?? "", 10) >= SERVES_BOTH)
    Object.defineProperty(globalThis, CURRENT, { value: Reflect.get(globalThis, LEGACY), writable: true });
  for (const dispatcher of new Set(DISPATCHERS.map((name) => Reflect.get(globalThis, name))))
    if (typeof dispatcher?.dispatch === "function") redirect(dispatcher, way);
}

function redirect(dispatcher: { dispatch: Dispatch }, way: Way): void {
  const dispatch = dispatcher.dispatch;
  dispatcher.dispatch = (options, handler) => {
    const address = options.origin === undefined ? undefined : new URL(options.origin);
    return address === undefined || !way.takes(address)
      ? dispatch.call(dispatcher, options, handler)
      : dispatch.call(
          dispatcher,
          { ...options, origin: way.simulator.origin },
          telling(handler, address, way),
        );
  };
}

/** The same handler, whose error names the simulator's address. */
const telling = (handler: object, address: URL, way: Way): object =>
  new Proxy(handler, {
    get(_handler, key) {
      const value: unknown = Reflect.get(handler, key);
      if (typeof value !== "function") return value;
      if (!FAILURES.has(key)) return value.bind(handler);
      return (...told: readonly unknown[]) =>
        Reflect.apply(value, handler, [
          ...told.slice(0, -1),
          isOfConnection(told.at(-1)) ? way.failure(address, told.at(-1)) : told.at(-1),
        ]);
    },
  });

/** An abort comes from the program, and is not a failure of the simulator. */
const isOfConnection = (error: unknown): boolean => {
  const code = codeOf(error);
  const isAbort = code === "UND_ERR_ABORTED" || (error as Error).name === "AbortError";
  return code !== undefined && !isAbort && !isHangUp(error);
};
