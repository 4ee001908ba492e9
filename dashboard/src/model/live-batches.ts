import { SimError } from "../../../src/client/errors.js";
import { eventBatches } from "../../../src/client/stream.js";
import type { Transport } from "../../../src/client/transport.js";
import type { StreamEvent } from "./types";

/** The code of a stream that the server ended: the sandbox is gone, or the server ends. */
export const ENDED = "ended";
/** The code of one on which nothing comes any longer. */
export const SILENT = "silent";

/** A stream may take so long to begin, ms. */
const BEGIN_MS = 12_000;
/** The server writes something each 1.5 s at least: after so long a silence it stands still, ms. */
const SILENCE_MS = 10_000;

/** The events of a stream. @throws SimError when it is refused, breaks off or falls silent */
export async function* liveBatches(
  transport: Transport,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamEvent[], void> {
  const silence = new AbortController();
  const fallSilent = () => silence.abort();
  let timer = setTimeout(fallSilent, BEGIN_MS);
  const onRead = () => {
    clearTimeout(timer);
    timer = setTimeout(fallSilent, SILENCE_MS);
  };
  try {
    yield* eventBatches(transport, AbortSignal.any([signal, silence.signal]), onRead);
  } finally {
    clearTimeout(timer);
  }
  if (silence.signal.aborted && !signal.aborted) throw new SimError("the stream stopped", null, SILENT);
}
