import type { StreamEvent } from "../../../src/client/stream.js";
import type { Transport } from "./transport";
import { refusal } from "./transport";

/** The sandbox's server-sent events as they come, until the server ends them or `signal` aborts. @throws SimError */
export async function* streamEvents(
  transport: Transport,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void> {
  const response = await transport.send("GET", "/stream", { signal });
  if (!response.ok || response.body === null) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** The event of one block; none for a comment. */
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
