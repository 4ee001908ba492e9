import { useMemo, useState } from "preact/hooks";
import { pretty } from "../lib/format";
import { Button } from "./button";
import { CopyButton } from "./copy-button";

/** How many characters are shown before one asks for all. */
const MAX_SHOWN = 20_000;

interface Props {
  /** What the block holds, such as `Payload`. */
  readonly label: string;
  readonly value: unknown;
}

/** A JSON value or a text, with a button that copies it. */
export function Code({ label, value }: Props) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => pretty(value), [value]);
  const isText = typeof value !== "object" || value === null;
  const shown = whole ? text : text.slice(0, MAX_SHOWN);
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton small text={text} label={`Copy ${label.toLowerCase()}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>
        {text === "" ? <span class="muted">empty</span> : isText ? shown : <Json text={shown} />}
      </pre>
      {text.length > shown.length ? (
        <Button class="ghost small" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </Button>
      ) : null}
    </figure>
  );
}

/** The parts of JSON that have a colour: a key with its colon, a text, and everything else that is no bracket. */
const PARTS = /("(?:\\.|[^"\\])*":)|("(?:\\.|[^"\\])*")|([\w.+-]+)/;
const COLOURS = ["", "json-key", "json-string", "json-literal"];

/** JSON in colours. */
function Json({ text }: { text: string }) {
  const parts = useMemo(() => text.split(PARTS), [text]);
  return (
    <>
      {parts.map((part, at) => {
        const colour = COLOURS[at % COLOURS.length];
        return part && (colour ? <span class={colour}>{part}</span> : part);
      })}
    </>
  );
}
