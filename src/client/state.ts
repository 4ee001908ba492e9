import { segment } from "./address.js";
import { Collection } from "./collection.js";
import type { ConsumedEntries } from "./consumed-entries.js";
import type { Transport } from "./transport.js";
import type {
  BehaviourRow,
  BehaviourValues,
  ClockReading,
  CollectionName,
  Duration,
  FixtureDocument,
  FixtureInput,
  Start,
} from "./types.js";

/** A named moment of a world; the clock's time in ms. */
export interface SnapshotInfo {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** State, snapshots, clock and behaviour of one sandbox. */
export class SandboxState {
  readonly #transport: Transport;
  readonly #consumed: ConsumedEntries;

  constructor(transport: Transport, consumed: ConsumedEntries) {
    this.#transport = transport;
    this.#consumed = consumed;
  }

  /** Back to the fixture and options of the start; named snapshots stay. */
  async reset(): Promise<{ readonly sandbox: string }> {
    const done = await this.#transport.call<{ sandbox: string }>("POST", "/reset");
    this.#consumed.restart();
    return done;
  }

  /** All of it in one document for `serve --bundle`: state, start, settings and logs, secrets masked. */
  bundle(): Promise<Readonly<Record<string, unknown>>> {
    return this.#transport.call("GET", "/bundle");
  }

  /** What the sandbox began with, or was last reset to. */
  start(): Promise<Start> {
    return this.#transport.call("GET", "/start");
  }

  /** The whole state, as a fixture document. */
  state(): Promise<FixtureDocument> {
    return this.#transport.call("GET", "/state");
  }

  /** Puts a fixture in place of the state; what `reset` brings back stays. */
  putState(fixture: FixtureInput): Promise<FixtureDocument> {
    return this.#transport.call("PUT", "/state", { body: fixture });
  }

  /** The live records of one collection. */
  data<C extends CollectionName>(collection: C): Collection<C> {
    return new Collection(this.#transport, collection);
  }

  /** Keeps state and clock under a name. */
  snapshot(name: string): Promise<SnapshotInfo> {
    return this.#transport.call("POST", "/snapshots", { body: { name } });
  }

  /** The named snapshots. */
  snapshots(): Promise<SnapshotInfo[]> {
    return this.#transport.call("GET", "/snapshots");
  }

  /** Back to the state and clock of a snapshot. */
  async restore(name: string): Promise<void> {
    await this.#transport.call("POST", `/snapshots/${segment(name)}/restore`);
  }

  /** Forgets a snapshot. @throws SimError 404 when there is none with this name */
  async deleteSnapshot(name: string): Promise<void> {
    await this.#transport.call("DELETE", `/snapshots/${segment(name)}`);
  }

  /** The sandbox's time, and whether it stands still. */
  clock(): Promise<ClockReading> {
    return this.#transport.call("GET", "/clock");
  }

  /** Sets the clock (ISO or ms), freezes it, or lets it run. */
  setClock(clock: { readonly now?: string | number; readonly frozen?: boolean }): Promise<ClockReading> {
    return this.#transport.call("PUT", "/clock", { body: clock });
  }

  /**
   * Moves virtual time on. What falls due runs in order; resolves when all of it has settled.
   *
   * @example
   * await sandbox.advance("25h"); // the messaging window has closed
   */
  advance(by: Duration): Promise<ClockReading> {
    return this.#transport.call("POST", "/clock/advance", { body: { by } });
  }

  /** Every behaviour that the specification leaves open, with the value in force. */
  behaviour(): Promise<BehaviourRow[]> {
    return this.#transport.call("GET", "/behaviour");
  }

  /**
   * Changes behaviours.
   *
   * @example
   * await sandbox.patchBehaviour({ "window.duration": "24h", "delivery.attempts": 4 });
   */
  patchBehaviour(values: Partial<BehaviourValues>): Promise<BehaviourRow[]> {
    return this.#transport.call("PATCH", "/behaviour", { body: values });
  }
}
