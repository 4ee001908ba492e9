import type { FaultAction } from "../sandbox/faults.js";
import type { Run } from "../sandbox/run.js";
import type { Abort } from "./attempt.js";
import type { Dispatcher } from "./dispatcher.js";
import type { QueuedDelivery } from "./queued-delivery.js";

/** What a lane reports to its outbox. */
export interface QueueEvents {
  /** The lane has begun to have something that can be sent now or is under way, or has come to rest. */
  live(live: boolean): void;
  /** A parcel is done with. */
  done(): void;
}

/** How many deliveries of one webhook are under way at once where `delivery.order` is `none`. */
const CONCURRENCY = 64;

/** A retry that the clock waits for, until what could go out because of it is over. */
interface Watch {
  readonly parcel: QueuedDelivery;
  /** The newest parcel that was there when the retry became due. */
  readonly newest: number;
  over: boolean;
  /** Whether one that came later is over already. */
  passed: boolean;
  readonly resolve: () => void;
}

/**
 * The deliveries of one webhook on their way (behaviour `delivery.order`). One after the other: a delivery that waits
 * for its retry holds back those after it. Otherwise as they come, `ABREAST` at most.
 *
 * The fault `reorder` holds a delivery back until the next new one of the webhook has been tried, and sends it right
 * after that one. Until a next one comes it does not count as under way; one delivery at most is held back like this.
 */
export class WebhookQueue {
  readonly #run: Run;
  readonly #carrier: Dispatcher;
  readonly #events: QueueEvents;
  /** Not tried yet, in the order of their acceptance. */
  readonly #fresh: QueuedDelivery[] = [];
  /** To be tried before those: retries that are due, and parcels that were overtaken. */
  readonly #due: QueuedDelivery[] = [];
  readonly #underWay = new Map<QueuedDelivery, Abort>();
  /** How many wait for a retry. */
  #waiting = 0;
  #held: QueuedDelivery | undefined;
  #watches: Watch[] = [];
  #newest = -1;
  #live = false;
  #draining = false;
  #closed = false;

  constructor(run: Run, carrier: Dispatcher, events: QueueEvents) {
    this.#run = run;
    this.#carrier = carrier;
    this.#events = events;
  }

  /** Whether nothing is left in it at all. */
  get empty(): boolean {
    return !this.#live && this.#waiting === 0 && this.#held === undefined && this.#fresh.length === 0;
  }

  /** Takes a parcel; it is sent with the next `drain`. */
  add(parcel: QueuedDelivery): void {
    this.#newest = parcel.place;
    this.#fresh.push(parcel);
    this.#notify();
  }

  /** Sends what can be sent now. */
  drain(): void {
    if (this.#draining || this.#closed) return;
    this.#draining = true;
    for (let next = this.#next(); next !== undefined && !this.#closed; next = this.#next()) this.#try(next);
    this.#draining = false;
    this.#notify();
    this.#release();
  }

  /** Gives everything up; nothing is heard of it again. */
  close(): void {
    this.#closed = true;
    for (const abandon of this.#underWay.values()) abandon();
    for (const { resolve } of this.#watches) resolve();
    if (this.#live) this.#events.live(false);
    this.#live = false;
  }

  get #ordered(): boolean {
    return this.#run.behaviour.values["delivery.order"] === "perWebhook";
  }

  #isReady(): boolean {
    if (this.#underWay.size >= (this.#ordered ? 1 : CONCURRENCY)) return false;
    return this.#due.length > 0 || (this.#fresh.length > 0 && (this.#waiting === 0 || !this.#ordered));
  }

  #next(): QueuedDelivery | undefined {
    if (!this.#isReady()) return undefined;
    const due = this.#due.shift();
    if (due !== undefined) return due;
    const fresh = this.#fresh.shift() as QueuedDelivery;
    fresh.overtaken = this.#held;
    this.#held = undefined;
    return fresh;
  }

  #try(parcel: QueuedDelivery): void {
    this.#underWay.set(parcel, () => {});
    if (this.#carrier.isBlocked(parcel)) return this.#over(parcel, null);
    const drawn = parcel.fault;
    const fault = drawn ?? this.#draw(parcel);
    if (fault?.reorder && drawn === undefined && parcel.overtaken === undefined && this.#held === undefined) {
      parcel.fault = fault;
      this.#held = parcel;
      this.#leave(parcel);
      return;
    }
    parcel.fault = undefined;
    const abandon = this.#carrier.carry(parcel, fault, (retryAt) => this.#over(parcel, retryAt));
    if (this.#underWay.has(parcel)) this.#underWay.set(parcel, abandon);
  }

  #draw({ delivery }: QueuedDelivery): FaultAction | undefined {
    const { faults } = this.#run;
    return faults.active ? faults.pick("delivery", delivery) : undefined;
  }

  #over(parcel: QueuedDelivery, retryAt: number | null): void {
    if (this.#closed) return;
    this.#leave(parcel);
    if (parcel.overtaken !== undefined) this.#due.unshift(parcel.overtaken);
    parcel.overtaken = undefined;
    if (retryAt === null) this.#events.done();
    else if (retryAt <= this.#run.clock.now()) this.#due.push(parcel);
    else this.#wait(parcel, retryAt);
    this.drain();
  }

  /** The clock is told when the retry is over, so that `advance` moves on only then. */
  #wait(parcel: QueuedDelivery, retryAt: number): void {
    this.#waiting += 1;
    this.#run.clock.at(retryAt, () => {
      if (this.#closed) return undefined;
      this.#waiting -= 1;
      this.#due.push(parcel);
      const over = new Promise<void>((resolve) => {
        this.#watches.push({ parcel, newest: this.#newest, over: false, passed: false, resolve });
      });
      this.drain();
      return over;
    });
  }

  #leave(parcel: QueuedDelivery): void {
    this.#underWay.delete(parcel);
    for (const watch of this.#watches) {
      if (watch.parcel === parcel) watch.over = true;
      if (parcel.place > watch.newest) watch.passed = true;
    }
  }

  /**
   * Lets the clock go on for each retry that is over and has let out what was behind it. What was accepted later
   * does not count: a stream of new deliveries must not stop the clock.
   */
  #release(): void {
    if (this.#watches.length === 0) return;
    const left: Watch[] = [];
    for (const watch of this.#watches) {
      if (watch.over && (watch.passed || !this.#live)) watch.resolve();
      else left.push(watch);
    }
    this.#watches = left;
  }

  #notify(): void {
    const live = !this.#closed && (this.#underWay.size > 0 || this.#isReady());
    if (live === this.#live) return;
    this.#live = live;
    this.#events.live(live);
  }
}
