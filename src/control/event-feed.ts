/** Server-sent events of a sandbox: serialized once per turn, and written to each client. */
import type { ServerResponse } from "node:http";
import { BOUNDS } from "../kernel/bounds.js";
import type { ClockState } from "../kernel/clock.js";
import { runSafely } from "../kernel/errors.js";
import { masked } from "../kernel/masking.js";
import type { Later } from "../kernel/realtime.js";
import { later, soon } from "../kernel/realtime.js";
import type { FaultRule } from "../sandbox/faults.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { LoadedPart } from "../sandbox/states.js";
import { LOADED_PARTS } from "../sandbox/states.js";
import type { Change } from "../service/world/world.js";

/** Sent in place of single changes if there are too many. */
const EVERYTHING = { all: true };

export const EVENT_NAMES = [
  "request",
  "delivery",
  "warning",
  "control",
  "change",
  "state",
  "faults",
  "clock",
  "reset",
  "cleared",
  "step",
  "ran",
  "sandboxes",
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** One event as it is sent, without its id, which differs for each listener. */
type EventText = Buffer;

interface PendingEvent {
  readonly event: EventName;
  /** Its data; if only this many bytes are left, it may contain less. */
  readonly data: (bytes: number) => unknown;
}

interface NamedText {
  readonly event: EventName;
  readonly text: EventText;
  /** The same with its secrets. */
  readonly readable: () => EventText;
}

const eventText = (event: string, data: unknown): EventText =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

/** The events of a turn, as many as fit for so many listeners, followed by a notice if some are omitted. */
function textsOf(pending: Iterable<PendingEvent>, listeners: number): NamedText[] {
  const texts: NamedText[] = [];
  let left = BOUNDS.streamTurnBytes.limit / listeners;
  let isWhole = true;
  for (const { event, data } of pending) {
    const value = data(left);
    const text = left > 0 ? textWithin(left, event, masked(value)) : undefined;
    if (text === undefined) isWhole = false;
    else texts.push({ event, text, readable: () => eventText(event, value) });
    left -= text?.length ?? 0;
  }
  const everything = eventText("state", EVERYTHING);
  return isWhole ? texts : [...texts, { event: "state", text: everything, readable: () => everything }];
}

/** The event, unless it is longer than this many bytes, or than any string can be. */
function textWithin(bytes: number, event: string, data: unknown): EventText | undefined {
  try {
    const text = eventText(event, data);
    return text.length <= bytes ? text : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A replaced record, and the journal entry or control call that replaced it. */
type CausedChange = Change & { readonly causedBy: string | null };

interface Listener {
  /** The events to send; default: all. */
  readonly events?: ReadonlySet<EventName> | undefined;
  readonly showsSecrets: boolean;
  hear(events: readonly EventText[]): void;
  end(): void;
}

/** What has happened in this turn of the event loop. */
const newTurn = () => ({
  /** In the order of their first cause. */
  events: new Map<string, PendingEvent>(),
  changes: [] as CausedChange[],
  allChanged: false,
  faultsChanged: false,
  firing: new Map<string, FaultRule>(),
});

/**
 * The events of one sandbox, collected once for all listeners. What happens in one turn of the event loop is sent together; a
 * record that changed several times is sent once, as it is at the end of the turn.
 */
class EventFeed {
  readonly #sandbox: Sandbox;
  readonly #registry: SandboxRegistry;
  readonly #listeners = new Set<Listener>();
  #unsubscribe = (): void => {};
  #turn = newTurn();
  /** How many steps have been sent. */
  #steps = 0;

  constructor(sandbox: Sandbox, registry: SandboxRegistry) {
    this.#sandbox = sandbox;
    this.#registry = registry;
  }

  /** Sends what happens from now on, until the returned function is called. */
  join(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#unsubscribe = this.#observe();
    else this.#flush();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe();
      this.#turn = newTurn();
    };
  }

  #observe(): () => void {
    const leave = this.#registry.watch(() => this.#enqueue("sandboxes", "sandboxes", () => ({})));
    const unsubscribe = this.#sandbox.observe({
      request: (entry) => this.#enqueue(entry.id, "request", () => entry),
      delivery: (delivery) => this.#enqueue(delivery.id, "delivery", () => delivery),
      warning: (warning) => this.#enqueue(warning.id, "warning", () => warning),
      control: (record) => this.#enqueue(record.id, "control", () => record),
      change: (change) => this.#enqueue(change.id, "change", () => change),
      cleared: (log) => this.#enqueue(`cleared ${log}`, "cleared", () => ({ log })),
      step: (step) => this.#enqueue(`step ${this.#steps++}`, "step", () => step),
      ran: () => this.#enqueue("ran", "ran", () => ({})),
      fault: (rule) => this.#fault(rule),
      clock: () => this.#enqueue("clock", "clock", () => this.#clock()),
      state: (changes, causedBy) => this.#state(changes, causedBy),
      reset: (loaded) => this.#reset(loaded),
      moved: () => this.#move(),
      close: () => this.#end(),
    });
    return () => {
      leave();
      unsubscribe();
    };
  }

  #clock(): ClockState {
    return this.#sandbox.run.clock.state();
  }

  #isWanted(event: EventName): boolean {
    for (const { events } of this.#listeners) if (events === undefined || events.has(event)) return true;
    return false;
  }

  #state(changes: readonly Change[], causedBy: string | null): void {
    if (!this.#isWanted("state")) return;
    const turn = this.#turn;
    turn.allChanged ||=
      changes.length === 0 || turn.changes.length + changes.length > BOUNDS.streamTurnChanges.limit;
    if (turn.allChanged) turn.changes = [];
    else for (const change of changes) turn.changes.push({ ...change, causedBy });
    this.#enqueue("state", "state", (bytes) => {
      const changed = turn.allChanged ? undefined : this.#shownChanges(turn.changes, bytes);
      return changed === undefined ? EVERYTHING : { changes: changed };
    });
  }

  /** The changes with records as they are shown, unless they take more than this many bytes. */
  #shownChanges(changes: readonly CausedChange[], bytes: number): unknown[] | undefined {
    const records = this.#sandbox.run.shown();
    let left = bytes;
    const shown: unknown[] = [];
    for (const { collection, before, after, ...change } of changes) {
      const show = (record: Change["after"]) => record && records.show(collection, record);
      const view = { collection, ...change, before: show(before), after: show(after) };
      left -= JSON.stringify(view).length;
      if (left < 0) return undefined;
      shown.push(view);
    }
    return shown;
  }

  #fault(rule: FaultRule | undefined): void {
    const turn = this.#turn;
    if (rule === undefined) turn.faultsChanged = true;
    else turn.firing.set(rule.id, rule);
    this.#enqueue("faults", "faults", () => {
      const counts = [...turn.firing.values()].map(({ id, seen, fired }) => ({ id, seen, fired }));
      return { changed: turn.faultsChanged, counts };
    });
  }

  /** Drops the events of the run before a reset. */
  #reset(loaded: readonly LoadedPart[]): void {
    this.#turn = newTurn();
    const names = loaded.map((part) => LOADED_PARTS[part]);
    this.#enqueue("reset", "reset", () => {
      const { epoch: run } = this.#sandbox.run;
      return names.length === 0 ? { run } : { run, loaded: names };
    });
    this.#state([], null);
    this.#fault(undefined);
    this.#enqueue("clock", "clock", () => this.#clock());
  }

  /** Sends everything that happened before the end. */
  #move(): void {
    this.#flush();
    const text = eventText("moved", {});
    for (const listener of this.#listeners) runSafely(this.#sandbox.report, () => listener.hear([text]));
    this.#end();
  }

  #end(): void {
    for (const listener of this.#listeners) listener.end();
  }

  #enqueue(key: string, event: EventName, data: (bytes: number) => unknown): void {
    if (!this.#isWanted(event)) return;
    const { events } = this.#turn;
    if (events.size === 0) soon(() => runSafely(this.#sandbox.report, () => this.#flush()));
    if (!events.has(key)) events.set(key, { event, data });
  }

  #flush(): void {
    const { events: pending } = this.#turn;
    this.#turn = newTurn();
    if (pending.size === 0) return;
    const told = textsOf(pending.values(), this.#listeners.size);
    for (const listener of this.#listeners) {
      const { events, showsSecrets } = listener;
      const heard = events === undefined ? told : told.filter(({ event }) => events.has(event));
      if (heard.length > 0)
        runSafely(this.#sandbox.report, () =>
          listener.hear(heard.map((told) => (showsSecrets ? told.readable() : told.text))),
        );
    }
  }
}

/** The feeds of all sandboxes that have had a listener. */
export class EventFeeds {
  readonly #feeds = new WeakMap<Sandbox, EventFeed>();
  readonly #registry: SandboxRegistry;

  constructor(registry: SandboxRegistry) {
    this.#registry = registry;
  }

  of(sandbox: Sandbox): EventFeed {
    const feed = this.#feeds.get(sandbox) ?? new EventFeed(sandbox, this.#registry);
    this.#feeds.set(sandbox, feed);
    return feed;
  }
}

export const MAX_STREAMS = BOUNDS.streams.limit;
/** A client without input for longer may consider the server dead. */
const HEARTBEAT_MS = 1_500;

export class EventStream {
  readonly #sandbox: Sandbox;
  readonly #response: ServerResponse;
  readonly #leave: () => void;
  #events: number;
  #heartbeat: Later;

  /** `events`: those to send; default: all. `lastId`: the last id of an earlier stream, after which ids continue. */
  constructor(
    sandbox: Sandbox,
    feed: EventFeed,
    response: ServerResponse,
    version: string,
    events?: ReadonlySet<EventName>,
    { lastId = 0, showsSecrets = false } = {},
  ) {
    this.#events = lastId;
    this.#sandbox = sandbox;
    this.#response = response;
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    this.#leave = feed.join({
      events,
      showsSecrets,
      hear: (texts) => this.#hear(texts),
      end: () => void response.end(),
    });
    const { epoch, clock } = sandbox.run;
    this.#hear([eventText("hello", { sandbox: sandbox.id, version, clock: clock.state(), run: epoch })]);
    this.#heartbeat = this.#nextHeartbeat();
    sandbox.streams.enter();
    response.once("close", () => this.#close());
  }

  /** The texts are shared by all streams: only the ids are this one's. */
  #hear(events: readonly EventText[]): void {
    this.#write(
      events.flatMap((text) => {
        this.#events += 1;
        return [`id: ${this.#events}\n`, text];
      }),
    );
  }

  #write(parts: readonly (string | Buffer)[]): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > BOUNDS.streamUnreadBytes.limit) return void response.destroy();
    response.cork();
    for (const part of parts) response.write(part);
    response.uncork();
  }

  #nextHeartbeat(): Later {
    const beat = () => {
      this.#heartbeat = this.#nextHeartbeat();
      this.#write([": still here\n\n"]);
    };
    return later(HEARTBEAT_MS, () => runSafely(this.#sandbox.report, beat), { background: true });
  }

  #close(): void {
    this.#heartbeat.cancel();
    this.#leave();
    this.#sandbox.streams.leave();
  }
}
