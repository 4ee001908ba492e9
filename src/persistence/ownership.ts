import { contain } from "../kernel/contain.js";
import type { Logger } from "../kernel/logger.js";
import { reasonOf } from "../kernel/os-errors.js";
import type { Later } from "../kernel/realtime.js";
import { later, monotonicNow, nextTurn, sleep, wallNow, within } from "../kernel/realtime.js";
import { NotKept } from "../sandbox/durable.js";
import { Elsewhere } from "../sandbox/elsewhere.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { DEFAULT_SANDBOX, MAX_SANDBOXES } from "../sandbox/registry.js";
import type { Sandbox, SandboxOptions } from "../sandbox/sandbox.js";
import { SANDBOX_ID } from "../sandbox/sandbox-id.js";
import type { Leases } from "../store/port.js";
import { LEASE_MS } from "../store/port.js";
import type { Persistence } from "./persistence.js";
import type { ResumeContext } from "./resume.js";
import type { Note } from "./sandbox-note.js";
import { noteOf, readNote } from "./sandbox-note.js";
import { SandboxNotes } from "./sandbox-notes.js";

/** Leases are renewed so often, ms. */
const RENEW_MS = LEASE_MS / 3;
/** For so long a call waits for a sandbox to be released that another process was asked for, ms. */
const RELEASE_TIMEOUT_MS = 3_000;
/** For so long a process remembers what it has refused, ms. */
const REMEMBERED_MS = 10_000;
/** It looks so soon whether a sandbox was released, ms, and then less and less often: its process may be gone. */
const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 400;
/** In so many rounds without a call a sandbox has become idle. */
const IDLE_ROUNDS = 4;
/** What is under way in a sandbox that another process wants gets so long, ms. */
const GRACE_MS = 1_000;

const ID = new RegExp(SANDBOX_ID.pattern);

/** A process that ends gives its store so long for what is left, ms. */
const LAST_WRITE_MS = 2_000;

/** A sandbox that is open here. */
interface OpenSandbox {
  readonly sandbox: Sandbox;
  /** Whether somebody has called it in this round. */
  isUsed: boolean;
  rounds: number;
}

export interface OwnershipContext {
  readonly registry: SandboxRegistry;
  readonly persistence: Persistence;
  readonly resume: ResumeContext;
  /** The start of the sandbox `default`, which is made when it is called first. */
  readonly defaults: () => Omit<SandboxOptions, "id">;
  /** A sandbox that nobody has called for so long is closed, ms. */
  readonly idleMs: number;
  readonly logger: Logger;
  readonly report: (error: unknown) => void;
}

/**
 * Which sandboxes are open in this process, where several share a store. One is opened when it is called first, and closed when
 * nobody has called it for long, when another process asks for it, or when this one ends.
 */
export class Ownership {
  readonly #leases: Leases;
  readonly #context: OwnershipContext;
  readonly #sandboxes = new Map<string, OpenSandbox>();
  readonly #opening = new Map<string, Promise<void>>();
  /** Those that are being closed or removed: until they are, nobody opens them here. */
  readonly #closing = new Map<string, Promise<void>>();
  /** Until when it is remembered that a sandbox was called that another process has, of monotonic time. */
  readonly #refused = new Map<string, number>();
  /** The ids of sandboxes that are about to be made. */
  readonly #claiming = new Map<string, Promise<void>>();
  readonly #notes: SandboxNotes;
  #timers: Later[] = [];
  #isEnding = false;

  constructor(leases: Leases, context: OwnershipContext) {
    this.#leases = leases;
    this.#context = context;
    const { registry, persistence, idleMs, report } = context;
    const isOpen = (sandbox: Sandbox) => this.#sandboxes.get(sandbox.id)?.sandbox === sandbox;
    this.#notes = new SandboxNotes(leases, { isOpen, report });
    registry.each((sandbox) => this.#watch(sandbox));
    persistence.onLost((sandbox) => this.#drop(sandbox));
    leases.onAsked((id) => this.#release(id));
    this.#repeat(0, RENEW_MS, () => this.#renew());
    this.#repeat(1, idleMs / IDLE_ROUNDS, () => this.#closeIdle());
  }

  /** Undefined where a sandbox is open here; else resolves when it is, or there is none. @throws Elsewhere, NotKept */
  opened(id: string): Promise<void> | undefined {
    const open = this.#sandboxes.get(id);
    if (open !== undefined && this.#leases.isHeld(id) && !this.#closing.has(id)) {
      open.isUsed = true;
      return undefined;
    }
    if (this.#isEnding) return Promise.reject(new Elsewhere(id));
    if (!ID.test(id)) return undefined;
    const opening = this.#opening.get(id) ?? this.#open(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  /** Takes an id for a new sandbox; false where there is one. @throws NotKept */
  async claim(id: string): Promise<boolean> {
    if (this.#isEnding) throw new Elsewhere(id);
    await this.#closing.get(id);
    // A process that takes an id twice would lose it to itself.
    await this.#claiming.get(id);
    if (this.#sandboxes.has(id)) return false;
    const claim = this.#asking(() => this.#leases.acquire(id, true));
    // Whoever has claimed it makes the sandbox at once.
    const made = claim.then(nextTurn, () => {}).finally(() => this.#claiming.delete(id));
    this.#claiming.set(id, made);
    return (await claim) === "held";
  }

  async freeId(): Promise<string> {
    return `s${await this.#asking(() => this.#leases.nextNumber())}`;
  }

  /** Lets a sandbox be opened wherever it is called next. */
  handOver(sandbox: Sandbox): Promise<void> {
    const { id } = sandbox;
    const known = this.#closing.get(id);
    if (known !== undefined || this.#sandboxes.get(id)?.sandbox !== sandbox)
      return known ?? Promise.resolve();
    return this.#closes(id, this.#close(sandbox, GRACE_MS));
  }

  /** The sandboxes that are not open here. @throws NotKept */
  async others(): Promise<Note[]> {
    const notes = await this.#asking(() => this.#leases.notes());
    const others = [...notes]
      .filter(([id]) => !this.#sandboxes.has(id))
      .map(([id, text]) => readNote(id, text));
    return others.filter(({ expiresAt }) => expiresAt === null || expiresAt > wallNow());
  }

  /** @throws NotKept where the store does not answer */
  ping(): Promise<void> {
    return this.#asking(() => this.#leases.ping());
  }

  /** Hands all sandboxes over, each when what is under way in it is over, after `graceMs` at the latest. */
  async close(graceMs: number): Promise<void> {
    this.#isEnding = true;
    for (const timer of this.#timers.slice(1)) timer.cancel();
    await Promise.allSettled(this.#opening.values());
    for (const { sandbox } of this.#sandboxes.values())
      if (!this.#closing.has(sandbox.id)) this.#closes(sandbox.id, this.#close(sandbox, graceMs));
    // A store that is away now may stay away: what it does not have then is lost.
    await within(graceMs + LAST_WRITE_MS, Promise.allSettled(this.#closing.values()));
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
    this.#sandboxes.set(id, { sandbox, isUsed: true, rounds: 0 });
    const note = () => this.#notes.changed(sandbox);
    const isListed = (changes: readonly { readonly collection: string }[]) =>
      changes.length === 0 || changes.some(({ collection }) => collection === "tokens");
    sandbox.observe({
      clock: note,
      reset: note,
      state: (changes) => isListed(changes) && note(),
      close: () => {
        this.#sandboxes.delete(id);
        // Nobody opens it while its removal is written.
        if (!this.#closing.has(id))
          this.#closes(
            id,
            nextTurn().then(() => sandbox.log.settled()),
          );
      },
    });
    note();
  }

  async #open(id: string): Promise<void> {
    const closing = this.#closing.get(id);
    if (closing !== undefined) {
      this.#context.persistence.check();
      await closing;
    }
    if (this.#sandboxes.has(id) && (await this.#renewed(id))) return;
    const until = monotonicNow() + RELEASE_TIMEOUT_MS;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(2 * wait, MAX_POLL_MS)) {
      const claim = await this.#asking(() => this.#leases.acquire(id, false));
      if (claim === "held") return this.#resume(id);
      if (claim === "absent" || claim === "taken") return this.#makeDefault(id);
      // Whoever makes the call again means this process: one call that went astray takes nothing away.
      if (!this.#isAgain(id) || monotonicNow() > until) throw new Elsewhere(id);
      await this.#asking(() => this.#leases.ask(claim.holder, id));
      await sleep(wait);
    }
  }

  /** Whether a sandbox of another process was called here before, not long ago. */
  #isAgain(id: string): boolean {
    const now = monotonicNow();
    const isAgain = (this.#refused.get(id) ?? 0) > now;
    for (const [known, until] of this.#refused) if (until < now) this.#refused.delete(known);
    this.#refused.set(id, now + REMEMBERED_MS);
    return isAgain;
  }

  async #resume(id: string): Promise<void> {
    const { registry, persistence, resume, logger } = this.#context;
    try {
      const kept = await persistence.loadOne(id, resume);
      await this.#makeRoom(kept.position.run.ownBytes);
      this.#refused.delete(id);
      registry.resume(kept);
    } catch (error) {
      await this.#leases.release(id).catch(() => {});
      logger.error({ err: error, sandbox: id }, `the sandbox cannot be opened: ${reasonOf(error)}`);
      throw new NotKept(`the sandbox ${id} cannot be opened: ${reasonOf(error)}`);
    }
  }

  /** Closes sandboxes that nobody has called lately where a world finds no room beside them. @throws Error where that is not enough */
  async #makeRoom(bytes: number): Promise<void> {
    const { registry } = this.#context;
    const hasRoom = () => bytes <= registry.memory.room && registry.size < MAX_SANDBOXES;
    const oldest = [...this.#sandboxes.values()].sort((a, b) => b.rounds - a.rounds);
    for (const { sandbox, isUsed } of oldest) {
      if (hasRoom()) return;
      if (!isUsed && sandbox.isQuiet) await this.handOver(sandbox);
    }
    if (!hasRoom()) throw new Error("there is no room for it in this process, and no other sandbox is idle");
  }

  /** Makes the sandbox `default` where nobody has called it yet. */
  async #makeDefault(id: string): Promise<void> {
    if (id !== DEFAULT_SANDBOX) return;
    const { registry, defaults } = this.#context;
    if (!(await this.claim(id))) throw new Elsewhere(id);
    const sandbox = registry.create({ ...defaults(), id });
    await sandbox.log.settled();
  }

  /** Whether a sandbox that is open here stays so: its lease had run out. */
  async #renewed(id: string): Promise<boolean> {
    const isOurs = await this.#asking(() => this.#leases.renew(id));
    if (!isOurs) this.#lose(id);
    return isOurs;
  }

  async #renew(): Promise<void> {
    // While the store is away nothing is lost: the numbers of the sandboxes are as they were.
    const ids = [...this.#sandboxes.keys(), ...this.#closing.keys()];
    await Promise.all(ids.map((id) => this.#renewed(id).catch(() => {})));
  }

  #lose(id: string): void {
    const open = this.#sandboxes.get(id);
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
    const open = this.#sandboxes.get(id);
    if (open === undefined || this.#isEnding) return;
    contain(this.#context.report, () => this.handOver(open.sandbox));
  }

  async #closeIdle(): Promise<void> {
    for (const open of [...this.#sandboxes.values()]) {
      const { sandbox } = open;
      open.rounds = open.isUsed || !sandbox.isQuiet ? 0 : open.rounds + 1;
      open.isUsed = false;
      if (open.rounds < IDLE_ROUNDS) continue;
      contain(this.#context.report, () => this.handOver(sandbox));
    }
    const notes = await this.#leases.notes().catch(() => new Map<string, string>());
    for (const [id, text] of notes) {
      const { expiresAt } = readNote(id, text);
      // Whoever opens it ends it.
      if (expiresAt !== null && expiresAt <= wallNow() && !this.#sandboxes.has(id))
        await this.opened(id)?.catch(() => {});
    }
  }

  #closes(id: string, work: Promise<unknown> | undefined): Promise<void> {
    const closing: Promise<void> = Promise.resolve(work)
      .then(
        () => {},
        () => {},
      )
      .finally(() => {
        if (this.#closing.get(id) === closing) this.#closing.delete(id);
      });
    this.#closing.set(id, closing);
    return closing;
  }

  /** Ends a sandbox here when what is under way in it is over, and lets others have it when all of it is written. */
  async #close(sandbox: Sandbox, graceMs: number): Promise<void> {
    const { registry, persistence } = this.#context;
    const { calls, outbox } = sandbox.run;
    sandbox.move();
    const settled = calls
      .settled()
      .then(() => sandbox.controlCalls.settled())
      .then(() => outbox.settled());
    await within(graceMs, settled);
    if (registry.get(sandbox.id) !== sandbox) return;
    const note = noteOf(sandbox);
    registry.close(sandbox);
    await persistence.drain(sandbox);
    await this.#leases.note(sandbox.id, note).catch(() => {});
    await this.#leases.release(sandbox.id);
    persistence.lose(sandbox);
  }

  /** @throws NotKept with the reason where the store does not answer */
  async #asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new NotKept(`the store of the sandboxes does not answer: ${reasonOf(error)}`);
    }
  }
}
