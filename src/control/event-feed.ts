import { BOUNDS } from "../kernel/bounds.js";
import type { ClockState } from "../kernel/clock.js";
import { contain } from "../kernel/contain.js";
import { soon } from "../kernel/realtime.js";
import type { FaultRule } from "../sandbox/faults.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { LOADED_PARTS, type LoadedPart } from "../sandbox/run-start.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Change } from "../world/world.js";
import type { EventName, EventText, PendingEvent } from "./event-text.js";
import { EVERYTHING, eventText, textsOf } from "./event-text.js";

/** So many changes are told of one by one. */
const MAX_CHANGES = BOUNDS.streamTurnChanges.limit;

/** A replaced record, and the journal entry or control call that replaced it. */
type CausedChange = Change & { readonly causedBy: string | null };

interface Listener {
  /** The events that it hears of; left out: all. */
  readonly events?: ReadonlySet<EventName> | undefined;
  readonly showsSecrets: boolean;
  hear(events: readonly EventText[]): void;
  end(): void;
}

/**
 * What happens in one sandbox, put together once for all who listen. What happens in one turn of the event loop is told
 * together, a record that changed several times once, as it stands at the end of the turn.
 */
export class EventFeed {
  readonly #sandbox: Sandbox;
  readonly #registry: SandboxRegistry;
  readonly #listeners = new Set<Listener>();
  #unsubscribe = (): void => {};
  /** The events of this turn, in the order of their first cause. */
  readonly #pending = new Map<string, PendingEvent>();
  #changes: CausedChange[] = [];
  #allChanged = false;
  #faultsChanged = false;
  /** How many steps it has told of. */
  #steps = 0;
  readonly #firing = new Map<string, FaultRule>();

  constructor(sandbox: Sandbox, registry: SandboxRegistry) {
    this.#sandbox = sandbox;
    this.#registry = registry;
  }

  /** Tells of what happens from now on, until the returned function is called. */
  join(listener: Listener): () => void {
    if (this.#listeners.size === 0) this.#unsubscribe = this.#observe();
    else this.#flush();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe();
      this.#forget();
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

  /** Whether anybody hears of such events. */
  #isWanted(event: EventName): boolean {
    for (const { events } of this.#listeners) if (events === undefined || events.has(event)) return true;
    return false;
  }

  #state(changes: readonly Change[], causedBy: string | null): void {
    if (!this.#isWanted("state")) return;
    if (changes.length === 0 || this.#changes.length + changes.length > MAX_CHANGES) this.#allChanged = true;
    if (this.#allChanged) this.#changes = [];
    else for (const change of changes) this.#changes.push({ ...change, causedBy });
    this.#enqueue("state", "state", (bytes) => {
      const changed = this.#allChanged ? undefined : this.#shownChanges(bytes);
      this.#allChanged = false;
      this.#changes = [];
      return changed === undefined ? EVERYTHING : { changes: changed };
    });
  }

  /** The changes as readers see the records, unless they take more than so many bytes. */
  #shownChanges(bytes: number): unknown[] | undefined {
    const records = this.#sandbox.run.shown();
    let left = bytes;
    const shown: unknown[] = [];
    for (const { collection, before, after, ...change } of this.#changes) {
      const show = (record: Change["after"]) => record && records.show(collection, record);
      const view = { collection, ...change, before: show(before), after: show(after) };
      left -= JSON.stringify(view).length;
      if (left < 0) return undefined;
      shown.push(view);
    }
    return shown;
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
  #reset(loaded: readonly LoadedPart[]): void {
    this.#forget();
    const names = loaded.map((part) => LOADED_PARTS[part]);
    this.#enqueue("reset", "reset", () => {
      const { epoch: run } = this.#sandbox.run;
      return names.length === 0 ? { run } : { run, loaded: names };
    });
    this.#state([], null);
    this.#fault(undefined);
    this.#enqueue("clock", "clock", () => this.#clock());
  }

  #forget(): void {
    this.#pending.clear();
    this.#firing.clear();
    this.#changes = [];
    this.#allChanged = false;
    this.#faultsChanged = false;
  }

  /** Says all that happened before it ends. */
  #move(): void {
    this.#flush();
    const text = eventText("moved", {});
    for (const listener of this.#listeners) contain(this.#sandbox.report, () => listener.hear([text]));
    this.#end();
  }

  #end(): void {
    for (const listener of this.#listeners) listener.end();
  }

  #enqueue(key: string, event: EventName, data: (bytes: number) => unknown): void {
    if (!this.#isWanted(event)) return;
    if (this.#pending.size === 0) soon(() => contain(this.#sandbox.report, () => this.#flush()));
    if (!this.#pending.has(key)) this.#pending.set(key, { event, data });
  }

  #flush(): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    if (pending.length === 0) return;
    const told = textsOf(pending);
    for (const listener of this.#listeners) {
      const { events, showsSecrets } = listener;
      const heard = events === undefined ? told : told.filter(({ event }) => events.has(event));
      if (heard.length > 0)
        contain(this.#sandbox.report, () =>
          listener.hear(heard.map((told) => (showsSecrets ? told.readable() : told.text))),
        );
    }
  }
}

/** The feeds of all sandboxes that somebody has listened to. */
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
