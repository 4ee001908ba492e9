import { useId, useState } from "preact/hooks";
import { submitting, useAction } from "../lib/action";
import { useApp, useFilter, useSwitch } from "../lib/context";
import { plural, previewValue } from "../lib/format";
import { operationName } from "../model/outcome";
import type { BehaviourRow } from "../model/types";
import { Bounded } from "../parts/bounded";
import { Button } from "../parts/button";
import { Check } from "../parts/check";
import { CopyButton } from "../parts/copy-button";
import { ErrorText, Loading } from "../parts/empty";
import "../styles/behaviour.css";

const SOURCES = {
  documented: "documented in the specification",
  assumed: "an assumption",
  simulator: "needed for the simulation",
  observed: "observed on the real service",
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
        <Check checked={changed} onCheck={setChanged}>
          Changed
        </Check>
        <Check checked={observed} onCheck={setObserved}>
          Observed ({measured})
        </Check>
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
const isObserved = ({ source }: BehaviourRow): boolean => source === "observed";

/** The value of a text: JSON where it is some, else the text itself. */
function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

/** What could stand in place of a default. */
const insteadOf = ({ alternatives }: BehaviourRow): string =>
  typeof alternatives === "string" ? alternatives : alternatives.map(previewValue).join(" · ");

/** One question that the specification leaves open, with its answer, which can be edited. */
function BehaviourEntry({ row, changed }: { row: BehaviourRow; changed: boolean }) {
  const { session } = useApp();
  const [text, setText] = useState<string | null>(null);
  const action = useAction();
  const id = useId();
  const save = async (value: unknown) => {
    const done = await action.run(async () => {
      session.behaviour.value = await session.transport.call<BehaviourRow[]>("PATCH", "/behaviour", {
        body: { [row.key]: value },
      });
    });
    if (done) setText(null);
  };
  const start = () => {
    action.clear();
    setText(typeof row.value === "object" ? JSON.stringify(row.value, null, 2) : previewValue(row.value));
  };
  return (
    <li class={changed ? "entry changed" : "entry"}>
      <div class="row spread">
        <code class="key" id={id}>
          {row.key}
        </code>
        <span class={`source ${row.source}`}>{row.source}</span>
      </div>
      <p>{row.question}</p>
      <p class="muted small-text">{row.section}</p>
      {row.evidence === undefined ? null : <Evidence evidence={row.evidence} />}
      <p class="muted small-text">
        {previewValue(row.default)} (default) · {insteadOf(row)}
      </p>
      {text === null ? (
        <div class="row entry-value">
          <code class="value">{previewValue(row.value)}</code>
          <span class="grow" />
          <Button class="ghost small" aria-label={`Edit ${row.key}`} onClick={start}>
            Edit
          </Button>
          {changed ? (
            <Button
              class="ghost small"
              aria-label={`Default of ${row.key}`}
              title={`Back to ${previewValue(row.default)}`}
              onClick={() => save(row.default)}
            >
              Back to default
            </Button>
          ) : null}
          <CopyButton
            small
            text={`--set ${row.key}=${previewValue(row.value)}`}
            label={`Copy option for ${row.key}`}
          />
        </div>
      ) : (
        <form class="stack" onSubmit={submitting(() => save(parsedValue(text)))}>
          <textarea
            class="mono"
            aria-labelledby={id}
            rows={Math.min(8, text.split("\n").length)}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <div class="row end">
            <Button class="ghost small" onClick={() => setText(null)}>
              Cancel
            </Button>
            <button type="submit" class="primary small" aria-label={`Save ${row.key}`} disabled={action.busy}>
              Save
            </button>
          </div>
        </form>
      )}
      <ErrorText text={action.error} />
    </li>
  );
}

/** The calls that show an observed value. */
const Evidence = ({ evidence: { at, calls } }: { evidence: NonNullable<BehaviourRow["evidence"]> }) => (
  <details class="evidence">
    <summary>
      Observed {at.slice(0, 10)} in {plural(calls.length, "call")}
      {calls[0] === undefined ? null : <span class="muted">: {calls[0].shows}</span>}
    </summary>
    <ul>
      <Bounded items={calls} step={20}>
        {({ scenario, step, operation, at: when, shows }) => (
          <li key={`${scenario} ${step}`}>
            <b>{operationName(operation)}</b> {shows}
            <p class="muted small-text">
              {scenario}, {step}, {when}
            </p>
          </li>
        )}
      </Bounded>
    </ul>
  </details>
);
