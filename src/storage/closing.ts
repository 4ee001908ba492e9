import { within } from "../kernel/realtime.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Persistence } from "./persistence.js";
import type { Leases } from "./port.js";
import { noteOf } from "./sandbox-note.js";

interface ClosingContext {
  readonly registry: SandboxRegistry;
  readonly persistence: Persistence;
}

/** The sandboxes that are being closed or removed in this process: until they are, nobody opens them here. */
export class Closing {
  readonly #leases: Leases;
  readonly #context: ClosingContext;
  readonly #closing = new Map<string, Promise<void>>();

  constructor(leases: Leases, context: ClosingContext) {
    this.#leases = leases;
    this.#context = context;
  }

  get ids(): Iterable<string> {
    return this.#closing.keys();
  }

  has(id: string): boolean {
    return this.#closing.has(id);
  }

  /** Resolves when a sandbox is closed, well or not; undefined where it is not being closed. */
  settled(id: string): Promise<void> | undefined {
    return this.#closing.get(id);
  }

  /** Resolves when all are closed. */
  allSettled(): Promise<unknown> {
    return Promise.allSettled(this.#closing.values());
  }

  /** Closes a sandbox when what is under way in it is over, after `graceMs` at the latest: then others may have it. */
  close(sandbox: Sandbox, graceMs: number): Promise<void> {
    return this.settled(sandbox.id) ?? this.during(sandbox.id, this.#close(sandbox, graceMs));
  }

  /** Lets nobody open a sandbox until `work` is over. */
  during(id: string, work: Promise<unknown>): Promise<void> {
    const isOver = () => {
      if (this.#closing.get(id) === closing) this.#closing.delete(id);
    };
    const closing: Promise<void> = work.then(isOver, isOver);
    this.#closing.set(id, closing);
    return closing;
  }

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
}
