import { Collection } from "./collection.js";
import type { Transport } from "./transport.js";
import { segment } from "./transport.js";
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

/** State, clock and behaviour of one sandbox. */
export class WorldClient {
  /** The control API of this sandbox. */
  protected readonly wire: Transport;

  constructor(wire: Transport) {
    this.wire = wire;
  }

  /** Back to the fixture and options of the start; named snapshots stay. */
  async reset(): Promise<void> {
    await this.wire.call("POST", "/reset");
  }

  /** What the sandbox began with, or was last reset to. */
  start(): Promise<Start> {
    return this.wire.call("GET", "/start");
  }

  /** The whole state, as a fixture document. */
  state(): Promise<FixtureDocument> {
    return this.wire.call("GET", "/state");
  }

  /** Puts a fixture in place of the state; what `reset` brings back stays. */
  putState(fixture: FixtureInput): Promise<FixtureDocument> {
    return this.wire.call("PUT", "/state", { body: fixture });
  }

  /** The live records of one collection. */
  data<C extends CollectionName>(collection: C): Collection<C> {
    return new Collection(this.wire, collection);
  }

  /** Keeps state and clock under a name. */
  snapshot(name: string): Promise<SnapshotInfo> {
    return this.wire.call("POST", "/snapshots", { body: { name } });
  }

  snapshots(): Promise<SnapshotInfo[]> {
    return this.wire.call("GET", "/snapshots");
  }

  /** Back to the state and clock of a snapshot. */
  async restore(name: string): Promise<void> {
    await this.wire.call("POST", `/snapshots/${segment(name)}/restore`);
  }

  async deleteSnapshot(name: string): Promise<void> {
    await this.wire.call("DELETE", `/snapshots/${segment(name)}`);
  }

  clock(): Promise<ClockReading> {
    return this.wire.call("GET", "/clock");
  }

  /** Sets the clock (ISO or ms), freezes it, or lets it run. */
  setClock(clock: { readonly now?: string | number; readonly frozen?: boolean }): Promise<ClockReading> {
    return this.wire.call("PUT", "/clock", { body: clock });
  }

  /**
   * Moves virtual time on. What falls due runs in order; resolves when all of it has settled.
   *
   * @example
   * await sandbox.advance("25h"); // the messaging window has closed
   */
  advance(by: Duration): Promise<ClockReading> {
    return this.wire.call("POST", "/clock/advance", { body: { by } });
  }

  /** Every behaviour that the specification leaves open, with the value in force. */
  behaviour(): Promise<BehaviourRow[]> {
    return this.wire.call("GET", "/behaviour");
  }

  /**
   * Changes behaviours.
   *
   * @example
   * await sandbox.patchBehaviour({ "window.duration": "24h", "delivery.attempts": 4 });
   */
  patchBehaviour(values: Partial<BehaviourValues>): Promise<BehaviourRow[]> {
    return this.wire.call("PATCH", "/behaviour", { body: values });
  }
}
