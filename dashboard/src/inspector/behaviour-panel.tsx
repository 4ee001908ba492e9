import { useId, useState } from "preact/hooks";
import { submitting, useAction } from "../lib/action";
import { useApp, useFilter, useSwitch } from "../lib/context";
import { fieldMessage } from "../lib/control";
import { plural, previewValue } from "../lib/format";
import type { Tone } from "../model/outcome";
import type { BehaviourRow } from "../model/types";
import { Button } from "../parts/button";
import { Check } from "../parts/check";
import { CopyButton } from "../parts/copy-button";
import { ErrorText, Loading } from "../parts/empty";
import { Pill } from "../parts/pill";
import "../styles/behaviour.css";

/** The behaviour table: what the specification leaves open, with the current answers. */
export default function BehaviourPanel() {
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
        <Check checked={changed} onCheck={setChanged}>
          Changed
        </Check>
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

/** Where an answer comes from, by colour. */
const TONES: Readonly<Record<string, Tone>> = { documented: "good", assumed: "warn", simulator: "held" };

const isChanged = (row: BehaviourRow): boolean => JSON.stringify(row.value) !== JSON.stringify(row.default);

/** The value of a text: JSON where it is some, else the text itself. */
function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

/** One question that the specification leaves open, with its answer, which can be edited. */
function BehaviourEntry({ row, changed }: { row: BehaviourRow; changed: boolean }) {
  const { session } = useApp();
  const [text, setText] = useState<string | null>(null);
  const action = useAction(fieldMessage);
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
        <Pill tone={TONES[row.source] ?? "quiet"}>{row.source}</Pill>
      </div>
      <p>{row.question}</p>
      <p class="muted small-text">{row.section}</p>
      {row.evidence === undefined ? null : (
        <p class="small-text">
          Observed {row.evidence.at.slice(0, 10)} in {plural(row.evidence.calls.length, "call")}:{" "}
          {row.evidence.calls[0]?.shows}
        </p>
      )}
      <p class="muted small-text">
        {[`${previewValue(row.default)} (default)`, ...(row.alternatives ?? []).map(previewValue)].join(
          " · ",
        )}
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
          {row.alternatives === undefined ? (
            <textarea
              class="mono"
              aria-labelledby={id}
              aria-invalid={action.error !== ""}
              aria-describedby={`${id}-error`}
              rows={Math.min(8, text.split("\n").length)}
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          ) : (
            <select
              aria-labelledby={id}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            >
              {[row.default, ...row.alternatives].map((value, at) => (
                <option key={previewValue(value)} value={previewValue(value)}>
                  {previewValue(value)}
                  {at === 0 ? " (default)" : ""}
                </option>
              ))}
            </select>
          )}
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
      <div id={`${id}-error`}>
        <ErrorText text={action.error} />
      </div>
    </li>
  );
}
