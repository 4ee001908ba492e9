import { useState } from "preact/hooks";
import { pretty } from "../lib/format";
import { CopyButton } from "./copy-button";

/** How many characters are shown before one asks for all. */
const MAX_SHOWN = 20_000;

interface Props {
  /** What the block holds, such as `Payload`. */
  readonly label: string;
  readonly value: unknown;
}

/** A JSON value or a text, as it is, with a button that copies it. */
export function Code({ label, value }: Props) {
  const [whole, setWhole] = useState(false);
  const text = pretty(value);
  const cut = !whole && text.length > MAX_SHOWN;
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton small text={text} label={`Copy ${label.toLowerCase()}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>
        {text === "" ? <span class="muted">empty</span> : cut ? text.slice(0, MAX_SHOWN) : text}
      </pre>
      {cut ? (
        <button type="button" class="ghost small" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      ) : null}
    </figure>
  );
}
