/** Reading an event stream, however its bytes arrive. */
import { expect, it } from "vitest";
import type { StreamEvent } from "../../src/client/index.js";
import { eventBatches } from "../../src/client/stream.js";
import { Transport } from "../../src/client/transport.js";

/** A transport with a stream of these pieces, and whether its reader has cancelled it. */
function streamOf(...pieces: readonly Uint8Array[]) {
  let isCancelled = false;
  const left = [...pieces];
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull: (stream) => (left.length === 0 ? stream.close() : stream.enqueue(left.shift() as Uint8Array)),
    cancel: () => {
      isCancelled = true;
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  const transport = new Transport("/__sim", { fetch: async () => new Response(body) });
  return { transport, isCancelled: () => isCancelled };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const TEXT =
  ': a comment\n\nevent: clock\ndata: {"now":1,"frozen":true}\n\nevent: reset\r\ndata: {"run":2}\r\n\r\n';
const EVENTS: StreamEvent[] = [
  { event: "clock", data: { now: 1, frozen: true } },
  { event: "reset", data: { run: 2 } },
];

async function batchesIn(...pieces: readonly Uint8Array[]): Promise<StreamEvent[][]> {
  const batches: StreamEvent[][] = [];
  for await (const batch of eventBatches(streamOf(...pieces).transport)) batches.push(batch);
  return batches;
}

it("yields the events that arrive together at once", async () => {
  expect(await batchesIn(bytes(TEXT))).toEqual([EVENTS]);
  expect(await batchesIn(bytes(TEXT + TEXT))).toEqual([[...EVENTS, ...EVENTS]]);
});

it("joins events that arrive in pieces, even within characters", async () => {
  const text = `event: clock\ndata: ${JSON.stringify({ now: 1, frozen: true, note: "Héllo ✓" })}\n\n`;
  const inBytes = (all: string) => batchesIn(...Array.from(bytes(all), (byte) => Uint8Array.of(byte)));
  expect(await inBytes(text)).toMatchObject([[{ event: "clock", data: { note: "Héllo ✓" } }]]);
  expect((await inBytes(TEXT)).flat()).toEqual(EVENTS);
});

it("stops reading when the loop ends", async () => {
  const { transport, isCancelled } = streamOf(bytes(TEXT), bytes(TEXT));
  for await (const _batch of eventBatches(transport)) break;
  expect(isCancelled()).toBe(true);
});
