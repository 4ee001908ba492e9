/** What callers may ask of a new sandbox, and the start that a run gets from it. */

import { createHash } from "node:crypto";
import type { BehaviourChecker } from "../behaviour/check.js";
import type { ProfileName } from "../behaviour/table.js";
import { PROFILES } from "../behaviour/table.js";
import { BOUNDS } from "../kernel/bounds.js";
import { given } from "../kernel/given.js";
import type { Problem } from "../kernel/problems.js";
import { under } from "../kernel/problems.js";
import { seedOf } from "../kernel/random.js";
import { MAX_TIMER_MS } from "../kernel/realtime.js";
import type { Infer } from "../kernel/schema.js";
import { anyOf, integer, object, oneOf, optional, record, string, unknown } from "../kernel/schema.js";
import { SANDBOX_ID } from "../sandbox/ids.js";
import type { MemoryBudget } from "../sandbox/memory.js";
import type { RunStart } from "../sandbox/run-start.js";
import type { FixtureLoader } from "../world/load.js";
import type { WorldState } from "../world/state.js";
import { unusable } from "./control-error.js";
import { instantIn, instantSchema } from "./inputs.js";
import { loaderFor } from "./loader-for.js";

const START = {
  fixtures: optional(record(unknown(), { description: "a fixture document; left out: the server's own" })),
  behaviour: optional(
    anyOf([oneOf(["documented", "realistic"]), record(unknown())], {
      description: "values over the server's own, or a whole profile",
    }),
  ),
  seed: optional(anyOf([integer(), string()], { description: "left out: the server's own" })),
  clock: optional({ ...instantSchema, description: "the clock stands at this instant: ISO or ms" }),
  ids: optional(
    oneOf(["same", "apart"], {
      description:
        "apart: the ids of new threads and messages begin at a number that follows from the sandbox's id, and run on over resets; left out: same",
    }),
  ),
};

/** The start of a sandbox; in a reset, the parts that replace it once. What is left out is as in the server's own start. */
export const startSchema = object(START);
export type StartRequest = Infer<typeof startSchema>;

/** A new sandbox. */
export const sandboxRequestSchema = object({
  id: optional(string({ ...SANDBOX_ID, description: "left out: one that is free" })),
  ...START,
  ttlMs: optional(
    integer({ minimum: 1, maximum: MAX_TIMER_MS, description: "ends by itself after so much real time" }),
  ),
});
export type SandboxRequest = Infer<typeof sandboxRequestSchema>;

/** The start of every sandbox, where its creator chooses nothing else. */
export interface Defaults extends RunStart {
  readonly journalLimit: number;
  /** The fixture is the one that ships. */
  readonly isShipped: boolean;
}

/** What starts are read with. */
export interface StartContext {
  readonly loader: FixtureLoader;
  readonly checker: BehaviourChecker;
  /** As they are now: files that change are loaded anew. */
  readonly defaults: () => Defaults;
}

/** How many fixtures are kept with the state that they describe; the one used least lately goes first. */
const MAX_FIXTURES = BOUNDS.keptFixtures.limit;
/** A fixture of more records is not kept. */
const MAX_KEPT_RECORDS = BOUNDS.keptFixtureRecords.limit;

/** The share of the memory that their states may take beside it. */
const KEPT_SHARE = 1 / 16;

/** How many records a fixture has, whatever they are. */
const sizeOf = (fixtures: object): number =>
  Object.values(fixtures).reduce((size, records) => size + (Array.isArray(records) ? records.length : 0), 0);

/** Reads starts. Many tests start from the same fixture, so the states of fixtures are kept. */
export class StartReader {
  readonly #context: StartContext;
  readonly #memory: MemoryBudget;
  readonly #states = new Map<string, WorldState>();
  #bytes = 0;

  constructor(context: StartContext, memory: MemoryBudget) {
    this.#context = context;
    this.#memory = memory;
  }

  /** The parts of a start that a request names; `base` is the behaviour where it names none. @throws ControlError with every problem */
  async read(
    { fixtures, behaviour, seed, clock, ids }: StartRequest,
    base: RunStart["behaviour"] = this.#context.defaults().behaviour,
  ): Promise<Partial<RunStart>> {
    const problems: Problem[] = [];
    const behaviourProblems: Problem[] = [];
    const values = behaviour === undefined ? undefined : this.#behaviourOf(behaviour, behaviourProblems);
    const loader = loaderFor(values ?? base, this.#context.loader);
    const state = fixtures === undefined ? undefined : await this.#stateOf(fixtures, loader, problems);
    problems.push(...behaviourProblems);
    const instant = clock === undefined ? undefined : instantIn(clock, "clock");
    if (typeof instant === "object") problems.push(instant);
    if (problems.length > 0) throw unusable(problems);
    if (state !== undefined) this.#memory.checkRoomFor(state);
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
    const checked = this.#context.checker.check(wanted);
    if (checked.values !== undefined) return { ...this.#context.defaults().behaviour, ...checked.values };
    problems.push(...checked.problems.map((problem) => under(["behaviour"], problem)));
    return undefined;
  }

  async #stateOf(
    fixtures: object,
    loader: FixtureLoader,
    problems: Problem[],
  ): Promise<WorldState | undefined> {
    if (sizeOf(fixtures) > MAX_KEPT_RECORDS) return this.#load(fixtures, loader, problems);
    const name = loader === this.#context.loader ? "" : "stored ";
    const key = name + createHash("sha256").update(JSON.stringify(fixtures)).digest("base64");
    const state = this.#states.get(key) ?? (await this.#load(fixtures, loader, problems));
    if (state !== undefined) this.#keep(key, state);
    return state;
  }

  async #load(fixtures: object, loader: FixtureLoader, problems: Problem[]): Promise<WorldState | undefined> {
    const { state, problems: found = [] } = await loader.loadState(fixtures);
    problems.push(...found.map((problem) => under(["fixtures"], problem)));
    return state;
  }

  #keep(key: string, state: WorldState): void {
    this.#bytes += state.bytes - (this.#states.get(key)?.bytes ?? 0);
    this.#states.delete(key);
    this.#states.set(key, state);
    for (const [oldest, { bytes }] of this.#states) {
      if (this.#states.size <= MAX_FIXTURES && this.#bytes <= this.#memory.limit * KEPT_SHARE) return;
      this.#states.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}
