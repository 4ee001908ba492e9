import { useId, useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { plural, previewValue } from "../lib/format";
import { operationName } from "../model/outcome";
import type { BehaviourRow } from "../model/types";
import { Bounded } from "../parts/bounded";
import { CopyButton } from "../parts/copy-button";
import { ErrorText } from "../parts/empty";

interface Props {
  readonly row: BehaviourRow;
  readonly changed: boolean;
}

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
export function BehaviourEntry({ row, changed }: Props) {
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
          <button type="button" class="ghost small" aria-label={`Edit ${row.key}`} onClick={start}>
            Edit
          </button>
          {changed ? (
            <button
              type="button"
              class="ghost small"
              aria-label={`Default of ${row.key}`}
              title={`Back to ${previewValue(row.default)}`}
              onClick={() => save(row.default)}
            >
              Back to default
            </button>
          ) : null}
          <CopyButton
            small
            text={`--set ${row.key}=${previewValue(row.value)}`}
            label={`Copy option for ${row.key}`}
          />
        </div>
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void save(parsedValue(text));
          }}
        >
          <textarea
            class="mono"
            aria-labelledby={id}
            rows={Math.min(8, text.split("\n").length)}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <div class="row end">
            <button type="button" class="ghost small" onClick={() => setText(null)}>
              Cancel
            </button>
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

/** The recorded exchanges that show a measured value. */
const Evidence = ({ evidence: { at, exchanges } }: { evidence: NonNullable<BehaviourRow["evidence"]> }) => (
  <details class="evidence">
    <summary>
      Observed {at.slice(0, 10)} in {plural(exchanges.length, "exchange")}
      {exchanges[0] === undefined ? null : <span class="muted">: {exchanges[0].shows}</span>}
    </summary>
    <ul>
      <Bounded items={exchanges} step={20}>
        {({ file, exchange, operation, at: when, shows }) => (
          <li key={`${file} ${exchange}`}>
            <b>{operationName(operation)}</b> {shows}
            <p class="muted small-text">
              {file}, entry {exchange}, {when}
            </p>
          </li>
        )}
      </Bounded>
    </ul>
  </details>
);
