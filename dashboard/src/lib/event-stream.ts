import type { StreamEvent } from "../../../src/client/stream.js";
import type { Transport } from "./transport";

/**
 * The sandbox's server-sent events as they happen, until the server ends the stream or `signal` aborts. Each turn of
 * the loop has all events that arrived together.
 *
 * @throws SimError when the stream is refused or breaks off
 */
export async function* eventBatches(
  transport: Transport,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent[], void> {
  try {
    const { body } = await transport.send("GET", "/stream", { signal });
    if (body === null) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const blocks = (rest + part.value).split("\n\n");
      rest = blocks.pop() ?? "";
      const events = blocks.map(parseEvent).filter((event) => event !== undefined);
      if (events.length > 0) yield events;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The event of one block of lines; undefined for a comment. */
function parseEvent(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { id: fields.get("id") ?? "", event: fields.get("event"), data: JSON.parse(data) } as StreamEvent;
}
