import type { ClockPosition } from "../kernel/clock.js";
import type { Path } from "../kernel/json.js";
import { keysOf } from "../kernel/objects.js";
import { type Problem, problemAt, UnusableDocument, under } from "../kernel/problems.js";
import type { Chunked } from "../kernel/realtime.js";
import type { KeptParts, Milestone, PartName } from "../sandbox/durable.js";
import type { KeptSandbox } from "../sandbox/registry.js";
import { SandboxStates } from "../sandbox/states.js";
import { deltaChunked, stateFromDelta } from "../service/world/delta.js";
import type { FixtureLoader } from "../service/world/load.js";
import type { CollectionName, FixtureDocument, Records } from "../service/world/records.js";
import { COLLECTIONS, isCollectionName } from "../service/world/records.js";
import { type Counters, stateChunked, type WorldState } from "../service/world/state.js";
import { World } from "../service/world/world.js";
import type { SimulatorSection, StartSection, StateSection } from "./base-document.js";
import { sectionProblems } from "./base-document.js";
import type { Stored } from "./port.js";

export interface ResumeContext {
  readonly loader: FixtureLoader;
  readonly journalLimit: number;
  /** The default start of sandboxes, whose records sandboxes with that start share. */
  readonly common: WorldState;
}

type ValueChange = readonly [part: PartName, key: string, value?: unknown];

/**
 * A saved sandbox: its base document, and later changes.
 *
 * @throws UnusableDocument with file and location if it cannot be used
 */
export function* resumeChunked(stored: Stored, context: ResumeContext): Chunked<KeptSandbox> {
  const refuse = (problems: readonly Problem[] = []) => {
    if (problems.length === 0) return;
    throw new UnusableDocument(problems.map((problem) => ({ file: stored.name, ...problem })));
  };
  const { simulator, ...fixture } = stored.base as { readonly simulator?: unknown };
  refuse(sectionProblems(simulator));
  const section = simulator as SimulatorSection;
  const loaded = yield* context.loader.loadChunked(fixture);
  refuse(loaded.problems);
  const top = yield* stateChunked(loaded.document as FixtureDocument);
  refuse(deltaProblems(section, context.loader));
  try {
    const { sandbox: id, expiresAt, reached, start, values } = section;
    const states = yield* statesOf(section, top, context.common);
    const read = new ReadValues(values, states);
    for (const entry of stored.entries) {
      for (const change of entry as readonly (ValueChange | Milestone)[]) read.apply(change);
      yield;
    }
    const { journalLimit } = context;
    const { own, files } = start;
    const options = { id, own, files, journalLimit, expiresAt: expiresAt ?? undefined };
    const resumeState = { states, run: { parts: read.result(stored.seenAt) }, reached };
    return { options: { ...states.start, ...options }, resumeState };
  } catch (error) {
    const message = `does not match the rest of the document: ${(error as Error).message}`;
    refuse([problemAt(["simulator"], message)]);
    throw error;
  }
}

/** The problems of the first invalid record in states that are stored as differences from another. */
function deltaProblems({ start, run, snapshots }: SimulatorSection, loader: FixtureLoader): Problem[] {
  const deltas: (readonly [path: Path, delta: StateSection | null | undefined])[] = [
    [["start", "state"], start.state],
    [["run", "state"], run?.state],
    ...snapshots.map(({ state }, index) => [["snapshots", index, "state"], state] as const),
  ];
  for (const [path, delta] of deltas)
    for (const name of COLLECTIONS)
      for (const [index, value] of (delta?.[name]?.records ?? []).entries()) {
        const { problems } = loader.validateRecord(name, value);
        if (problems !== undefined)
          return problems.map((problem) => under(["simulator", ...path, name, "records", index], problem));
      }
  return [];
}

function* statesOf(section: SimulatorSection, read: WorldState, common: WorldState): Chunked<SandboxStates> {
  const own = yield* stateFromDelta(read, section.start.state);
  const isCommon = yield* isSameState(own.state, common);
  const start = { ...optionsOf(section.start), state: isCommon ? common : own.state };
  const top = isCommon ? (yield* stateFromDelta(common, yield* deltaChunked(read, own.state))).state : read;
  const states = new SandboxStates(start);
  if (section.run !== null) {
    const { state: delta, ...options } = section.run;
    const { state } = delta === null ? start : yield* stateFromDelta(top, delta);
    states.begin({ ...optionsOf(options), state });
  }
  const { begun } = states;
  for (const { name, clock, began = clock.now, ofThisRun, state: delta } of section.snapshots) {
    const { state, ownBytes } = yield* stateFromDelta(top, delta);
    const [origin, bytes] = ofThisRun ? [begun.state, ownBytes] : [state, 0];
    states.named.set(name, { name, clock, began, state, start: origin, ownBytes: bytes });
  }
  states.world.restore(top, Math.max(0, top.bytes - begun.state.bytes));
  return states;
}

/** The values of a run other than its records, after applying its log. */
class ReadValues {
  readonly #parts = new Map<PartName, Map<string, unknown>>();
  readonly #states: SandboxStates;

  constructor(values: SimulatorSection["values"], states: SandboxStates) {
    this.#states = states;
    for (const part of keysOf(values))
      for (const [key, value] of Object.entries(values[part] ?? {})) this.apply([part, key, value]);
  }

  apply(change: ValueChange | Milestone): void {
    if (isMilestone(change)) {
      this.#states.apply(change);
      if (change[0] === "reset") this.#parts.clear();
      return;
    }
    const [part, key, value] = change;
    const { world } = this.#states;
    if (isCollectionName(part)) {
      // The log contains records in the world's form.
      if (value === undefined) world.remove(part, key);
      else world.put(part, value as Records[CollectionName]);
      return;
    }
    const values = this.#parts.get(part) ?? new Map<string, unknown>();
    this.#parts.set(part, values);
    if (value === undefined) values.delete(key);
    else values.set(key, value);
    if (part === "run" && key === "counters") world.counters = value as Counters;
    if (part === "run" && key === "began") this.#states.began = value as number;
  }

  /** `seenAt`: the machine's time when its process was last active. */
  result(seenAt = 0): KeptParts {
    const kept = this.#parts.get("run")?.get("clock") as ClockPosition | undefined;
    const clock: ClockPosition = kept ?? { aheadMs: 0 };
    if ("aheadMs" in clock && (kept !== undefined || this.#states.start.clock === undefined))
      this.apply(["run", "clock", { ...clock, at: Math.max(clock.at ?? 0, seenAt) }]);
    return Object.fromEntries(this.#parts);
  }
}

const isMilestone = (change: ValueChange | Milestone): change is Milestone =>
  ["reset", "snapshot", "restore", "forget"].includes(change[0]);

const MAX_COMPARED = 10_000;

/** Whether two states have the same records in the same order. */
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

const optionsOf = ({
  seed,
  clock,
  ids,
  behaviour,
  faults,
}: Omit<StartSection, "state" | "own" | "files">) => ({
  seed,
  clock: clock ?? undefined,
  ids,
  behaviour,
  faults,
});
