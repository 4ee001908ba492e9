import { useApp, useFilter, useSwitch } from "../lib/context";
import type { BehaviourRow } from "../model/types";
import { Loading } from "../parts/empty";
import { BehaviourEntry } from "./behaviour-entry";

const SOURCES = {
  documented: "documented in the specification",
  assumed: "an assumption",
  simulator: "needed for the simulation",
} as const;

/** The behaviour table: what the specification leaves open, with the current answers. */
export function BehaviourPanel() {
  const { session } = useApp();
  const table = session.behaviour.value;
  const [filter, setFilter] = useFilter("behaviour");
  const [changed, setChanged] = useSwitch("behaviour.changed");
  if (table.length === 0) return <Loading what="the behaviour table" />;
  const wanted = filter.trim().toLowerCase();
  const rows = table.filter(
    (row) =>
      (!changed || isChanged(row)) &&
      `${row.key} ${row.question} ${row.section} ${row.source}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div class="panel-tools">
        <input
          type="search"
          aria-label="Filter behaviour"
          placeholder="Filter"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={changed}
            onChange={(event) => setChanged(event.currentTarget.checked)}
          />
          Changed
        </label>
        <span class="legend">
          {Object.entries(SOURCES).map(([source, meaning]) => (
            <span key={source} class={`source ${source}`} title={meaning}>
              {source}
            </span>
          ))}
        </span>
      </div>
      <div class="panel-scroll">
        <ul aria-label="Behaviour">
          {rows.map((row) => (
            <BehaviourEntry key={row.key} row={row} changed={isChanged(row)} />
          ))}
        </ul>
        {rows.length === 0 ? <p class="muted pad">No matches.</p> : null}
      </div>
    </>
  );
}

const isChanged = (row: BehaviourRow): boolean => JSON.stringify(row.value) !== JSON.stringify(row.default);
