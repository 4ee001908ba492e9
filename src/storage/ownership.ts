import pLimit from "p-limit";
import { BOUNDS } from "../kernel/bounds.js";
import { type Logger, reasonOf, runSafely } from "../kernel/errors.js";
import { DEFAULT_SANDBOX } from "../kernel/names.js";
import { later, monotonicNow, nextTurn, sleep, within } from "../kernel/realtime.js";
import type { OpenContext } from "../sandbox/document.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/saver.js";
import { isOver, readSummary, type SandboxSummary } from "../sandbox/summary.js";
import { type Persistence, withStoreErrors } from "./persistence.js";
import { LEASE_MS, type ValkeyStore } from "./valkey-store.js";

/** How often leases are renewed, ms. */
const RENEW_MS = LEASE_MS / 3;
/** After this many rounds without a call, a sandbox is idle. */
const IDLE_ROUNDS = 4;
/** How long calls in flight may delay handing a sandbox to another process, ms. */
const GRACE_MS = 1_000;
/** How long a closing process waits for its store, ms. */
const LAST_WRITE_MS = 2_000;
/** How long a call waits for another process to release a sandbox, ms. */
const RELEASE_TIMEOUT_MS = 3_000;
/** How soon it first checks whether the sandbox was released, ms. The interval then grows, since the process may be gone. */
const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 200;
/** How long a process remembers what it has refused, ms. */
const REMEMBERED_MS = 10_000;

const ID = new RegExp(SANDBOX_ID.pattern);

export interface OwnershipContext {
  readonly registry: SandboxRegistry;
  readonly persistence: Persistence;
  /** Its defaults are the start of the sandbox `default`, which is created by its first call. */
  readonly open: OpenContext;
  readonly logger: Logger;
  readonly report: (error: unknown) => void;
}

/** A sandbox that is open in this process, whether it was called in this round, and for how many rounds it was not. */
interface OpenSandbox {
  readonly sandbox: Sandbox;
  isUsed: boolean;
  rounds: number;
}

const isUnused = ({ isUsed, sandbox }: OpenSandbox): boolean => !isUsed && sandbox.isQuiet;

/**
 * The sandboxes that are open in this process, if several share a store. A sandbox is opened by its first call, and closed if
 * it has not been called for long, if another process requests it, or if this process ends.
 */
export class Ownership {
  readonly #leases: ValkeyStore;
  readonly #context: OwnershipContext;
  readonly #open = new Map<string, OpenSandbox>();
  /**
   * What is going on with each id: it is opened, created, closed or deleted here, one after the other. A process that took an id
   * twice would lose it to itself.
   */
  readonly #busy = new Map<string, Promise<unknown>>();
  /** Those of them that are being opened, for further calls that want the same, or closed. */
  readonly #opening = new Map<string, Promise<void>>();
  readonly #closing = new Map<string, Promise<void>>();
  /** Until when to remember that a sandbox of another process was called here, of monotonic time. */
  readonly #refused = new Map<string, number>();
  /** Opens only a few at a time, so that there is room for each before it is read. */
  readonly #few = pLimit(BOUNDS.sandboxOpenings.limit);
  #isEnding = false;
  #isClosed = false;

  constructor(leases: ValkeyStore, context: OwnershipContext) {
    this.#leases = leases;
    this.#context = context;
    const { registry, persistence } = context;
    registry.each((sandbox) => this.#watch(sandbox));
    persistence.onLost = (sandbox) => this.#drop(sandbox);
    leases.onAsked((id) => {
      const open = this.#open.get(id);
      if (open !== undefined && !this.#isEnding) runSafely(context.report, () => this.handOver(open.sandbox));
    });
    this.#repeat(RENEW_MS, () => this.#renew());
    this.#repeat(BOUNDS.sandboxIdleMs.limit / IDLE_ROUNDS, () => this.#closeIdle());
  }

  /**
   * Undefined if the sandbox is open here; otherwise resolves when it is, or does not exist.
   *
   * @throws LeaseHeldElsewhereError; PersistenceUnavailableError
   */
  opened(id: string): Promise<void> | undefined {
    const open = this.#open.get(id);
    if (open !== undefined && this.#leases.isHeld(id) && !this.#closing.has(id)) {
      open.isUsed = true;
      return undefined;
    }
    if (this.#isEnding) return Promise.reject(new LeaseHeldElsewhereError(id));
    if (!ID.test(id)) return undefined;
    const opening = this.#opening.get(id);
    if (opening !== undefined) return opening;
    // What is to be saved first may take long.
    if (this.#closing.has(id) && this.#context.persistence.isDegraded)
      return new Promise(() => this.#context.persistence.check());
    return this.#inTurn(id, () => this.#openOne(id), this.#opening);
  }

  /** Takes an id for a new sandbox, which the caller must create at once; false if it exists. */
  async claim(id: string): Promise<boolean> {
    if (this.#isEnding) throw new LeaseHeldElsewhereError(id);
    return this.#inTurn(id, async () => !this.#open.has(id) && (await this.#claim(id)));
  }

  /**
   * Starts work on an id once all earlier work on it is over, and whoever waited for that has gone on: a new sandbox is created
   * before anything else happens to its id. `kind`: where to find the work meanwhile.
   */
  #inTurn<T>(id: string, work: () => Promise<T>, kind?: Map<string, Promise<T>>): Promise<T> {
    const done = (this.#busy.get(id) ?? Promise.resolve()).then(work);
    const over: Promise<void> = done.then(nextTurn, nextTurn).then(() => {
      if (this.#busy.get(id) === over) this.#busy.delete(id);
      if (kind?.get(id) === done) kind.delete(id);
    });
    this.#busy.set(id, over);
    kind?.set(id, done);
    return done;
  }

  async #claim(id: string): Promise<boolean> {
    const acquire = () => withStoreErrors(() => this.#leases.acquire(id, true));
    const claim = await acquire();
    if (claim !== "taken") return claim === "held";
    const text = await withStoreErrors(() => this.#leases.summary(id));
    if (text === null || !isOver(readSummary(id, text))) return false;
    // Opening an expired one deletes it.
    await this.#openOne(id);
    return (await acquire()) === "held";
  }

  async freeId(): Promise<string> {
    return `s${await withStoreErrors(() => this.#leases.nextNumber())}`;
  }

  /** Releases a sandbox, so that the next call can open it in any process. */
  handOver(sandbox: Sandbox): Promise<void> {
    if (this.#isOpen(sandbox)) return this.#close(sandbox, GRACE_MS);
    return this.#closing.get(sandbox.id) ?? Promise.resolve();
  }

  /** The sandboxes that are not open here. */
  async others(): Promise<SandboxSummary[]> {
    const summaries = await withStoreErrors(() => this.#leases.summaries());
    return [...summaries]
      .filter(([id]) => !this.#open.has(id))
      .map(([id, text]) => readSummary(id, text))
      .filter((summary) => !isOver(summary));
  }

  /** Releases all sandboxes, each when its calls in flight have ended, after at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#opening.values());
    // Deliveries wait for a store that is unavailable.
    const closingMs = this.#context.persistence.isDegraded ? Math.min(graceMs, GRACE_MS) : graceMs;
    for (const { sandbox } of this.#open.values()) this.#close(sandbox, closingMs);
    // A store that is unavailable now may stay so: unsaved changes are lost then.
    await within(closingMs + LAST_WRITE_MS, Promise.allSettled(this.#closing.values()));
    this.#isClosed = true;
  }

  /** Repeats `work`, `ms` after each time, whether it succeeds or not. */
  #repeat(ms: number, work: () => Promise<void>): void {
    const { report } = this.#context;
    const next = async () => {
      if (this.#isClosed) return;
      await work().catch(report);
      this.#repeat(ms, work);
    };
    later(ms, () => runSafely(report, next), { background: true });
  }

  /** Whether this very sandbox is open here, not another one with its id. */
  #isOpen(sandbox: Sandbox): boolean {
    return this.#open.get(sandbox.id)?.sandbox === sandbox;
  }

  #watch(sandbox: Sandbox): void {
    const { id } = sandbox;
    this.#open.set(id, { sandbox, isUsed: true, rounds: 0 });
    sandbox.observe({
      close: () => {
        this.#open.delete(id);
        // It cannot be opened while its deletion is written.
        if (!this.#closing.has(id))
          this.#inTurn(id, () => this.#context.persistence.drain(id), this.#closing);
      },
    });
  }

  async #openOne(id: string): Promise<void> {
    if (this.#open.has(id) && (await this.#renewed(id))) return;
    if (!(await this.#take(id)) && id === DEFAULT_SANDBOX) await this.#makeDefault();
  }

  /** Takes and opens a sandbox; false if it does not exist. One that another process holds is requested at the second call. */
  async #take(id: string): Promise<boolean> {
    const until = monotonicNow() + RELEASE_TIMEOUT_MS;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(2 * wait, MAX_POLL_MS)) {
      const claim = await withStoreErrors(() => this.#leases.acquire(id, false));
      if (claim === "absent" || claim === "taken") return false;
      if (claim === "held") {
        await this.#few(() => this.#resume(id));
        return true;
      }
      // A repeated call is meant for this process: a single stray call does not move a sandbox.
      if (!this.#isAgain(id) || monotonicNow() > until) throw new LeaseHeldElsewhereError(id);
      await withStoreErrors(() => this.#leases.ask(claim.holder, id));
      await sleep(wait);
    }
  }

  /** Whether a sandbox of another process was recently called here. */
  #isAgain(id: string): boolean {
    const now = monotonicNow();
    const isAgain = (this.#refused.get(id) ?? 0) > now;
    for (const [known, until] of this.#refused) if (until < now) this.#refused.delete(known);
    this.#refused.set(id, now + REMEMBERED_MS);
    return isAgain;
  }

  async #resume(id: string): Promise<void> {
    const { registry, persistence, open, logger } = this.#context;
    try {
      const [options, kept] = await persistence.loadOne(id, open);
      if (isOver(options)) return await this.#leases.remove(id);
      await this.#makeRoom();
      this.#refused.delete(id);
      registry.create(options, kept);
    } catch (error) {
      await this.#leases.release(id).catch(() => {});
      logger.error({ err: error, sandbox: id }, `the sandbox cannot be opened: ${reasonOf(error)}`);
      throw new PersistenceUnavailableError(`the sandbox ${id} cannot be opened: ${reasonOf(error)}`);
    }
  }

  /** Closes the least recently used sandboxes if there is no room for another. @throws Error if that is not enough */
  async #makeRoom(): Promise<void> {
    const { registry } = this.#context;
    const hasRoom = () => !registry.heap.isFull && registry.size < BOUNDS.sandboxes.limit;
    for (const one of [...this.#open.values()].sort((a, b) => b.rounds - a.rounds)) {
      if (hasRoom()) return;
      if (isUnused(one)) await this.handOver(one.sandbox);
    }
    if (!hasRoom()) throw new Error("this process has no room for it, and no other sandbox is idle");
  }

  async #makeDefault(): Promise<void> {
    const { registry, open } = this.#context;
    const id = DEFAULT_SANDBOX;
    if (!(await this.#claim(id))) throw new LeaseHeldElsewhereError(id);
    const sandbox = registry.create({ ...open.defaults(), id });
    await sandbox.saver.settled();
  }

  /** Closes a sandbox when its calls in flight have ended, after at most `graceMs`, so that others can open it. */
  #close(sandbox: Sandbox, graceMs: number): Promise<void> {
    const { id } = sandbox;
    const { registry, persistence } = this.#context;
    const close = async () => {
      const { calls, outbox } = sandbox.run;
      sandbox.tell("moved");
      const settled = calls
        .settled()
        .then(() => sandbox.controlCalls.settled())
        .then(() => outbox.settled());
      await within(graceMs, settled);
      if (registry.get(id) !== sandbox) return;
      registry.close(sandbox);
      await persistence.drain(id);
      await this.#leases.release(id);
      persistence.lose(id);
    };
    return this.#closing.get(id) ?? this.#inTurn(id, close, this.#closing);
  }

  /** Whether an open sandbox stays open although its lease had expired. */
  async #renewed(id: string): Promise<boolean> {
    const isOurs = await withStoreErrors(() => this.#leases.renew(id));
    const open = this.#open.get(id);
    if (!isOurs && open !== undefined) this.#context.persistence.lose(id);
    return isOurs;
  }

  async #renew(): Promise<void> {
    // While the store is unavailable, nothing is lost: the fencing numbers stay the same.
    const ids = [...this.#open.keys(), ...this.#closing.keys()];
    await Promise.all(ids.map((id) => this.#renewed(id).catch(() => {})));
  }

  /** Another process holds the sandbox: it is closed here without writing anything. */
  #drop(sandbox: Sandbox): void {
    const { registry, logger } = this.#context;
    if (registry.get(sandbox.id) !== sandbox) return;
    logger.warn({ sandbox: sandbox.id }, "another process has taken the sandbox: it is closed here");
    sandbox.tell("moved");
    registry.close(sandbox);
  }

  async #closeIdle(): Promise<void> {
    if (this.#isEnding) return;
    for (const open of [...this.#open.values()]) {
      open.rounds = isUnused(open) ? open.rounds + 1 : 0;
      open.isUsed = false;
      if (open.rounds >= IDLE_ROUNDS) runSafely(this.#context.report, () => this.handOver(open.sandbox));
    }
    const summaries = await this.#leases.summaries().catch(() => new Map<string, string>());
    // Opening it deletes it.
    for (const [id, text] of summaries)
      if (!this.#open.has(id) && isOver(readSummary(id, text))) await this.opened(id)?.catch(() => {});
  }
}
