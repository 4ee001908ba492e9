import { contain } from "../kernel/contain.js";
import type { Later } from "../kernel/realtime.js";
import { later, nextTurn, wallNow, within } from "../kernel/realtime.js";
import type { SandboxNote } from "../sandbox/durable.js";
import { LeaseHeldElsewhereError } from "../sandbox/durable.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import { DEFAULT_SANDBOX } from "../sandbox/registry.js";
import type { Sandbox, SandboxOptions } from "../sandbox/sandbox.js";
import { asking } from "./asking.js";
import { Claims } from "./claims.js";
import { Closing } from "./closing.js";
import { IDLE_ROUNDS, OpenSandbox, OpenSandboxes } from "./open-sandboxes.js";
import type { OpeningContext } from "./opening.js";
import { Opening } from "./opening.js";
import type { Leases } from "./port.js";
import { LEASE_MS } from "./port.js";
import { readNote } from "./sandbox-note.js";
import { SandboxNotes } from "./sandbox-notes.js";

/** Leases are renewed so often, ms. */
const RENEW_MS = LEASE_MS / 3;
/** What is under way in a sandbox that another process wants gets so long, ms. */
const GRACE_MS = 1_000;
/** A process that ends gives its store so long for what is left, ms. */
const LAST_WRITE_MS = 2_000;

const ID = new RegExp(SANDBOX_ID.pattern);

export interface OwnershipContext extends Omit<OpeningContext, "open" | "handOver"> {
  /** The start of the sandbox `default`, which is made when it is called first. */
  readonly defaults: () => Omit<SandboxOptions, "id">;
  /** A sandbox that nobody has called for so long is closed, ms. */
  readonly idleMs: number;
  readonly report: (error: unknown) => void;
}

/**
 * Which sandboxes are open in this process, where several share a store. One is opened when it is called first, and closed when
 * nobody has called it for long, when another process asks for it, or when this one ends.
 */
export class Ownership {
  readonly #leases: Leases;
  readonly #context: OwnershipContext;
  readonly #open = new OpenSandboxes();
  readonly #opening: Opening;
  /** Those that are being opened. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #closing: Closing;
  readonly #claims: Claims;
  readonly #notes: SandboxNotes;
  #timers: Later[] = [];
  #isEnding = false;

  constructor(leases: Leases, context: OwnershipContext) {
    this.#leases = leases;
    this.#context = context;
    const { registry, persistence, idleMs, report } = context;
    const open = this.#open;
    this.#opening = new Opening(leases, { ...context, open, handOver: (sandbox) => this.handOver(sandbox) });
    this.#closing = new Closing(leases, { registry, persistence });
    this.#claims = new Claims(leases);
    this.#notes = new SandboxNotes(leases, { isOpen: (sandbox) => open.holds(sandbox), report });
    registry.each((sandbox) => this.#watch(sandbox));
    persistence.onLost((sandbox) => this.#drop(sandbox));
    leases.onAsked((id) => this.#release(id));
    this.#repeat(0, RENEW_MS, () => this.#renew());
    this.#repeat(1, idleMs / IDLE_ROUNDS, () => this.#closeIdle());
  }

  /** Undefined where a sandbox is open here; else resolves when it is, or there is none. @throws LeaseHeldElsewhereError, PersistenceUnavailableError */
  opened(id: string): Promise<void> | undefined {
    const open = this.#open.get(id);
    if (open !== undefined && this.#leases.isHeld(id) && !this.#closing.has(id)) {
      open.isUsed = true;
      return undefined;
    }
    if (this.#isEnding) return Promise.reject(new LeaseHeldElsewhereError(id));
    if (!ID.test(id)) return undefined;
    const opening = this.#underWay.get(id) ?? this.#openOne(id).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, opening);
    return opening;
  }

  /** Takes an id for a new sandbox; false where there is one. @throws PersistenceUnavailableError */
  async claim(id: string): Promise<boolean> {
    if (this.#isEnding) throw new LeaseHeldElsewhereError(id);
    await this.#closing.settled(id);
    // A process that takes an id twice would lose it to itself.
    await this.#claims.settled(id);
    return !this.#open.has(id) && this.#claims.claim(id);
  }

  async freeId(): Promise<string> {
    return `s${await asking(() => this.#leases.nextNumber())}`;
  }

  /** Lets a sandbox be opened wherever it is called next. */
  handOver(sandbox: Sandbox): Promise<void> {
    if (this.#open.holds(sandbox)) return this.#closing.close(sandbox, GRACE_MS);
    return this.#closing.settled(sandbox.id) ?? Promise.resolve();
  }

  /** The sandboxes that are not open here. @throws PersistenceUnavailableError */
  async others(): Promise<SandboxNote[]> {
    const notes = await asking(() => this.#leases.notes());
    const others = [...notes].filter(([id]) => !this.#open.has(id)).map(([id, text]) => readNote(id, text));
    return others.filter(({ expiresAt }) => expiresAt === null || expiresAt > wallNow());
  }

  /** Hands all sandboxes over, each when what is under way in it is over, after `graceMs` at the latest. */
  async close(graceMs: number): Promise<void> {
    this.#isEnding = true;
    for (const timer of this.#timers.slice(1)) timer.cancel();
    await Promise.allSettled(this.#underWay.values());
    for (const { sandbox } of this.#open.values()) this.#closing.close(sandbox, graceMs);
    // A store that is away now may stay away: what it does not have then is lost.
    await within(graceMs + LAST_WRITE_MS, this.#closing.allSettled());
    for (const timer of this.#timers) timer.cancel();
  }

  /** Calls `work` again and again, after `ms` each time, whatever became of the time before. */
  #repeat(at: number, ms: number, work: () => Promise<void>): void {
    const { report } = this.#context;
    this.#timers[at] = later(
      ms,
      () =>
        contain(report, async () => {
          await work().catch((error: unknown) => report(error));
          if (!this.#isEnding || at === 0) this.#repeat(at, ms, work);
        }),
      { background: true },
    );
  }

  #watch(sandbox: Sandbox): void {
    const { id } = sandbox;
    this.#open.set(id, new OpenSandbox(sandbox));
    const note = () => this.#notes.changed(sandbox);
    const isListed = (changes: readonly { readonly collection: string }[]) =>
      changes.length === 0 || changes.some(({ collection }) => collection === "tokens");
    sandbox.observe({
      clock: note,
      reset: note,
      state: (changes) => isListed(changes) && note(),
      close: () => {
        this.#open.delete(id);
        // Nobody opens it while its removal is written.
        if (!this.#closing.has(id))
          this.#closing.during(
            id,
            nextTurn().then(() => sandbox.log.settled()),
          );
      },
    });
    note();
  }

  async #openOne(id: string): Promise<void> {
    const closing = this.#closing.settled(id);
    if (closing !== undefined) {
      this.#context.persistence.check();
      await closing;
    }
    if (this.#open.has(id) && (await this.#renewed(id))) return;
    if (!(await this.#opening.open(id)) && id === DEFAULT_SANDBOX) await this.#makeDefault();
  }

  /** Makes the sandbox `default` where nobody has called it yet. */
  async #makeDefault(): Promise<void> {
    const { registry, defaults } = this.#context;
    const id = DEFAULT_SANDBOX;
    if (!(await this.claim(id))) throw new LeaseHeldElsewhereError(id);
    const sandbox = registry.create({ ...defaults(), id });
    await sandbox.log.settled();
  }

  /** Whether a sandbox that is open here stays so: its lease had run out. */
  async #renewed(id: string): Promise<boolean> {
    const isOurs = await asking(() => this.#leases.renew(id));
    if (!isOurs) this.#lose(id);
    return isOurs;
  }

  async #renew(): Promise<void> {
    // While the store is away nothing is lost: the numbers of the sandboxes are as they were.
    const ids = [...this.#open.keys(), ...this.#closing.ids];
    await Promise.all(ids.map((id) => this.#renewed(id).catch(() => {})));
  }

  #lose(id: string): void {
    const open = this.#open.get(id);
    if (open !== undefined) this.#context.persistence.lose(open.sandbox);
  }

  /** Another process has the sandbox: it ends here, and nothing of it is written. */
  #drop(sandbox: Sandbox): void {
    const { registry, logger } = this.#context;
    if (registry.get(sandbox.id) !== sandbox) return;
    logger.warn({ sandbox: sandbox.id }, "another process has the sandbox by now: it is dropped here");
    sandbox.move();
    registry.close(sandbox);
  }

  /** Releases a sandbox that another process asks for. */
  #release(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined || this.#isEnding) return;
    contain(this.#context.report, () => this.handOver(open.sandbox));
  }

  async #closeIdle(): Promise<void> {
    for (const open of [...this.#open.values()])
      if (open.nextRound()) contain(this.#context.report, () => this.handOver(open.sandbox));
    const notes = await this.#leases.notes().catch(() => new Map<string, string>());
    for (const [id, text] of notes) {
      const { expiresAt } = readNote(id, text);
      // Whoever opens it ends it.
      if (expiresAt !== null && expiresAt <= wallNow() && !this.#open.has(id))
        await this.opened(id)?.catch(() => {});
    }
  }
}
