import { contain } from "../kernel/contain.js";
import { keysOf } from "../kernel/keys.js";
import type { Later } from "../kernel/realtime.js";
import { later, wallNow } from "../kernel/realtime.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { MAX_SANDBOXES } from "../sandbox/registry.js";
import { LOADED_PARTS, type RunStart } from "../sandbox/run-start.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { ControlError } from "./control-error.js";
import type { OwnershipControl } from "./ownership.js";
import type { SandboxRequest, StartContext, StartRequest } from "./sandbox-start.js";
import { StartReader } from "./sandbox-start.js";

/** Makes sandboxes on demand, and ends those whose time is over. */
export class SandboxMaker {
  readonly #registry: SandboxRegistry;
  readonly #defaults: StartContext["defaults"];
  readonly #starts: StartReader;
  readonly #deadlines = new WeakMap<Sandbox, Later>();
  readonly #ownership: OwnershipControl | undefined;
  #made = 0;

  constructor(registry: SandboxRegistry, context: StartContext, ownership?: OwnershipControl) {
    this.#ownership = ownership;
    this.#registry = registry;
    this.#defaults = context.defaults;
    this.#starts = new StartReader(context, registry.memory);
    registry.each((sandbox) => this.#limit(sandbox));
  }

  /** Makes a sandbox; all is checked before anything is made. @throws ControlError */
  async make(wanted: SandboxRequest): Promise<Sandbox> {
    this.#checkRoom(wanted.id);
    const start = await this.#starts.read(wanted);
    const id = wanted.id ?? (await this.#ownership?.freeId()) ?? this.#freeId();
    if ((await this.#ownership?.claim(id)) === false) throw new ControlError("sandboxes.taken", { id });
    return this.#kept(this.#create({ ...wanted, id }, start));
  }

  /** @throws NotKept, and then there is no such sandbox */
  async #kept(sandbox: Sandbox): Promise<Sandbox> {
    try {
      await sandbox.log.settled();
      return sandbox;
    } catch (error) {
      this.remove(sandbox);
      throw error;
    }
  }

  /** The sandbox with this id as it stands, or a new one. @throws ControlError */
  async ensure(wanted: SandboxRequest & { id: string }): Promise<{ sandbox: Sandbox; isNew: boolean }> {
    const { id } = wanted;
    const start = this.#registry.get(id) === undefined ? await this.#starts.read(wanted) : {};
    const isFree = this.#registry.get(id) === undefined && (await this.#ownership?.claim(id)) !== false;
    const there = this.#registry.get(id);
    if (there !== undefined) return { sandbox: there, isNew: false };
    if (!isFree) throw new ControlError("sandboxes.elsewhere");
    return { sandbox: await this.#kept(this.#create(wanted, start)), isNew: true };
  }

  /** Looks for room again: others may have been made while the fixture was read. */
  #create(wanted: SandboxRequest & { id: string }, start: Partial<RunStart>): Sandbox {
    const { id } = wanted;
    this.#checkRoom(id);
    const { ttlMs } = wanted;
    const expiresAt = ttlMs === undefined ? undefined : wallNow() + ttlMs;
    const own = keysOf(LOADED_PARTS).filter((part) => Object.hasOwn(start, part));
    return this.#registry.create({ ...this.#defaults(), ...start, own, id, expiresAt });
  }

  /** Resets a sandbox to its start; `wanted` replaces parts of the start for this reset. @throws ControlError */
  async reset(sandbox: Sandbox, wanted: StartRequest): Promise<void> {
    const start = await this.#starts.read(wanted, sandbox.start.behaviour);
    if (this.#registry.get(sandbox.id) !== sandbox)
      throw new ControlError("sandboxes.notFound", { id: sandbox.id });
    sandbox.reset(start);
  }

  /** Ends a sandbox and forgets it. */
  remove(sandbox: Sandbox): void {
    this.#deadlines.get(sandbox)?.cancel();
    this.#deadlines.delete(sandbox);
    if (this.#registry.get(sandbox.id) === sandbox) this.#registry.remove(sandbox);
  }

  #checkRoom(id: string | undefined): void {
    if (id !== undefined && this.#registry.get(id) !== undefined)
      throw new ControlError("sandboxes.taken", { id });
    if (this.#registry.size >= MAX_SANDBOXES)
      throw new ControlError("sandboxes.tooMany", { limit: MAX_SANDBOXES });
  }

  /** Ends a sandbox by itself when its time is over. */
  #limit(sandbox: Sandbox): void {
    if (sandbox.expiresAt === undefined) return;
    const end = later(
      sandbox.expiresAt - wallNow(),
      () => contain(sandbox.report, () => this.remove(sandbox)),
      {
        background: true,
      },
    );
    this.#deadlines.set(sandbox, end);
  }

  #freeId(): string {
    do this.#made += 1;
    while (this.#registry.get(`s${this.#made}`) !== undefined);
    return `s${this.#made}`;
  }
}
