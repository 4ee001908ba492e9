import { createHash } from "node:crypto";
import type { BehaviourChecker } from "../behaviour/check.js";
import { PROFILES, type ProfileName } from "../behaviour/table.js";
import { given } from "../kernel/given.js";
import type { Problem } from "../kernel/problems.js";
import { under } from "../kernel/problems.js";
import { seedOf } from "../kernel/random.js";
import type { Later } from "../kernel/realtime.js";
import { later, wallNow } from "../kernel/realtime.js";
import type { IdSeries } from "../sandbox/apart.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import { MAX_SANDBOXES } from "../sandbox/registry.js";
import type { RunStart } from "../sandbox/run.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { FixtureLoader } from "../world/load.js";
import type { WorldState } from "../world/world.js";
import { stateOf } from "../world/world.js";
import { ControlError, unusable } from "./control-error.js";
import { instantIn } from "./inputs.js";

/** What a new sandbox is to be; what is left out is as in the server's own start. */
interface SandboxRequest {
  readonly id?: string | undefined;
  readonly fixtures?: Readonly<Record<string, unknown>> | undefined;
  readonly behaviour?: ProfileName | Readonly<Record<string, unknown>> | undefined;
  readonly seed?: number | string | undefined;
  readonly clock?: string | number | undefined;
  /** Real time after which the sandbox goes away by itself. */
  readonly ttlMs?: number | undefined;
  readonly ids?: IdSeries | undefined;
}

/** How many fixtures are remembered with the state that they describe: the one used least lately goes first. */
const MAX_FIXTURES = 64;
/** The text of a larger fixture is not remembered. */
const MAX_FIXTURE_BYTES = 4 * 1024 * 1024;

interface Deadline {
  /** Real time, ms since 1970. */
  readonly at: number;
  readonly end: Later;
}

interface MakerServices {
  readonly registry: SandboxRegistry;
  readonly loader: FixtureLoader;
  /** The start of a sandbox, where its creator chooses nothing else. */
  readonly defaults: RunStart & { readonly journalLimit: number };
  readonly checker: BehaviourChecker;
}

/** Makes sandboxes on demand, and ends those whose time is over. */
export class SandboxMaker {
  readonly #services: MakerServices;
  readonly #states = new Map<string, WorldState>();
  readonly #deadlines = new WeakMap<Sandbox, Deadline>();
  #made = 0;

  constructor(services: MakerServices) {
    this.#services = services;
  }

  /** Makes a sandbox; all is checked before anything is made. @throws ControlError */
  make(wanted: SandboxRequest): Sandbox {
    const { registry, defaults } = this.#services;
    if (wanted.id !== undefined && registry.get(wanted.id) !== undefined)
      throw new ControlError("sandboxes.taken", { id: wanted.id });
    if (registry.size >= MAX_SANDBOXES) throw new ControlError("sandboxes.tooMany", { limit: MAX_SANDBOXES });
    const start = this.#startOf(wanted);
    const sandbox = registry.create({ ...defaults, ...start, id: wanted.id ?? this.#freeId() });
    if (wanted.ttlMs !== undefined) this.#limit(sandbox, wanted.ttlMs);
    return sandbox;
  }

  /** Resets a sandbox to its start; `wanted` replaces parts of the start for this reset. @throws ControlError */
  reset(sandbox: Sandbox, wanted: Omit<SandboxRequest, "id" | "ttlMs">): void {
    sandbox.reset(this.#startOf(wanted));
  }

  /** Ends a sandbox and forgets it. */
  remove(sandbox: Sandbox): void {
    this.#deadlines.get(sandbox)?.end.cancel();
    this.#deadlines.delete(sandbox);
    const { registry } = this.#services;
    if (registry.get(sandbox.id) === sandbox) registry.remove(sandbox);
  }

  /** When a sandbox goes away by itself, in real time, ms since 1970; null for never. */
  expiryOf(sandbox: Sandbox): number | null {
    return this.#deadlines.get(sandbox)?.at ?? null;
  }

  #limit(sandbox: Sandbox, ttlMs: number): void {
    const end = later(ttlMs, () => this.remove(sandbox), { background: true });
    this.#deadlines.set(sandbox, { at: wallNow() + ttlMs, end });
  }

  #freeId(): string {
    const { registry } = this.#services;
    do this.#made += 1;
    while (registry.get(`s${this.#made}`) !== undefined);
    return `s${this.#made}`;
  }

  #startOf({ fixtures, behaviour, seed, clock, ids }: SandboxRequest): Partial<RunStart> {
    const problems: Problem[] = [];
    const state = fixtures === undefined ? undefined : this.#stateOf(fixtures, problems);
    const values = behaviour === undefined ? undefined : this.#behaviourOf(behaviour, problems);
    const instant = clock === undefined ? undefined : instantIn(clock, "clock");
    if (typeof instant === "object") problems.push(instant);
    if (problems.length > 0) throw unusable(problems);
    return given({
      state,
      behaviour: values,
      seed: seed === undefined ? undefined : seedOf(seed),
      clock: typeof instant === "object" ? undefined : instant,
      ids,
    });
  }

  #behaviourOf(wanted: ProfileName | object, problems: Problem[]): RunStart["behaviour"] | undefined {
    if (typeof wanted === "string") return PROFILES[wanted];
    const checked = this.#services.checker.check(wanted);
    if (checked.values !== undefined) return { ...this.#services.defaults.behaviour, ...checked.values };
    problems.push(...checked.problems.map((problem) => under(["behaviour"], problem)));
    return undefined;
  }

  /** The state of a fixture. Many tests start from the same one, so a state is kept for those who come later. */
  #stateOf(fixtures: object, problems: Problem[]): WorldState | undefined {
    const text = JSON.stringify(fixtures);
    const key = createHash("sha256").update(text).digest("base64");
    const known = this.#states.get(key);
    if (known !== undefined) {
      this.#remember(key, known);
      return known;
    }
    const loaded = this.#services.loader.loadFixture(fixtures);
    if (loaded.problems !== undefined) {
      problems.push(...loaded.problems.map((problem) => under(["fixtures"], problem)));
      return undefined;
    }
    const state = stateOf(loaded.document);
    if (text.length <= MAX_FIXTURE_BYTES) this.#remember(key, state);
    return state;
  }

  #remember(key: string, state: WorldState): void {
    this.#states.delete(key);
    this.#states.set(key, state);
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= MAX_FIXTURES) break;
      this.#states.delete(oldest);
    }
  }
}
