import { SimError } from "../../../src/client/errors.js";
import type { Transport } from "../../../src/client/transport.js";
import type { Access } from "../lib/access";
import type { StreamEvent } from "../model/types";
import type { Wanted, WorkerMessage } from "./words";

/** The events of a sandbox, over a stream that all tabs of the browser share; over one of its own where there is no worker. */
export async function* sharedBatches(
  transport: Transport,
  access: Access,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamEvent[], void> {
  const worker = startWorker();
  if (worker === null) return yield* ownBatches(transport, signal);
  for (;;) {
    try {
      return yield* told(worker, { base: transport.base, token: access.token }, signal);
    } catch (error) {
      if (error instanceof WorkerFailed) return yield* ownBatches(transport, signal);
      if (!(error instanceof SimError) || error.status !== 401) throw error;
      // The worker cannot ask for the token: a call of the page does.
      await transport.call("GET", "/clock", { signal });
    }
  }
}

/** The events over a stream of the page's own, whose program few browsers need. */
async function* ownBatches(transport: Transport, signal: AbortSignal) {
  const { liveBatches } = await import("./live-batches");
  yield* liveBatches(transport, signal);
}

/** The browser has shared workers, but did not run this one. */
class WorkerFailed extends Error {}

function startWorker(): SharedWorker | null {
  try {
    return new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module" });
  } catch {
    return null;
  }
}

/** What the worker tells of one stream, until `signal` aborts. @throws SimError when the stream ends */
async function* told(
  worker: SharedWorker,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamEvent[], void> {
  const { port } = worker;
  const waiting: WorkerMessage[] = [];
  let failed = false;
  let wake = () => {};
  port.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    waiting.push(data);
    wake();
  };
  worker.onerror = () => {
    failed = true;
    wake();
  };
  const onAbort = () => wake();
  const goodbye = () => port.postMessage(null);
  // The browser may keep a page that was left, and show it again as it was.
  const comeBack = ({ persisted }: PageTransitionEvent) => {
    if (persisted) port.postMessage(wanted);
  };
  signal.addEventListener("abort", onAbort);
  addEventListener("pagehide", goodbye);
  addEventListener("pageshow", comeBack);
  port.postMessage(wanted);
  try {
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next !== undefined && "events" in next) yield next.events;
      else if (next !== undefined) throw new SimError(next.end.message, next.end.status, next.end.code);
      else if (failed) throw new WorkerFailed();
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    removeEventListener("pagehide", goodbye);
    removeEventListener("pageshow", comeBack);
    goodbye();
  }
}
