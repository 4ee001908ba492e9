import pLimit from "p-limit";
import { BOUNDS } from "../kernel/bounds.js";
import type { Logger } from "../kernel/logger.js";
import { reasonOf } from "../kernel/os-errors.js";
import { monotonicNow, sleep } from "../kernel/realtime.js";
import { LeaseHeldElsewhereError, PersistenceUnavailableError } from "../sandbox/durable.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { MAX_SANDBOXES } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { asking } from "./asking.js";
import type { OpenSandboxes } from "./open-sandboxes.js";
import type { Persistence } from "./persistence.js";
import type { Leases } from "./port.js";
import type { ResumeContext } from "./resume.js";

/** For so long a call waits for a sandbox to be released that another process was asked for, ms. */
const RELEASE_TIMEOUT_MS = 3_000;
/** It looks so soon whether a sandbox was released, ms, and then less and less often: its process may be gone. */
const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 200;
/** For so long a process remembers what it has refused, ms. */
const REMEMBERED_MS = 10_000;

export interface OpeningContext {
  readonly registry: SandboxRegistry;
  readonly persistence: Persistence;
  readonly resume: ResumeContext;
  readonly logger: Logger;
  readonly open: OpenSandboxes;
  readonly handOver: (sandbox: Sandbox) => Promise<void>;
}

/** Opens sandboxes in this process that are kept in the store. */
export class Opening {
  readonly #leases: Leases;
  readonly #context: OpeningContext;
  /** Until when it is remembered that a sandbox was called that another process has, of monotonic time. */
  readonly #refused = new Map<string, number>();
  /** How large a sandbox is shows when it is read: all that are called after a start would be in memory before one is refused. */
  readonly #few = pLimit(BOUNDS.sandboxOpenings.limit);

  constructor(leases: Leases, context: OpeningContext) {
    this.#leases = leases;
    this.#context = context;
  }

  /**
   * Takes a sandbox and opens it; false where there is none. One that another process has is asked for when it is called here a
   * second time.
   *
   * @throws LeaseHeldElsewhereError; PersistenceUnavailableError
   */
  async open(id: string): Promise<boolean> {
    const until = monotonicNow() + RELEASE_TIMEOUT_MS;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(2 * wait, MAX_POLL_MS)) {
      const claim = await asking(() => this.#leases.acquire(id, false));
      if (claim === "absent" || claim === "taken") return false;
      if (claim === "held") {
        await this.#few(() => this.#resume(id));
        return true;
      }
      // Whoever makes the call again means this process: one call that went astray takes nothing away.
      if (!this.#isAgain(id) || monotonicNow() > until) throw new LeaseHeldElsewhereError(id);
      await asking(() => this.#leases.ask(claim.holder, id));
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
      await this.#makeRoom(kept.position.states.world.ownBytes);
      this.#refused.delete(id);
      registry.resume(kept);
    } catch (error) {
      await this.#leases.release(id).catch(() => {});
      logger.error({ err: error, sandbox: id }, `the sandbox cannot be opened: ${reasonOf(error)}`);
      throw new PersistenceUnavailableError(`the sandbox ${id} cannot be opened: ${reasonOf(error)}`);
    }
  }

  /** Closes sandboxes that nobody has called lately where a world finds no room beside them. @throws Error where that is not enough */
  async #makeRoom(bytes: number): Promise<void> {
    const { registry, open, handOver } = this.#context;
    const hasRoom = () => bytes <= registry.memory.room && registry.size < MAX_SANDBOXES;
    for (const one of open.oldestFirst()) {
      if (hasRoom()) return;
      if (one.isUnused) await handOver(one.sandbox);
    }
    if (!hasRoom()) throw new Error("there is no room for it in this process, and no other sandbox is idle");
  }
}
