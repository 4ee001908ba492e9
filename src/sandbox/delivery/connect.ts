import type { buildConnector } from "undici";
import { onAbort } from "../../kernel/abort.js";

type Connect = ReturnType<typeof buildConnector>;
type Options = NonNullable<Parameters<typeof buildConnector>[0]>;

/**
 * Opens the connections of a pool, until the signal ends also those that are still being opened. Node keeps each socket that was
 * given a signal until that is aborted, so each connection has one of its own.
 */
export const connectUntil =
  (signal: AbortSignal, build: typeof buildConnector, options: Options): Connect =>
  (address, callback) => {
    const own = new AbortController();
    const forget = onAbort(signal, () => own.abort());
    build({ ...options, signal: own.signal })(address, (...opened) => {
      if (opened[0] === null) opened[1].once("close", forget);
      else forget();
      callback(...opened);
    });
  };
