import pLimit from "p-limit";
import { BOUNDS } from "../kernel/bounds.js";
import { type Logger, reasonOf, runSafely } from "../kernel/errors.js";
import { DEFAULT_SANDBOX } from "../kernel/names.js";
import { later, monotonicNow, nextTurn, within } from "../kernel/realtime.js";
import type { OpenContext } from "../sandbox/document.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/saver.js";
import { isOver, type SandboxSummary } from "../sandbox/summary.js";
import { type Persistence, withStoreErrors } from "./persistence.js";
import { LEASE_MS, type ValkeyStore } from "./valkey-store.js";

/** How often leases are renewed, ms. */
const RENEW_MS = LEASE_MS / 3;
/** How long calls in flight may delay handing a sandbox to another process, ms. */
const GRACE_MS = 1_000;

const ID = new RegExp(SANDBOX_ID.pattern);

export interface OwnershipContext {
  readonly registry: SandboxRegistry;
  readonly persistence: Persistence;
  /** Its defaults are the start of the sandbox `default`, which is created by its first call. */
  readonly open: OpenContext;
  readonly logger: Logger;
  readonly report: (error: unknown) => void;
}

/** A sandbox that is open in this process, and when it was last called or busy, by monotonic time, ms. */
interface OpenSandbox {
  readonly sandbox: Sandbox;
  usedAt: number;
}

/**
 * The sandboxes that are open in this process, if several share a store. A sandbox is opened by its first call, and closed if
 * it has not been called for long, or if another process wants it. Those left when this process ends are released with the
 * store.
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
  /** Opens only a few at a time, so that there is room for each before it is read. */
  readonly #few = pLimit(BOUNDS.sandboxOpenings.limit);
  #isEnding = false;

  constructor(leases: ValkeyStore, context: OwnershipContext) {
    this.#leases = leases;
    this.#context = context;
    const { registry, persistence } = context;
    registry.each((sandbox) => this.#watch(sandbox));
    persistence.onLost = (sandbox) => this.#drop(sandbox);
    this.#repeat(RENEW_MS, () => this.#renew());
    this.#repeat(BOUNDS.sandboxIdleMs.limit / 4, () => this.#closeIdle());
  }

  /**
   * Undefined if the sandbox is open here; otherwise resolves when it is, or does not exist.
   *
   * @throws LeaseHeldElsewhereError; PersistenceUnavailableError
   */
  opened(id: string): Promise<void> | undefined {
    const open = this.#open.get(id);
    if (open !== undefined && this.#leases.isHeld(id) && !this.#closing.has(id)) {
      open.usedAt = monotonicNow();
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
    const summary = await withStoreErrors(() => this.#leases.summary(id));
    if (summary === null || !isOver(summary)) return false;
    // Opening an expired one deletes it.
    await this.#openOne(id);
    return (await acquire()) === "held";
  }

  /** Releases a sandbox, so that the next call can open it in any process. */
  handOver(sandbox: Sandbox): Promise<void> {
    const { id } = sandbox;
    const closing = this.#closing.get(id);
    if (closing !== undefined || this.#open.get(id)?.sandbox !== sandbox) return closing ?? Promise.resolve();
    return this.#inTurn(id, () => this.#close(sandbox), this.#closing);
  }

  /** The sandboxes that are not open here. */
  async others(): Promise<SandboxSummary[]> {
    const summaries = await withStoreErrors(() => this.#leases.summaries());
    return summaries.filter((summary) => !this.#open.has(summary.id) && !isOver(summary));
  }

  /** This process ends: it opens nothing more, and leases last until the store is closed. */
  end(): void {
    this.#isEnding = true;
  }

  /** Repeats `work`, `ms` after each time, whether it succeeds or not. */
  #repeat(ms: number, work: () => Promise<void>): void {
    const { report } = this.#context;
    const next = async () => {
      if (this.#isEnding) return;
      await work().catch(report);
      this.#repeat(ms, work);
    };
    later(ms, () => runSafely(report, next), { background: true });
  }

  #watch(sandbox: Sandbox): void {
    const { id } = sandbox;
    this.#open.set(id, { sandbox, usedAt: monotonicNow() });
    sandbox.observe({
      close: () => {
        this.#open.delete(id);
        // It cannot be opened while its deletion is written.
        if (!this.#closing.has(id) && !this.#isEnding)
          this.#inTurn(id, () => this.#context.persistence.drain(id), this.#closing);
      },
    });
  }

  async #openOne(id: string): Promise<void> {
    if (this.#open.has(id) && (await this.#renewed(id))) return;
    if (!(await this.#take(id)) && id === DEFAULT_SANDBOX) await this.#makeDefault();
  }

  /** Takes and opens a sandbox; false if it does not exist. */
  async #take(id: string): Promise<boolean> {
    const claim = await withStoreErrors(() => this.#leases.acquire(id, false));
    if (claim === "elsewhere") throw new LeaseHeldElsewhereError(id);
    if (claim === "held") await this.#few(() => this.#resume(id));
    return claim === "held";
  }

  async #resume(id: string): Promise<void> {
    const { registry, persistence, open, logger } = this.#context;
    try {
      const [options, kept] = await persistence.loadOne(id, open);
      if (isOver(options)) return await this.#leases.remove(id);
      if (registry.heap.isFull || registry.size >= BOUNDS.sandboxes.limit || this.#isEnding)
        throw new Error("this process has no room for it, or ends");
      registry.create(options, kept);
    } catch (error) {
      await this.#leases.release(id).catch(() => {});
      logger.error({ err: error, sandbox: id }, `the sandbox cannot be opened: ${reasonOf(error)}`);
      throw new PersistenceUnavailableError(`the sandbox ${id} cannot be opened: ${reasonOf(error)}`);
    }
  }

  async #makeDefault(): Promise<void> {
    const { registry, open } = this.#context;
    const id = DEFAULT_SANDBOX;
    if (!(await this.#claim(id))) throw new LeaseHeldElsewhereError(id);
    const sandbox = registry.create({ ...open.defaults(), id });
    await sandbox.saver.settled();
  }

  /** Closes a sandbox when its calls in flight have ended, or after `GRACE_MS`, so that others can open it. */
  async #close(sandbox: Sandbox): Promise<void> {
    const { id, controlCalls } = sandbox;
    const { registry, persistence } = this.#context;
    const { calls, outbox } = sandbox.run;
    sandbox.tell("moved");
    const settled = calls
      .settled()
      .then(() => controlCalls.settled())
      .then(() => outbox.settled());
    await within(GRACE_MS, settled);
    if (registry.get(id) !== sandbox) return;
    registry.close(sandbox);
    await persistence.drain(id);
    await this.#leases.release(id);
    persistence.lose(id);
  }

  /** Renews the lease of a sandbox, which may have expired; false if another process has it. */
  async #renewed(id: string): Promise<boolean> {
    const { persistence, report } = this.#context;
    const answer = await withStoreErrors(() => this.#leases.renew(id));
    const open = this.#open.get(id);
    if (open !== undefined && answer === "lost") persistence.lose(id);
    if (open !== undefined && answer === "wanted") runSafely(report, () => this.handOver(open.sandbox));
    return answer !== "lost";
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
      const now = monotonicNow();
      if (!open.sandbox.isQuiet) open.usedAt = now;
      else if (now - open.usedAt >= BOUNDS.sandboxIdleMs.limit)
        runSafely(this.#context.report, () => this.handOver(open.sandbox));
    }
    const summaries = await this.#leases.summaries().catch(() => []);
    // Opening it deletes it.
    for (const summary of summaries)
      if (!this.#open.has(summary.id) && isOver(summary)) await this.opened(summary.id)?.catch(() => {});
  }
}
