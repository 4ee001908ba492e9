/** The event stream of a sandbox. It is read in Node and in browsers alike. */
import { createParser } from "eventsource-parser";
import type { ClearedLog } from "../sandbox/observer.js";
import type { LOADED_PARTS, LoadedPart } from "../sandbox/states.js";
import type { Change } from "../service/world/world.js";
import type { Transport } from "./transport.js";
import type {
  ClockReading,
  ControlRecord,
  DeliveryRecord,
  RequestRecord,
  StepReport,
  ThreadChange,
  Warning,
} from "./types.js";

/** A record that was added (`before` null), replaced, or taken out (`after` null). */
export interface StateChange extends Change {
  /** The journal entry or control call that changed it; null for time that passed. */
  readonly causedBy: string | null;
}

/** What each kind of event carries. */
export interface StreamData {
  /** The first event: from now on nothing is missed. */
  readonly hello: {
    readonly sandbox: string;
    readonly version: string;
    readonly clock: ClockReading;
    readonly run: number;
  };
  /** A call to the simulated API; again whenever it has changed. */
  readonly request: RequestRecord;
  /** A delivery; again whenever it has changed. */
  readonly delivery: DeliveryRecord;
  readonly warning: Warning;
  /** A control call that changed something. */
  readonly control: ControlRecord;
  /** A thread has another status, business or messaging window. */
  readonly change: ThreadChange;
  readonly state: { readonly changes: readonly StateChange[] } | { readonly all: true };
  readonly faults: {
    readonly changed: boolean;
    readonly counts: readonly { readonly id: string; readonly seen: number; readonly fired: number }[];
  };
  readonly clock: ClockReading;
  /** A log was cleared by a control call. */
  readonly cleared: { readonly log: ClearedLog };
  /** A step of a posted scenario has ended. */
  readonly step: StepReport;
  /** A posted scenario has ended: `GET /scenarios/last` has its report. */
  readonly ran: Readonly<Record<string, never>>;
  /** A sandbox of the server has come or gone. */
  readonly sandboxes: Readonly<Record<string, never>>;
  /** The last event: another process has the sandbox from now on, whose stream can be opened in place of this one. */
  readonly moved: Readonly<Record<string, never>>;
  /** `run`: the number of the run that has begun, as in `hello`. `loaded`: the parts of the sandbox's start that were loaded anew, where some were. */
  readonly reset: { readonly run: number; readonly loaded?: readonly (typeof LOADED_PARTS)[LoadedPart][] };
}

/** Something that happened in a sandbox. `event` tells what `data` is. */
export type StreamEvent = {
  [Name in keyof StreamData]: { readonly id: string; readonly event: Name; readonly data: StreamData[Name] };
}[keyof StreamData];

/**
 * The events of a sandbox as they happen, until the stream ends or breaks off, `signal` aborts, or the loop is left.
 * Those alone that `events` names, where it does. `onRead` is called whenever anything comes, heartbeats included. Each turn of the loop has all events that arrived together, so that a page can show them at once.
 *
 * @throws SimError when the stream is refused
 * @example
 * for await (const events of eventBatches(transport)) for (const { event, data } of events) show(event, data);
 */
export async function* eventBatches(
  transport: Transport,
  signal?: AbortSignal,
  events?: readonly (keyof StreamData)[],
  onRead: () => void = () => {},
): AsyncGenerator<StreamEvent[], void> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const { body } = await transport.send("GET", "/stream", { signal, query: { events: events?.join(",") } });
    if (body === null) return;
    const stream = body.getReader();
    reader = stream;
    const next = () => stream.read().catch(() => ({ done: true, value: undefined }) as const);
    const decoder = new TextDecoder();
    const arrived: StreamEvent[] = [];
    const parser = createParser({
      onEvent: ({ id = "", event, data }) =>
        void arrived.push({ id, event, data: JSON.parse(data) } as StreamEvent),
    });
    for (let part = await next(); !part.done; part = await next()) {
      onRead();
      parser.feed(decoder.decode(part.value, { stream: true }));
      if (arrived.length > 0) yield arrived.splice(0);
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    await reader?.cancel().catch(() => {});
  }
}
