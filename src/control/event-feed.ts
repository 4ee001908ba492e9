/** Server-sent events of a sandbox: rendered once per turn, without secrets, and written to each client. */
import type { ServerResponse } from "node:http";
import { BOUNDS } from "../kernel/bounds.js";
import { runSafely } from "../kernel/errors.js";
import { masked } from "../kernel/masking.js";
import { fromKeys } from "../kernel/objects.js";
import type { Later } from "../kernel/realtime.js";
import { later, soon } from "../kernel/realtime.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { RecordChange } from "../service/world/world.js";

/** Log entries, each sent as it is at the end of a turn. */
const ENTRIES = ["request", "delivery", "warning", "control", "change"] as const;

/** Sent in place of changes and other events if there is too much. */
const EVERYTHING = { all: true };

interface PendingEvent {
  readonly event: string;
  readonly data: () => unknown;
}

/** An event as all streams send it. */
const rendered = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(masked(data))}\n\n`;

/** The events of a turn that fit into so many bytes, and a notice if some did not. */
function renderedTurn(bytes: number, pending: readonly PendingEvent[]): string {
  let left = bytes;
  const events = pending.flatMap(({ event, data }) => {
    const one = rendered(event, data());
    const size = Buffer.byteLength(one);
    if (size > left) return [];
    left -= size;
    return [one];
  });
  if (events.length < pending.length) events.push(rendered("state", EVERYTHING));
  return events.join("");
}

/** A replaced record, and the journal entry or control call that replaced it. */
type CausedChange = RecordChange & { readonly causedBy: string | null };

const newTurn = () => ({
  events: new Map<unknown, PendingEvent>(),
  changes: [] as CausedChange[],
  allChanged: false,
});

/** The events of one sandbox. What happens in one turn of the event loop is sent together, each record once, as it is then. */
class EventFeed {
  readonly #streams = new Set<EventStream>();
  #unsubscribe = (): void => {};
  #turn = newTurn();

  constructor(
    readonly sandbox: Sandbox,
    private readonly registry: SandboxRegistry,
  ) {}

  join(stream: EventStream): void {
    if (this.#streams.size === 0) this.#unsubscribe = this.#observe();
    else this.#flush();
    this.#streams.add(stream);
    this.sandbox.streams.enter();
  }

  leave(stream: EventStream): void {
    this.#streams.delete(stream);
    this.sandbox.streams.leave();
    if (this.#streams.size > 0) return;
    this.#unsubscribe();
    this.#turn = newTurn();
  }

  #observe(): () => void {
    const leave = this.registry.watch(() => this.#enqueue("sandboxes"));
    const unsubscribe = this.sandbox.observe({
      ...fromKeys(ENTRIES, (event) => (entry: { readonly id: string }) => {
        this.#enqueue(event, () => entry, entry.id);
      }),
      cleared: (log) => this.#enqueue("cleared", () => ({ log }), `cleared ${log}`),
      step: (step) => this.#enqueue("step", () => step, step),
      ran: (report) => this.#enqueue("ran", () => report, report),
      fault: () => this.#faults(),
      clock: () => this.#clock(),
      state: (changes, causedBy) => this.#state(changes, causedBy),
      reset: () => this.#reset(),
      moved: () => this.#move(),
      close: () => this.#end(),
    });
    return () => {
      leave();
      unsubscribe();
    };
  }

  #clock(): void {
    this.#enqueue("clock", () => this.sandbox.run.clock.state());
  }

  #state(changes: readonly RecordChange[], causedBy: string | null): void {
    const turn = this.#turn;
    turn.allChanged ||= changes.length === 0;
    for (const change of changes) turn.changes.push({ ...change, causedBy });
    this.#enqueue("state", () => {
      if (turn.allChanged) return EVERYTHING;
      const records = this.sandbox.run.shown();
      const shown = turn.changes.map(({ collection, before, after, ...change }) => {
        const show = (record: RecordChange["after"]) => record && records.show(collection, record);
        return { collection, ...change, before: show(before), after: show(after) };
      });
      return { changes: shown };
    });
  }

  #faults(): void {
    this.#enqueue("faults", () => ({ rules: this.sandbox.run.faults.list() }));
  }

  /** Drops the events of the run before a reset. */
  #reset(): void {
    this.#turn = newTurn();
    const { epoch: run } = this.sandbox.run;
    this.#enqueue("reset", () => ({ run }));
    this.#state([], null);
    this.#faults();
    this.#clock();
  }

  /** Sends everything that happened before the end. */
  #move(): void {
    this.#flush();
    this.#send(rendered("moved", {}));
    this.#end();
  }

  #end(): void {
    for (const stream of this.#streams) stream.end();
  }

  /** `key`: what happened before under the same key in this turn is sent with it. */
  #enqueue(event: string, data: PendingEvent["data"] = () => ({}), key: unknown = event): void {
    const { events } = this.#turn;
    if (events.size === 0) soon(() => runSafely(this.sandbox.report, () => this.#flush()));
    if (!events.has(key)) events.set(key, { event, data });
  }

  #flush(): void {
    const pending = [...this.#turn.events.values()];
    this.#turn = newTurn();
    if (pending.length > 0)
      this.#send(renderedTurn(BOUNDS.streamTurnBytes.limit / this.#streams.size, pending));
  }

  #send(events: string): void {
    for (const stream of this.#streams) runSafely(this.sandbox.report, () => stream.send(events));
  }
}

/** The feed of a sandbox, which all of its streams share. */
export function eventFeeds(registry: SandboxRegistry): (sandbox: Sandbox) => EventFeed {
  const feeds = new WeakMap<Sandbox, EventFeed>();
  return (sandbox) => {
    const feed = feeds.get(sandbox) ?? new EventFeed(sandbox, registry);
    feeds.set(sandbox, feed);
    return feed;
  };
}

/** A client without input for longer may consider the server dead. */
const HEARTBEAT_MS = 1_500;

export class EventStream {
  #heartbeat: Later;

  constructor(
    private readonly feed: EventFeed,
    private readonly response: ServerResponse,
  ) {
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    const { id, run } = feed.sandbox;
    this.send(rendered("hello", { sandbox: id, run: run.epoch }));
    feed.join(this);
    this.#heartbeat = this.#nextHeartbeat();
    response.once("close", () => {
      this.#heartbeat.cancel();
      feed.leave(this);
    });
  }

  /** Closes the stream of a client that does not keep up: it reconnects, and begins anew with `hello`. */
  send(text: string): void {
    const { response } = this;
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > BOUNDS.streamUnreadBytes.limit) response.destroy();
    else response.write(text);
  }

  end(): void {
    this.response.end();
  }

  #nextHeartbeat(): Later {
    const beat = () => {
      this.#heartbeat = this.#nextHeartbeat();
      this.send(": still here\n\n");
    };
    return later(HEARTBEAT_MS, () => runSafely(this.feed.sandbox.report, beat), { background: true });
  }
}
