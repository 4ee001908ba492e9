/** One server-sent event. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events until the body ends. `onEvents` gets all that one piece of the body completed. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvents: (events: StreamEvent[]) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    const events = blocks.map(eventOf).filter((event) => event !== null);
    if (events.length > 0) onEvents(events);
  }
}

function eventOf(block: string): StreamEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length === 0 ? null : { event, data: data.join("\n") };
}
