import { contain } from "../kernel/contain.js";
import type { Later } from "../kernel/realtime.js";
import { later, wallNow } from "../kernel/realtime.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { MAX_SANDBOXES } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { ControlError } from "./control-error.js";
import type { SandboxRequest, StartContext, StartRequest } from "./sandbox-start.js";
import { StartReader } from "./sandbox-start.js";

interface Deadline {
  /** Real time, ms since 1970. */
  readonly at: number;
  readonly end: Later;
}

/** Makes sandboxes on demand, and ends those whose time is over. */
export class SandboxMaker {
  readonly #registry: SandboxRegistry;
  readonly #defaults: StartContext["defaults"];
  readonly #starts: StartReader;
  readonly #deadlines = new WeakMap<Sandbox, Deadline>();
  #made = 0;

  constructor(registry: SandboxRegistry, context: StartContext) {
    this.#registry = registry;
    this.#defaults = context.defaults;
    this.#starts = new StartReader(context);
  }

  /** Makes a sandbox; all is checked before anything is made. @throws ControlError */
  make(wanted: SandboxRequest): Sandbox {
    const registry = this.#registry;
    if (wanted.id !== undefined && registry.get(wanted.id) !== undefined)
      throw new ControlError("sandboxes.taken", { id: wanted.id });
    if (registry.size >= MAX_SANDBOXES) throw new ControlError("sandboxes.tooMany", { limit: MAX_SANDBOXES });
    const start = this.#starts.read(wanted);
    const sandbox = registry.create({ ...this.#defaults, ...start, id: wanted.id ?? this.#freeId() });
    if (wanted.ttlMs !== undefined) this.#limit(sandbox, wanted.ttlMs);
    return sandbox;
  }

  /** Resets a sandbox to its start; `wanted` replaces parts of the start for this reset. @throws ControlError */
  reset(sandbox: Sandbox, wanted: StartRequest): void {
    sandbox.reset(this.#starts.read(wanted));
  }

  /** Ends a sandbox and forgets it. */
  remove(sandbox: Sandbox): void {
    this.#deadlines.get(sandbox)?.end.cancel();
    this.#deadlines.delete(sandbox);
    if (this.#registry.get(sandbox.id) === sandbox) this.#registry.remove(sandbox);
  }

  /** When a sandbox goes away by itself, in real time, ms since 1970; null for never. */
  expiryOf(sandbox: Sandbox): number | null {
    return this.#deadlines.get(sandbox)?.at ?? null;
  }

  #limit(sandbox: Sandbox, ttlMs: number): void {
    const end = later(ttlMs, () => contain(sandbox.report, () => this.remove(sandbox)), {
      background: true,
    });
    this.#deadlines.set(sandbox, { at: wallNow() + ttlMs, end });
  }

  #freeId(): string {
    do this.#made += 1;
    while (this.#registry.get(`s${this.#made}`) !== undefined);
    return `s${this.#made}`;
  }
}
