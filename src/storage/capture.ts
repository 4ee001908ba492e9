import type { Chunked } from "../kernel/chunked.js";
import { fromKeys, mapped } from "../kernel/objects.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { RunStart } from "../sandbox/states.js";
import { deltaChunked } from "../service/world/delta.js";
import { omitDefaults } from "../service/world/load.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../service/world/records.js";
import type { WorldState } from "../service/world/state.js";
import { World } from "../service/world/world.js";
import type { SimulatorSection, StateSection } from "./base-document.js";
import { FORMAT } from "./base-document.js";

/** Defaults of records are not written: they are filled in when the document is read, as in any fixture. */
const omitDefaultsOf = fromKeys(COLLECTIONS, (name) => omitDefaults(RECORD_SCHEMAS[name]));

/** The base document of a sandbox as it is now: captured synchronously, and assembled in steps. */
export function capture(sandbox: Sandbox): () => Chunked<Record<string, unknown>> {
  const { id, start, own, files, run, expiresAt = null, reached } = sandbox;
  const state = run.world.snapshot();
  const snapshots = [...sandbox.snapshots.values()];
  // These parts change in place, so they are captured as text.
  const parts = Object.entries(run.values).map(([name, values]) => [name, Object.fromEntries(values)]);
  const values: SimulatorSection["values"] = JSON.parse(JSON.stringify(Object.fromEntries(parts)));
  return function* () {
    const section: SimulatorSection = {
      format: FORMAT,
      sandbox: id,
      expiresAt,
      reached,
      start: {
        ...optionsOf(start),
        own: [...own],
        files: [...files],
        state: yield* stateSection(start.state, state),
      },
      run: run.start === start ? null : yield* runSection(run.start, start, state),
      values,
      snapshots: [],
    };
    for (const snapshot of snapshots) {
      const { name, clock, began } = snapshot;
      const ofThisRun = snapshot.start === run.start.state;
      const delta = yield* stateSection(snapshot.state, state);
      section.snapshots.push({ name, clock, began, ofThisRun, state: delta });
    }
    const world = new World(state);
    const records = fromKeys(COLLECTIONS, (name) => mapped(world.all(name), omitDefaultsOf[name]));
    return { ...records, simulator: section };
  };
}

const optionsOf = ({ seed, clock, ids = "same", behaviour, faults }: RunStart) => ({
  seed,
  clock: clock ?? null,
  ids,
  behaviour,
  faults: [...faults],
});

function* runSection(
  begun: RunStart,
  { state }: RunStart,
  base: WorldState,
): Chunked<NonNullable<SimulatorSection["run"]>> {
  const isSame = begun.state === state;
  return { ...optionsOf(begun), state: isSame ? null : yield* stateSection(begun.state, base) };
}

/** Deltas are written as they are read. */
function* stateSection(state: WorldState, base: WorldState): Chunked<StateSection> {
  return (yield* deltaChunked(state, base)) as StateSection;
}
