import type { ServerResponse } from "node:http";
import { BOUNDS } from "../kernel/bounds.js";
import type { ClockState } from "../kernel/clock.js";
import { contain } from "../kernel/contain.js";
import type { Later } from "../kernel/realtime.js";
import { later, soon } from "../kernel/realtime.js";
import type { FaultRule } from "../sandbox/faults.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Change } from "../world/world.js";

/** How many streams one sandbox may have open. */
export const MAX_STREAMS = BOUNDS.streams.limit;
/** A client that has left more than this unread when something new comes is cut off, bytes. */
const MAX_UNREAD_BYTES = BOUNDS.streamUnreadBytes.limit;
/** A replaced record, and the journal entry or control call that replaced it. */
type CausedChange = Change & { readonly causedBy: string | null };
const HEARTBEAT_MS = 15_000;

/**
 * Server-sent events about one sandbox, written to one client. What happens in one turn of the event loop is written
 * together, a record that changed several times once, as it stands at the end of the turn.
 */
export class EventStream {
  readonly #sandbox: Sandbox;
  readonly #response: ServerResponse;
  readonly #unsubscribe: () => void;
  /** The events of this turn, in the order of their first cause. */
  readonly #pending = new Map<string, { readonly event: string; readonly data: () => unknown }>();
  #changes: CausedChange[] = [];
  #allChanged = false;
  #faultsChanged = false;
  readonly #firing = new Map<string, FaultRule>();
  #events = 0;
  #heartbeat: Later;

  constructor(sandbox: Sandbox, response: ServerResponse, version: string) {
    this.#sandbox = sandbox;
    this.#response = response;
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    this.#enqueue("hello", "hello", () => ({ sandbox: sandbox.id, version, clock: this.#clock() }));
    this.#unsubscribe = this.#listen();
    this.#heartbeat = this.#nextHeartbeat();
    sandbox.streams.enter();
    response.once("close", () => this.#close());
  }

  #listen(): () => void {
    return this.#sandbox.observe({
      request: (entry) => this.#enqueue(entry.id, "request", () => entry),
      delivery: (delivery) => this.#enqueue(delivery.id, "delivery", () => delivery),
      warning: (warning) => this.#enqueue(warning.id, "warning", () => warning),
      fault: (rule) => this.#fault(rule),
      clock: () => this.#enqueue("clock", "clock", () => this.#clock()),
      state: (changes, causedBy) => this.#state(changes, causedBy),
      reset: () => this.#reset(),
      close: () => void this.#response.end(),
    });
  }

  #clock(): ClockState {
    return this.#sandbox.run.clock.state();
  }

  #state(changes: readonly Change[], causedBy: string | null): void {
    if (changes.length === 0) this.#allChanged = true;
    for (const change of changes) this.#changes.push({ ...change, causedBy });
    this.#enqueue("state", "state", () => {
      const data = this.#allChanged
        ? { all: true }
        : { changes: this.#changes.map((change) => this.#changeView(change)) };
      this.#allChanged = false;
      this.#changes = [];
      return data;
    });
  }

  #changeView({ collection, before, after, ...change }: CausedChange): unknown {
    const records = this.#sandbox.run.shown();
    const show = (record: Change["after"]) => record && records.show(collection, record);
    return { collection, ...change, before: show(before), after: show(after) };
  }

  #fault(rule: FaultRule | undefined): void {
    if (rule === undefined) this.#faultsChanged = true;
    else this.#firing.set(rule.id, rule);
    this.#enqueue("faults", "faults", () => {
      const counts = [...this.#firing.values()].map(({ id, seen, fired }) => ({ id, seen, fired }));
      const changed = this.#faultsChanged;
      this.#faultsChanged = false;
      this.#firing.clear();
      return { changed, counts };
    });
  }

  /** Events of the run before the reset are dropped. */
  #reset(): void {
    this.#pending.clear();
    this.#firing.clear();
    this.#enqueue("reset", "reset", () => ({}));
    this.#state([], null);
    this.#fault(undefined);
    this.#enqueue("clock", "clock", () => this.#clock());
  }

  #enqueue(key: string, event: string, data: () => unknown): void {
    if (this.#pending.size === 0) soon(() => contain(this.#sandbox.report, () => this.#flush()));
    if (!this.#pending.has(key)) this.#pending.set(key, { event, data });
  }

  #flush(): void {
    const events = [...this.#pending.values()];
    this.#pending.clear();
    const text = events.map(({ event, data }) => {
      this.#events += 1;
      return `id: ${this.#events}\nevent: ${event}\ndata: ${JSON.stringify(data())}\n\n`;
    });
    this.#write(text.join(""));
  }

  #write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    else this.#response.write(text);
  }

  #nextHeartbeat(): Later {
    const beat = () => {
      this.#heartbeat = this.#nextHeartbeat();
      this.#write(": still here\n\n");
    };
    return later(HEARTBEAT_MS, () => contain(this.#sandbox.report, beat), { background: true });
  }

  #close(): void {
    this.#heartbeat.cancel();
    this.#unsubscribe();
    this.#sandbox.streams.leave();
  }
}
