import type { Chunked } from "../kernel/chunked.js";
import type { ClockPosition, ClockState } from "../kernel/clock.js";
import type { Problem } from "../kernel/problems.js";
import { problemAt, UnusableDocument, under } from "../kernel/problems.js";
import type { KeptParts, Milestone, PartName } from "../sandbox/durable.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import type { RunStart } from "../sandbox/run-start.js";
import type { Snapshot } from "../sandbox/snapshots.js";
import type { StateDelta } from "../service/world/delta.js";
import { deltaInSteps, stateFromDelta } from "../service/world/delta.js";
import type { FixtureLoader } from "../service/world/load.js";
import type { CollectionName, Records } from "../service/world/records.js";
import { COLLECTIONS, isCollectionName } from "../service/world/records.js";
import type { Counters, WorldState } from "../service/world/state.js";
import { stateInSteps } from "../service/world/state.js";
import { World } from "../service/world/world.js";
import type { SimulatorSection, StartSection, StateSection } from "./base-document.js";
import { SectionChecker } from "./base-document.js";
import { upgraded } from "./format.js";
import type { Stored } from "./port.js";

/** What base documents are read with. */
export interface ResumeContext {
  readonly loader: FixtureLoader;
  readonly journalLimit: number;
  /** The state that sandboxes start from where nobody chose another: those that did share its records. */
  readonly common: WorldState;
}

/** One change of a value: its part, its key, and the value; without one it is gone. */
type ValueChange = readonly [part: PartName, key: string, value?: unknown];

/**
 * A sandbox as a store has kept it: its base document, and what was changed since.
 *
 * @throws UnusableDocument with file and place where it cannot be used
 */
export function* resumeInSteps(
  found: Stored,
  context: ResumeContext,
  sections = new SectionChecker(),
): Chunked<KeptSandbox> {
  const stored = upgraded(found);
  const { simulator: section, ...fixture } = stored.base as { readonly simulator?: SimulatorSection };
  refuse(stored, sections.problemsOf(section));
  const loaded = yield* context.loader.loadInSteps(fixture);
  if (loaded.problems !== undefined) throw unusable(stored, loaded.problems);
  const top = yield* stateInSteps(loaded.document, loaded.positions);
  try {
    const session = yield* Session.from(section as SimulatorSection, top, context.common, (delta, path) =>
      checkedDelta(delta, path, stored, context.loader),
    );
    for (const entry of stored.entries) {
      session.apply(entry as readonly (ValueChange | Milestone)[]);
      yield;
    }
    return session.result(context.journalLimit, stored.seenAt);
  } catch (error) {
    if (error instanceof UnusableDocument) throw error;
    throw unusable(stored, [
      problemAt(["simulator"], `does not fit the rest of the document: ${(error as Error).message}`),
    ]);
  }
}

const unusable = ({ name }: Stored, problems: readonly Problem[]): UnusableDocument =>
  new UnusableDocument(problems.map((problem) => ({ file: name, ...problem })));

function refuse(stored: Stored, problems: readonly Problem[]): void {
  if (problems.length > 0) throw unusable(stored, problems);
}

type CheckDelta = (delta: StateSection, path: readonly (string | number)[]) => StateDelta;

/** A delta whose records are right, each for itself. @throws UnusableDocument */
function checkedDelta(
  delta: StateSection,
  path: readonly (string | number)[],
  stored: Stored,
  loader: FixtureLoader,
): StateDelta {
  for (const name of COLLECTIONS) {
    for (const [index, value] of (delta[name]?.records ?? []).entries()) {
      const { problems = [] } = loader.validateRecord(name, value);
      refuse(
        stored,
        problems.map((problem) => under(["simulator", ...path, name, "records", index], problem)),
      );
    }
  }
  return delta as StateDelta;
}

/** A sandbox while its log is gone through. */
class Session {
  readonly #section: SimulatorSection;
  readonly #start: RunStart;
  #runStart: RunStart | undefined;
  #world: World;
  #parts: Map<PartName, Map<string, unknown>>;
  readonly #snapshots: Map<string, Snapshot>;

  private constructor(
    section: SimulatorSection,
    start: RunStart,
    runStart: RunStart | undefined,
    world: World,
    snapshots: Map<string, Snapshot>,
  ) {
    this.#section = section;
    this.#start = start;
    this.#runStart = runStart;
    this.#world = world;
    this.#snapshots = snapshots;
    this.#parts = new Map(
      Object.entries(section.values).map(([part, values]) => [
        part as PartName,
        new Map(Object.entries(values)),
      ]),
    );
  }

  static *from(
    section: SimulatorSection,
    read: WorldState,
    common: WorldState,
    check: CheckDelta,
  ): Chunked<Session> {
    const own = yield* stateFromDelta(read, check(section.start.state, ["start", "state"]));
    const isCommon = yield* isSameState(own.state, common);
    const start = { ...optionsOf(section.start), state: isCommon ? common : own.state };
    const top = isCommon ? (yield* stateFromDelta(common, yield* deltaInSteps(read, own.state))).state : read;
    const runStart = section.run === null ? undefined : yield* runStartOf(section.run, start, top, check);
    const begun = runStart ?? start;
    const snapshots = new Map<string, Snapshot>();
    for (const [index, snapshot] of section.snapshots.entries()) {
      const { name, clock, began = clock.now, ofThisRun, state: delta } = snapshot;
      const { state, ownBytes } = yield* stateFromDelta(top, check(delta, ["snapshots", index, "state"]));
      const origin = ofThisRun ? begun.state : state;
      const own = ofThisRun ? ownBytes : 0;
      snapshots.set(name, { name, clock, began, state, start: origin, ownBytes: own });
    }
    const { run = {} } = section.values;
    const world = new World(begun.state);
    const counters = (run.counters as Counters | undefined) ?? top.counters;
    world.restore({ ...top, counters }, Math.max(0, top.bytes - begun.state.bytes));
    return new Session(section, start, runStart, world, snapshots);
  }

  /** Applies what was changed together. */
  apply(entry: readonly (ValueChange | Milestone)[]): void {
    for (const change of entry) {
      if (change[0] === "reset") this.#reset();
      else if (change[0] === "snapshot") this.#keep(change[1], change[2]);
      else if (change[0] === "restore") this.#restore(change[1]);
      else if (change[0] === "forget") this.#snapshots.delete(change[1]);
      else this.#set(change);
    }
  }

  #set([part, key, value]: ValueChange): void {
    if (isCollectionName(part)) {
      // The log holds records as the world had them.
      if (value === undefined) this.#world.remove(part, key);
      else this.#world.put(part, value as Records[CollectionName]);
      return;
    }
    const values = this.#parts.get(part) ?? new Map<string, unknown>();
    this.#parts.set(part, values);
    if (value === undefined) values.delete(key);
    else values.set(key, value);
    if (part === "run" && key === "counters") this.#world.counters = value as Counters;
  }

  #reset(): void {
    this.#runStart = undefined;
    this.#world = new World(this.#start.state);
    this.#parts = new Map();
  }

  #keep(name: string, clock: ClockState): void {
    const { state } = this.#runStart ?? this.#start;
    const { ownBytes } = this.#world;
    const began = (this.#parts.get("run")?.get("began") as number | undefined) ?? clock.now;
    this.#snapshots.set(name, { name, clock, began, state: this.#world.snapshot(), start: state, ownBytes });
  }

  #restore(name: string): void {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined)
      throw new RangeError(`the log restores a snapshot "${name}" that nobody took`);
    this.#world.restore(snapshot.state, snapshot.ownBytes);
  }

  /** `seenAt`: the machine's time when its process was seen last. */
  result(journalLimit: number, seenAt = 0): KeptSandbox {
    const { sandbox: id, expiresAt, reached, start } = this.#section;
    const { ownBytes } = this.#world;
    const kept = this.#parts.get("run")?.get("clock") as ClockPosition | undefined;
    const clock: ClockPosition = kept ?? { aheadMs: 0 };
    if ("aheadMs" in clock && (kept !== undefined || this.#start.clock === undefined))
      this.#set(["run", "clock", { ...clock, at: Math.max(clock.at ?? 0, seenAt) }]);
    const run = {
      state: this.#world.snapshot(),
      ownBytes,
      parts: Object.fromEntries(this.#parts) as KeptParts,
    };
    return {
      options: { ...this.#start, id, own: start.own, journalLimit, expiresAt: expiresAt ?? undefined },
      position: { runStart: this.#runStart, run, snapshots: [...this.#snapshots.values()], reached },
    };
  }
}

/** States of more records are not compared. */
const MAX_COMPARED = 10_000;

/** Whether two states hold the same records in the same order. */
function* isSameState(one: WorldState, other: WorldState): Chunked<boolean> {
  const [left, right] = [new World(one), new World(other)];
  const size = COLLECTIONS.reduce((sum, name) => sum + left.count(name), 0);
  if (size > MAX_COMPARED) return false;
  for (const name of COLLECTIONS) {
    if (left.count(name) !== right.count(name)) return false;
    const others = right.all(name);
    for (const record of left.all(name)) {
      if (JSON.stringify(record) !== JSON.stringify(others.next().value)) return false;
      yield;
    }
  }
  return true;
}

const optionsOf = ({ seed, clock, ids, behaviour, faults }: Omit<StartSection, "state">) => ({
  seed,
  clock: clock ?? undefined,
  ids,
  behaviour,
  faults,
});

/** What a run began with that did not begin with the start. */
function* runStartOf(
  { state: delta, ...options }: NonNullable<SimulatorSection["run"]>,
  { state }: RunStart,
  top: WorldState,
  check: CheckDelta,
): Chunked<RunStart> {
  const own = delta === null ? { state } : yield* stateFromDelta(top, check(delta, ["run", "state"]));
  return { ...optionsOf(options), state: own.state };
}
