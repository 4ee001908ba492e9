import { pretty } from "../lib/format";
import { CopyButton } from "./copy-button";

interface Props {
  /** What the block holds, such as `Payload`. */
  readonly label: string;
  readonly value: unknown;
}

/** A JSON value or a text, as it is, with a button that copies it. */
export function Code({ label, value }: Props) {
  const text = pretty(value);
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <CopyButton small text={text} label={`Copy ${label.toLowerCase()}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reachable by keyboard */}
      <pre tabIndex={0}>{text === "" ? <span class="muted">empty</span> : text}</pre>
    </figure>
  );
}
