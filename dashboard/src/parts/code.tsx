import { useMemo, useState } from "preact/hooks";
import { pretty, shortValue } from "../lib/format";
import { Button } from "./button";
import { CopyButton } from "./copy-button";
import { type JsonChange, type JsonLine, jsonChanges, jsonLines } from "./json-lines";

/** How many characters are shown before one asks for all. */
const MAX_SHOWN = 20_000;
/** How many parts are compared with those before, and how many of them are listed. */
const MAX_CHANGES = 200;
const MAX_LISTED = 12;

interface Props {
  /** What the block holds, such as `Payload`. */
  readonly label: string;
  readonly value: unknown;
  /** The one of its kind before it, and what that is called. */
  readonly before?: { readonly id: string; readonly value: unknown } | undefined;
}

/** A JSON value or a text, with a button that copies it. Parts of a value fold; those that changed are marked. */
export function Code({ label, value, before }: Props) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => pretty(value), [value]);
  const isText = typeof value !== "object" || value === null;
  const max = whole ? Number.POSITIVE_INFINITY : MAX_SHOWN;
  const changes = useMemo(
    () => (before === undefined ? [] : jsonChanges(before.value, value, MAX_CHANGES)),
    [before, value],
  );
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton small text={text} label={`Copy ${label.toLowerCase()}`} />
      </figcaption>
      {before === undefined ? null : <Changes changes={changes} since={before.id} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>
        {text === "" ? (
          <span class="muted">empty</span>
        ) : isText ? (
          text.slice(0, max)
        ) : (
          <Lines value={value} max={max} changed={new Set(changes.map(({ path }) => path))} />
        )}
      </pre>
      {text.length > max ? (
        <Button class="ghost small" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </Button>
      ) : null}
    </figure>
  );
}

/** What changed, for whom wants to see it. */
function Changes({ changes, since }: { changes: readonly JsonChange[]; since: string }) {
  const [isOpen, setOpen] = useState(false);
  if (changes.length === 0) return <p class="changes muted">As in {since}</p>;
  return (
    <details class="changes" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {changes.length.toLocaleString("en")} changed since {since}
      </summary>
      {isOpen ? (
        <ul>
          {changes.slice(0, MAX_LISTED).map(({ path, from, to }) => (
            <li key={path} class="diff">
              <code>{path.slice(1) || "all"}</code> <del>{shortValue(from)}</del> →{" "}
              <ins>{shortValue(to)}</ins>
            </li>
          ))}
        </ul>
      ) : null}
    </details>
  );
}

interface LinesProps {
  readonly value: unknown;
  readonly max: number;
  readonly changed: ReadonlySet<string>;
}

function Lines({ value, max, changed }: LinesProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const { lines } = useMemo(() => jsonLines(value, folded, max), [value, folded, max]);
  const toggle = (path: string) => {
    const next = new Set(folded);
    if (!next.delete(path)) next.add(path);
    setFolded(next);
  };
  return (
    <>
      {lines.map((line, at) => (
        <Line
          key={`${line.path} ${line.shown === "close"}`}
          line={line}
          isLast={at === lines.length - 1}
          isChanged={changed.has(line.path) && line.shown !== "close"}
          onToggle={toggle}
        />
      ))}
    </>
  );
}

interface LineProps {
  readonly line: JsonLine;
  readonly isLast: boolean;
  readonly isChanged: boolean;
  readonly onToggle: (path: string) => void;
}

function Line({ line: { path, indent, key, text, shown }, isLast, isChanged, onToggle }: LineProps) {
  const canFold = path !== "" && (shown === "open" || shown === "folded");
  return (
    <>
      <span class={isChanged ? "json changed-part" : "json"}>
        {indent}
        {canFold ? (
          <Button
            class="fold"
            aria-label={`Fold ${path.slice(1)}`}
            aria-expanded={shown === "open"}
            onClick={() => onToggle(path)}
          />
        ) : null}
        <span class="json-key">{key}</span>
        <span class={`json-${shown}`}>{text}</span>
      </span>
      {isLast ? null : "\n"}
    </>
  );
}
