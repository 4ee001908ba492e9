import { fromKeys, mapped } from "../kernel/objects.js";
import type { Chunked } from "../kernel/realtime.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { RunStart } from "../sandbox/states.js";
import { deltaChunked } from "../service/world/delta.js";
import { omitDefaults } from "../service/world/load.js";
import { COLLECTIONS, RECORD_SCHEMAS } from "../service/world/records.js";
import { World } from "../service/world/world.js";
import { FORMAT, type SimulatorSection } from "./base-document.js";

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
    const kept: SimulatorSection["snapshots"][number][] = [];
    for (const { name, clock, began, start: origin, state: its } of snapshots) {
      const delta = yield* deltaChunked(its, state);
      kept.push({ name, clock, began, ofThisRun: origin === run.start.state, state: delta });
    }
    const isOwnState = run.start.state !== start.state;
    const runState = isOwnState ? yield* deltaChunked(run.start.state, state) : null;
    const section: SimulatorSection = {
      format: FORMAT,
      sandbox: id,
      expiresAt,
      reached,
      start: {
        ...optionsOf(start),
        own: [...own],
        files: [...files],
        state: yield* deltaChunked(start.state, state),
      },
      run: run.start === start ? null : { ...optionsOf(run.start), state: runState },
      values,
      snapshots: kept,
    };
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
