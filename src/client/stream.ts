import { refusal, type Transport } from "./transport.js";
import type { ClockReading, CollectionName, DeliveryRecord, RequestRecord, Warning } from "./types.js";

/** A record that was added (`before` null), replaced, or taken out (`after` null). */
export interface StateChange {
  readonly collection: CollectionName;
  readonly id: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The journal entry or control call that changed it; null for time that passed. */
  readonly causedBy: string | null;
}

/** What each kind of event carries. */
export interface StreamData {
  /** The first event: from now on nothing is missed. */
  readonly hello: { readonly sandbox: string; readonly version: string; readonly clock: ClockReading };
  /** A call to the simulated API; again whenever it has changed. */
  readonly request: RequestRecord;
  /** A delivery; again whenever it has changed. */
  readonly delivery: DeliveryRecord;
  readonly warning: Warning;
  readonly state: { readonly changes: readonly StateChange[] } | { readonly all: true };
  readonly faults: {
    readonly changed: boolean;
    readonly counts: readonly { readonly id: string; readonly seen: number; readonly fired: number }[];
  };
  readonly clock: ClockReading;
  readonly reset: Readonly<Record<string, never>>;
}

/** Something that happened in a sandbox. `event` tells what `data` is. */
export type StreamEvent = {
  [Name in keyof StreamData]: { readonly id: string; readonly event: Name; readonly data: StreamData[Name] };
}[keyof StreamData];

/** Server-sent events as they come, until the server ends them, `signal` aborts, or the loop is left. */
export async function* streamOf(
  wire: Transport,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent, void> {
  try {
    const response = await wire.send("GET", "/stream", { signal });
    if (!response.ok || response.body === null)
      throw refusal(`GET ${wire.base}/stream`, response.status, await response.json().catch(() => null));
    yield* eventsOf(response.body.pipeThrough(new TextDecoderStream()));
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

async function* eventsOf(texts: AsyncIterable<string>): AsyncGenerator<StreamEvent, void> {
  let rest = "";
  for await (const text of texts) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== undefined) yield event;
    }
  }
}

/** The event of one block; none for a comment. */
function eventOf(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, value as string);
  }
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { id: fields.get("id") ?? "", event: fields.get("event"), data: JSON.parse(data) } as StreamEvent;
}
