import { useApp, useFilter, useSwitch } from "../lib/context";
import type { BehaviourRow } from "../model/types";
import { Empty, Loading } from "../parts/empty";
import { BehaviourEntry } from "./behaviour-entry";
import "../styles/behaviour.css";

const SOURCES = {
  documented: "documented in the specification",
  assumed: "an assumption",
  simulator: "needed for the simulation",
  observed: "measured on the real service",
} as const;

/** The behaviour table: what the specification leaves open, with the current answers. */
export default function BehaviourPanel() {
  const { session } = useApp();
  const table = session.behaviour.value;
  const [filter, setFilter] = useFilter("behaviour");
  const [changed, setChanged] = useSwitch("behaviour.changed");
  const [observed, setObserved] = useSwitch("behaviour.observed");
  if (table.length === 0) return <Loading what="the behaviour table" />;
  const measured = table.filter(isObserved).length;
  const wanted = filter.trim().toLowerCase();
  const rows = table.filter(
    (row) =>
      (!changed || isChanged(row)) &&
      (!observed || isObserved(row)) &&
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
        <label class="check">
          <input
            type="checkbox"
            checked={observed}
            onChange={(event) => setObserved(event.currentTarget.checked)}
          />
          Observed ({measured})
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
        {rows.length > 0 ? null : observed && measured === 0 ? (
          <Empty title="No observed values" command="messaging-sim calibrate session.har --out observed.yaml">
            Values measured on the real service appear here with their evidence. Learn them from a recording:
          </Empty>
        ) : (
          <p class="muted pad">No matches.</p>
        )}
      </div>
    </>
  );
}

const isChanged = (row: BehaviourRow): boolean => JSON.stringify(row.value) !== JSON.stringify(row.default);
const isObserved = ({ source }: BehaviourRow): boolean => source === "observed";
