/** The event stream of a sandbox, for Node and browsers. */
import { createParser } from "eventsource-parser";
import type { FaultRule } from "../sandbox/faults.js";
import type { ClearedLog } from "../sandbox/observer.js";
import type { RecordChange } from "../service/world/world.js";
import type { Transport } from "./transport.js";
import type {
  ClockReading,
  ControlRecord,
  DeliveryRecord,
  RequestRecord,
  ScenarioReport,
  StepReport,
  ThreadChange,
  Warning,
} from "./types.js";

/** A record that was added (`before` null), replaced, or removed (`after` null). */
export interface StateChange extends RecordChange {
  /** The journal entry or control call that changed it; null if time passed. */
  readonly causedBy: string | null;
}

/** The data of each kind of event. */
export interface StreamData {
  /** The first event: from now on, nothing is missed. */
  readonly hello: { readonly sandbox: string; readonly run: number };
  /** A call to the simulated API; sent again whenever it changes. */
  readonly request: RequestRecord;
  /** A delivery; sent again whenever it changes. */
  readonly delivery: DeliveryRecord;
  readonly warning: Warning;
  /** A control call that changed something. */
  readonly control: ControlRecord;
  /** A thread's status, business or messaging window has changed. */
  readonly change: ThreadChange;
  readonly state: { readonly changes: readonly StateChange[] } | { readonly all: true };
  /** All fault rules, with how often each was seen and fired. */
  readonly faults: { readonly rules: readonly FaultRule[] };
  readonly clock: ClockReading;
  /** A log was cleared by a control call. */
  readonly cleared: { readonly log: ClearedLog };
  /** A step of a posted scenario has ended. */
  readonly step: StepReport;
  /** A posted scenario has ended. */
  readonly ran: ScenarioReport;
  /** A sandbox of the server was created or deleted. */
  readonly sandboxes: Readonly<Record<string, never>>;
  /** The last event: the sandbox continues in another process; reconnect to follow it there. */
  readonly moved: Readonly<Record<string, never>>;
  /** `run`: the number of the new run, as in `hello`. */
  readonly reset: { readonly run: number };
}

/** Something that happened in a sandbox. `event` determines the type of `data`. */
export type StreamEvent = {
  [Name in keyof StreamData]: { readonly event: Name; readonly data: StreamData[Name] };
}[keyof StreamData];

/**
 * The events of a sandbox as they happen, until the stream ends, `signal` aborts, or the loop is left. `onRead` is called for
 * all input, heartbeats included. Each iteration has all events that arrived together.
 *
 * @throws SimError if the stream is refused
 * @example
 * for await (const events of eventBatches(transport)) for (const { event, data } of events) show(event, data);
 */
export async function* eventBatches(
  transport: Transport,
  signal?: AbortSignal,
  onRead: () => void = () => {},
): AsyncGenerator<StreamEvent[], void> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const { body } = await transport.send("GET", "/stream", { signal });
    if (body === null) return;
    const stream = body.getReader();
    reader = stream;
    const next = () => stream.read().catch(() => ({ done: true, value: undefined }) as const);
    const decoder = new TextDecoder();
    const arrived: StreamEvent[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => void arrived.push({ event, data: JSON.parse(data) } as StreamEvent),
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
