import { useId, useState } from "preact/hooks";
import { useAction } from "../lib/action";
import { useApp } from "../lib/context";
import { shownValue } from "../lib/format";
import type { BehaviourRow } from "../model/types";
import { CopyButton } from "../parts/copy-button";
import { Trouble } from "../parts/empty";

interface Props {
  readonly row: BehaviourRow;
  readonly changed: boolean;
}

/** What was written, as JSON where it is some, else as the word that it is. */
function written(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

/** One question that the specification leaves open; its value is changed in its place. */
export function BehaviourEntry({ row, changed }: Props) {
  const { session } = useApp();
  const [text, setText] = useState<string | null>(null);
  const action = useAction();
  const id = useId();
  const save = async (value: unknown) => {
    const done = await action.run(async () =>
      session.setBehaviour(
        await session.api.call<BehaviourRow[]>("PATCH", "/behaviour", { [row.key]: value }),
      ),
    );
    if (done) setText(null);
  };
  const start = () => {
    action.clear();
    setText(typeof row.value === "object" ? JSON.stringify(row.value, null, 2) : shownValue(row.value));
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
      {text === null ? (
        <div class="row entry-value">
          <code class="value">{shownValue(row.value)}</code>
          <span class="grow" />
          <button type="button" class="ghost small" aria-label={`Edit ${row.key}`} onClick={start}>
            Edit
          </button>
          {changed ? (
            <button
              type="button"
              class="ghost small"
              aria-label={`Default of ${row.key}`}
              title={`Back to ${shownValue(row.default)}`}
              onClick={() => save(row.default)}
            >
              Back to default
            </button>
          ) : null}
          <CopyButton
            small
            text={`--set ${row.key}=${shownValue(row.value)}`}
            label={`Copy option for ${row.key}`}
          />
        </div>
      ) : (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void save(written(text));
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
      <Trouble text={action.trouble} />
    </li>
  );
}
