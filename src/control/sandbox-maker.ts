/** The options of a new sandbox, the start that they result in, and the end of a sandbox. */

import { BOUNDS } from "../kernel/bounds.js";
import { runSafely } from "../kernel/errors.js";
import { ID_SERIES, PROFILE_NAMES } from "../kernel/names.js";
import { omitUndefined } from "../kernel/objects.js";
import { LimitReached, under } from "../kernel/problems.js";
import { secretToken, seedOf } from "../kernel/random.js";
import type { Later } from "../kernel/realtime.js";
import { later, MAX_TIMER_MS, wallNow } from "../kernel/realtime.js";
import type { DeepReadonly, Infer, InferInput } from "../kernel/schema.js";
import { anyOf, integer, object, oneOf, optional, partial, string } from "../kernel/schema.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import type { SandboxRegistry } from "../sandbox/registry.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { RunStart } from "../sandbox/states.js";
import type { SandboxSummary } from "../sandbox/summary.js";
import type { BehaviourChecker } from "../service/behaviour/check.js";
import type { BehaviourValues } from "../service/behaviour/table.js";
import { PROFILES } from "../service/behaviour/table.js";
import type { FixtureLoader } from "../service/world/load.js";
import type { FixtureInput } from "../service/world/records.js";
import { ControlError, unusable } from "./errors.js";
import { instantIn, instantSchema, recordOf } from "./inputs.js";

/** The loader of records for a world with this behaviour: it accepts what the simulated API accepts there. */
export const loaderFor = (
  { "widget.emailFormat": emailFormat = "valid" }: Partial<BehaviourValues>,
  loader: FixtureLoader,
): FixtureLoader => (emailFormat === "valid" ? loader : loader.ofStored);

const START = partial({
  fixtures: recordOf<FixtureInput>({ description: "a fixture document; default: the server's" }),
  behaviour: anyOf([oneOf(PROFILE_NAMES), recordOf<Partial<BehaviourValues>>()], {
    description: "values that override the server's, or a whole profile",
  }),
  seed: anyOf([integer(), string()], { description: "default: the server's" }),
  clock: { ...instantSchema, description: "stops the clock at this time: ISO 8601 or ms" },
  ids: oneOf(ID_SERIES, {
    description:
      "apart: the ids of new threads and messages start at a number derived from the sandbox's id and continue after resets; default: same",
  }),
});

/** The start of a sandbox; in a reset, the parts replaced for one run. Omitted parts are those of the server's own start. */
export const startSchema = object(START);
type StartRequest = Infer<typeof startSchema>;

export const sandboxRequestSchema = object({
  id: optional(string({ ...SANDBOX_ID, description: "default: a free id" })),
  ...START,
  ttlMs: optional(
    integer({
      minimum: 1,
      maximum: MAX_TIMER_MS,
      description: "deletes the sandbox after this much real time",
    }),
  ),
});
type SandboxRequest = Infer<typeof sandboxRequestSchema>;
/** What a sandbox starts from; omitted parts are those of the server's own start. */
export type SandboxOptions = DeepReadonly<InferInput<typeof sandboxRequestSchema>>;

export interface Defaults extends RunStart {
  readonly journalLimit: number;
  /** Whether the fixture is the built-in one. */
  readonly isShipped: boolean;
}

export interface StartContext {
  readonly loader: FixtureLoader;
  readonly checker: BehaviourChecker;
  /** The current values: changed files are reloaded. */
  readonly defaults: () => Defaults;
}

export interface OwnershipControl {
  /** Undefined if the sandbox is open here; otherwise resolves when it is, or does not exist. @throws Error if it cannot be opened */
  opened(id: string): Promise<void> | undefined;
  /** Takes an id for a new sandbox; false if it exists. @throws Refusal if this cannot be saved */
  claim(id: string): Promise<boolean>;
  /** Releases a sandbox, so that the next call can open it in any process. */
  handOver(sandbox: Sandbox): Promise<void>;
  /** The sandboxes that are not open here. @throws Refusal if the store is unavailable */
  others(): Promise<readonly SandboxSummary[]>;
}

/** Creates sandboxes on demand, and deletes expired ones. */
export class SandboxMaker {
  readonly #deadlines = new WeakMap<Sandbox, Later>();
  #made = 0;
  readonly #series: string;

  constructor(
    private readonly registry: SandboxRegistry,
    private readonly context: StartContext,
    private readonly ownership?: OwnershipControl,
  ) {
    this.#series = ownership === undefined ? "s" : `s${secretToken().slice(0, 8)}-`;
    registry.each((sandbox) => this.#limit(sandbox));
  }

  /** Creates a sandbox; everything is validated first. @throws ControlError */
  async make(wanted: SandboxRequest): Promise<Sandbox> {
    for (;;) {
      const made = await this.#makeUnlessTaken({ ...wanted, id: wanted.id ?? this.#freeId() });
      if (made !== undefined) return made;
      // Another process may have taken a free id meanwhile.
      if (wanted.id !== undefined) throw new ControlError("sandboxes.taken", { id: wanted.id });
    }
  }

  /** The existing sandbox with this id, unchanged, or a new one. @throws ControlError */
  async ensure(wanted: SandboxRequest & { id: string }): Promise<{ sandbox: Sandbox; isNew: boolean }> {
    for (;;) {
      const made = await this.#makeUnlessTaken(wanted);
      if (made !== undefined) return { sandbox: made, isNew: true };
      await this.ownership?.opened(wanted.id);
      const there = this.registry.get(wanted.id);
      if (there !== undefined) return { sandbox: there, isNew: false };
    }
  }

  /** Undefined if there is a sandbox with this id, here or in another process. */
  async #makeUnlessTaken(wanted: SandboxRequest & { id: string }): Promise<Sandbox | undefined> {
    if (this.registry.get(wanted.id) !== undefined) return undefined;
    const start = this.#readStart(wanted);
    const { limit } = BOUNDS.sandboxes;
    if (this.registry.size >= limit) throw new LimitReached("sandboxes", limit);
    if (this.ownership !== undefined && !(await this.ownership.claim(wanted.id))) return undefined;
    return this.#create(wanted, start);
  }

  /** @throws Refusal if this cannot be saved: then the sandbox does not exist */
  async #create({ id, ttlMs }: SandboxRequest & { id: string }, start: Partial<RunStart>): Promise<Sandbox> {
    const expiresAt = ttlMs === undefined ? undefined : wallNow() + ttlMs;
    const sandbox = this.registry.create({ ...this.context.defaults(), ...start, own: start, id, expiresAt });
    try {
      await sandbox.saver.settled();
      return sandbox;
    } catch (error) {
      this.remove(sandbox);
      throw error;
    }
  }

  /** Resets to the start, with the `wanted` parts for this reset. @throws ControlError */
  reset(sandbox: Sandbox, wanted: StartRequest): void {
    const start = this.#readStart(wanted, sandbox.start);
    if (this.registry.get(sandbox.id) !== sandbox)
      throw new ControlError("sandboxes.notFound", { id: sandbox.id });
    sandbox.reset(start);
  }

  remove(sandbox: Sandbox): void {
    this.#deadlines.get(sandbox)?.cancel();
    if (this.registry.get(sandbox.id) === sandbox) this.registry.remove(sandbox);
  }

  /** The parts of a start in a request, on top of `base`. @throws ControlError with every problem */
  #readStart(request: StartRequest, base: RunStart = this.context.defaults()): Partial<RunStart> {
    const { checker, loader, defaults } = this.context;
    const { fixtures, behaviour, seed, clock, ids } = request;
    const checked = typeof behaviour === "object" ? checker.check(behaviour) : undefined;
    const values =
      typeof behaviour === "string"
        ? PROFILES[behaviour]
        : checked?.values && { ...defaults().behaviour, ...checked.values };
    const loaded = fixtures && loaderFor(values ?? base.behaviour, loader).loadState(fixtures);
    const instant = clock === undefined ? undefined : instantIn(clock, "clock");
    const problems = [
      ...(loaded?.problems ?? []).map((problem) => under(["fixtures"], problem)),
      ...(checked?.problems ?? []).map((problem) => under(["behaviour"], problem)),
      ...(typeof instant === "object" ? [instant] : []),
    ];
    if (problems.length > 0) throw unusable(problems);
    return omitUndefined({
      state: loaded?.state,
      behaviour: values,
      seed: seed === undefined ? undefined : seedOf(seed),
      clock: typeof instant === "object" ? undefined : instant,
      ids,
    });
  }

  #limit(sandbox: Sandbox): void {
    if (sandbox.expiresAt === undefined) return;
    const remove = () => runSafely(sandbox.report, () => this.remove(sandbox));
    this.#deadlines.set(sandbox, later(sandbox.expiresAt - wallNow(), remove, { background: true }));
  }

  /** An id that is free, as far as this process knows; several processes have series of their own. */
  #freeId(): string {
    do this.#made += 1;
    while (this.registry.get(`${this.#series}${this.#made}`) !== undefined);
    return `${this.#series}${this.#made}`;
  }
}
