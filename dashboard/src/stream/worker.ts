/**
 * Has the event streams of all tabs of a browser, one for each sandbox: a browser has six connections to a server, and
 * a stream for each tab would leave none for calls.
 */
import { SimError } from "../../../src/client/errors.js";
import { Transport } from "../../../src/client/transport.js";
import type { StreamEvent } from "../model/types";
import { liveBatches } from "./live-batches";
import { ENDED, type StreamEnd, type Wanted, type WorkerMessage } from "./words";

/** How many connections streams may take: the others are for calls. */
const MAX_STREAMS = 4;
const TOO_MANY: StreamEnd = {
  message: `this browser already follows ${MAX_STREAMS} sandboxes: close some tabs`,
  status: 503,
  code: "overloaded",
};

type Hello = Extract<StreamEvent, { event: "hello" }>;

/** One stream, and the tabs that follow it. */
class SharedStream {
  readonly #tabs = new Set<MessagePort>();
  readonly #abort = new AbortController();
  /** What a tab that comes later is greeted with. */
  #hello: Hello | undefined;

  constructor({ base, token }: Wanted, onEnd: () => void) {
    const transport = new Transport(base, { controlToken: token ?? undefined });
    this.#follow(transport).then((end) => {
      onEnd();
      this.#tell({ end });
    });
  }

  join(tab: MessagePort): void {
    this.#tabs.add(tab);
    if (this.#hello !== undefined) tab.postMessage({ events: [this.#hello] } satisfies WorkerMessage);
  }

  leave(tab: MessagePort): void {
    this.#tabs.delete(tab);
    if (this.#tabs.size === 0) this.#abort.abort();
  }

  #tell(told: WorkerMessage): void {
    for (const tab of this.#tabs) tab.postMessage(told);
  }

  /** Passes events on until the stream ends; resolves with why. */
  async #follow(transport: Transport): Promise<StreamEnd> {
    try {
      for await (const events of liveBatches(transport, this.#abort.signal)) {
        for (const event of events) this.#remember(event);
        this.#tell({ events });
      }
    } catch (error) {
      if (error instanceof SimError)
        return { message: error.message, status: error.status, code: error.code };
    }
    return { message: "the stream ended", status: null, code: ENDED };
  }

  #remember(event: StreamEvent): void {
    if (event.event === "hello") this.#hello = event;
    const hello = this.#hello;
    if (event.event !== "reset" || hello === undefined) return;
    this.#hello = { ...hello, data: { ...hello.data, run: event.data.run } };
  }
}

/** Answers the tabs: each says once what it wants, and `null` when it goes. */
function serve(): (tab: MessagePort) => void {
  const streams = new Map<string, SharedStream>();
  const streamOf = (wanted: Wanted): SharedStream => {
    const key = JSON.stringify(wanted);
    const known = streams.get(key);
    if (known !== undefined) return known;
    const made = new SharedStream(wanted, () => {
      if (streams.get(key) === made) streams.delete(key);
    });
    streams.set(key, made);
    return made;
  };
  return (tab) => {
    let stream: SharedStream | undefined;
    tab.onmessage = ({ data }: MessageEvent<Wanted | null>) => {
      stream?.leave(tab);
      if (data !== null && !streams.has(JSON.stringify(data)) && streams.size >= MAX_STREAMS) {
        stream = undefined;
        tab.postMessage({ end: TOO_MANY } satisfies WorkerMessage);
        return;
      }
      stream = data === null ? undefined : streamOf(data);
      stream?.join(tab);
    };
  };
}

const onTab = serve();
addEventListener("connect", (event) => {
  const [tab] = event instanceof MessageEvent ? event.ports : [];
  if (tab !== undefined) onTab(tab);
});
